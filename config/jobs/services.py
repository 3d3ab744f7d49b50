"""Claiming, keeping, finishing and sweeping jobs. Every function is safe to call twice and under concurrency."""

import os
import socket
from datetime import timedelta
from typing import TypeVar

from django.conf import settings
from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from config.audit.services import audit_record, audit_record_each
from config.jobs.models import ATTEMPTS, Job, JobState

LEASE = timedelta(seconds=settings.JOB_LEASE_SECONDS)
RETRY_AFTER = timedelta(seconds=10)

J = TypeVar("J", bound=Job)


def worker_name() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def _audit(job: Job, action: str, **details: object) -> None:
    audit_record(actor=f"worker:{worker_name()}", action=f"{_noun(type(job))}.{action}", subject=job, details=details)


def _noun(model: type[Job]) -> str:
    return model._meta.verbose_name_raw.replace(" ", "_")


@transaction.atomic
def job_claim(model: type[J]) -> J | None:
    """Take the most urgent waiting job, or None. Two workers never get the same one."""
    waiting = model._default_manager.filter(state=JobState.WAITING, not_before__lte=timezone.now())
    if connection.features.has_select_for_update_skip_locked:
        waiting = waiting.select_for_update(skip_locked=True)
    # On SQLite BEGIN IMMEDIATE already holds the write lock.
    job = waiting.order_by("-priority", "id").first()
    if job is None:
        return None
    now = timezone.now()
    job.state, job.worker, job.lease_until = JobState.RUNNING, worker_name(), now + LEASE
    job.attempt, job.started_at, job.progress, job.error = job.attempt + 1, now, 0.0, ""
    job.doing = ""
    job.save()
    _audit(job, "claimed", attempt=job.attempt)
    return job


def _mine(job: J) -> "tuple[type[J], dict[str, object]]":
    """What identifies this claim: a worker whose lease was taken over must not write any more."""
    return type(job), {"pk": job.pk, "state": JobState.RUNNING, "worker": job.worker, "attempt": job.attempt}


def job_heartbeat(job: Job, *, progress: float, doing: str = "") -> bool:
    """Extend the lease; False when the job is no longer ours or was cancelled: stop working on it."""
    model, claim = _mine(job)
    rows = model._default_manager.filter(**claim, cancel_requested=False)
    share = min(max(progress, 0.0), 1.0)
    return bool(rows.update(lease_until=timezone.now() + LEASE, progress=share, doing=doing[:200]))


def job_lock(job: J) -> J | None:
    """The row, locked, if this claim still holds. Called inside the transaction that records the result."""
    model, claim = _mine(job)
    return model._default_manager.select_for_update().filter(**claim).first()


@transaction.atomic
def job_finish(job: Job) -> bool:
    row = job_lock(job)
    if row is None:
        return False
    row.state, row.lease_until, row.progress, row.finished_at = JobState.DONE, None, 1.0, timezone.now()
    row.doing = ""
    row.save()
    _audit(row, "done")
    return True


@transaction.atomic
def job_fail(job: Job, *, error: str, retry: bool, pause: timedelta = RETRY_AFTER) -> bool:
    """Back to the queue with a growing pause, or failed for good when attempts are used up or retrying cannot help."""
    row = job_lock(job)
    if row is None:
        return False
    row.lease_until, row.error, row.doing = None, error, ""
    if row.cancel_requested:
        row.state, row.finished_at = JobState.CANCELLED, timezone.now()
    elif retry and row.attempt < row.max_attempts:
        row.state, row.not_before = JobState.WAITING, timezone.now() + pause * 2 ** (row.attempt - 1)
    else:
        row.state, row.finished_at = JobState.FAILED, timezone.now()
    row.save()
    _audit(row, row.state if row.state != JobState.WAITING else "requeued", error=error[:500])
    return True


@transaction.atomic
def job_cancel(job: Job, *, actor: str) -> None:
    """A waiting job is cancelled at once; a running one at its next heartbeat."""
    row = type(job)._default_manager.select_for_update().get(pk=job.pk)
    if row.state not in (JobState.WAITING, JobState.RUNNING):
        return
    row.cancel_requested, verb = True, "cancel_requested"
    if row.state == JobState.WAITING:
        row.state, row.finished_at, verb = JobState.CANCELLED, timezone.now(), "cancelled"
    row.save()
    audit_record(actor=actor, action=f"{_noun(type(row))}.{verb}", subject=row)


@transaction.atomic
def job_retry(job: Job, *, actor: str) -> None:
    """A person asks for a failed or cancelled job again."""
    row = type(job)._default_manager.select_for_update().get(pk=job.pk)
    if row.state not in (JobState.FAILED, JobState.CANCELLED):
        return
    row.state, row.error, row.cancel_requested = JobState.WAITING, "", False
    # Attempts go on counting: with the worker's name they tell one claim from every other.
    row.max_attempts = row.attempt + ATTEMPTS
    row.finished_at, row.not_before, row.progress = None, timezone.now(), 0.0
    row.save()
    audit_record(actor=actor, action=f"{_noun(type(row))}.retried", subject=row)


@transaction.atomic
def jobs_retry(jobs: QuerySet[J], *, actor: str) -> int:
    """A person asks for all of these again that failed or were cancelled; returns how many."""
    ended = jobs.select_for_update().filter(state__in=[JobState.FAILED, JobState.CANCELLED])
    rows = list(ended.order_by("pk"))
    jobs.model._default_manager.filter(pk__in=[row.pk for row in rows]).update(
        state=JobState.WAITING,
        error="",
        cancel_requested=False,
        max_attempts=F("attempt") + ATTEMPTS,
        finished_at=None,
        not_before=timezone.now(),
        progress=0.0,
    )
    audit_record_each(actor=actor, action=f"{_noun(jobs.model)}.retried", subjects=rows)
    return len(rows)


@transaction.atomic
def jobs_cancel_waiting(jobs: QuerySet[J], *, actor: str) -> int:
    """Cancel those of these that no worker has yet; returns how many."""
    rows = list(jobs.select_for_update().filter(state=JobState.WAITING).order_by("pk"))
    jobs.model._default_manager.filter(pk__in=[row.pk for row in rows]).update(
        state=JobState.CANCELLED, cancel_requested=True, finished_at=timezone.now()
    )
    audit_record_each(actor=actor, action=f"{_noun(jobs.model)}.cancelled", subjects=rows)
    return len(rows)


@transaction.atomic
def job_sweep(model: type[Job]) -> int:
    """Re-queue jobs whose worker died (lease over); returns how many jobs wait now."""
    expired = model._default_manager.select_for_update().filter(state=JobState.RUNNING, lease_until__lt=timezone.now())
    for job in expired:
        # No pause: a dead worker is no fault of the job.
        job_fail(job, error=f"{job.worker} stopped without an answer", retry=True, pause=timedelta(0))
    return model._default_manager.filter(state=JobState.WAITING, not_before__lte=timezone.now()).count()
