"""Doorbells of the human half."""

from celery import shared_task

from annotation.services import assignments


@shared_task
def assignment_sweep() -> None:
    assignments.assignments_expire()
