"""Doorbells of the machine half."""

from celery import shared_task

from metaeval.services import analyses


@shared_task
def analysis_next() -> None:
    analyses.analysis_run_next()


@shared_task
def analysis_sweep() -> None:
    analyses.analyses_sweep()
