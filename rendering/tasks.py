"""Doorbells for the render queue. They carry nothing: what there is to do stands in RenderJob rows."""

from celery import shared_task

from rendering.services import jobs


@shared_task
def render_next() -> None:
    jobs.render_job_run_next()


@shared_task
def render_sweep() -> None:
    jobs.render_jobs_sweep()
