"""The part of the render queue that changes while workers work: what runs, and how long the rest may take."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Case, Count, F, FloatField, Max, Min, Q, Sum, When
from django.utils import timezone

from annotation.models import Study
from annotation.selectors.clips import study_clips
from annotation.selectors.queue import (
    Counts,
    JobRow,
    job_rows,
    study_clip_counts,
    study_jobs_open,
    study_jobs_waiting,
)
from config.jobs.models import JobState
from config.jobs.services import LEASE
from rendering.models import RenderJob

RUNNING_SHOWN = 20
# A worker has no job for a moment between two; one that was heard of within this time is still there.
LATELY = timedelta(seconds=15)
# So long may a job wait untouched before we ask whether there is a worker at all.
SILENCE = timedelta(minutes=2)
RECENT_JOBS = 20
FEWEST_JOBS = 3


@dataclass(frozen=True)
class QueueNow:
    """`ahead`: clips of other studies that go first. `version` differs when a table of jobs would look different."""

    counts: Counts
    running: tuple[JobRow, ...]
    ahead: int
    seconds_left: float | None
    silence: timedelta | None
    version: str

    @property
    def time_left(self) -> str:
        """As exactly as it is known, and no more."""
        if self.seconds_left is None:
            return ""
        minutes = round(self.seconds_left / 60)
        words = f"{minutes} min" if 1 < minutes < 90 else "a minute" if minutes < 2 else f"{minutes / 60:.0f} h"
        return f"at least {words}" if self.ahead else f"about {words}"

    @property
    def silent_minutes(self) -> int:
        return int(self.silence.total_seconds() // 60) if self.silence else 0


def study_queue_now(study: Study) -> QueueNow:
    counts = study_clip_counts(study)
    if not counts.open:
        return QueueNow(counts, (), 0, None, None, _version(counts, 0))
    jobs = study_jobs_open(study)
    running = jobs.filter(state=JobState.RUNNING).select_related("clip__motion").order_by("started_at", "id")
    undone = Case(When(state=JobState.RUNNING, then=1.0 - F("progress")), default=1.0, output_field=FloatField())
    sums = jobs.aggregate(
        attempts=Sum("attempt"), frames=Sum(F("clip__motion__frames") * undone, output_field=FloatField())
    )
    return QueueNow(
        counts=counts,
        running=job_rows(study, list(running[:RUNNING_SHOWN]) if counts.running else []),
        ahead=_ahead(study, counts),
        seconds_left=_seconds_left(study, sums["frames"] or 0.0),
        silence=_silence(),
        version=_version(counts, sums["attempts"] or 0),
    )


def _version(counts: Counts, attempts: int) -> str:
    return f"{counts.waiting}.{counts.running}.{counts.failed}.{counts.cancelled}.{counts.missing}.{attempts}"


def _ahead(study: Study, counts: Counts) -> int:
    """Clips of other studies that will be drawn before the last of this one."""
    if RenderJob.objects.filter(state=JobState.WAITING).count() <= counts.waiting:
        return 0
    last = study_jobs_waiting(study).filter(not_before__lte=timezone.now()).last()
    if last is None:
        return 0
    before = Q(priority__gt=last.priority) | Q(priority=last.priority, pk__lt=last.pk)
    others = RenderJob.objects.filter(before, state=JobState.WAITING, not_before__lte=timezone.now())
    return others.exclude(clip__in=study_clips(study)).count()


def _seconds_left(study: Study, frames: float) -> float | None:
    """From what the last clips of this kind took for a frame, and how many are drawn at once; None when unknown."""
    per_frame, workers = _seconds_per_frame(study), _workers()
    if per_frame is None or not workers:
        return None
    return per_frame * frames / workers


def _workers() -> int:
    """How many have a job, or took one a moment ago."""
    now = timezone.now()
    at_it = RenderJob.objects.filter(
        Q(state=JobState.RUNNING, lease_until__gte=now) | Q(state=JobState.DONE, finished_at__gte=now - LATELY)
    )
    return int(at_it.aggregate(workers=Count("worker", distinct=True))["workers"])


def _seconds_per_frame(study: Study) -> float | None:
    alike = RenderJob.objects.filter(
        state=JobState.DONE, clip__look=study.look, clip__pixels=study.pixels, clip__backend=study.backend
    )
    times = alike.order_by("-finished_at").values_list("started_at", "finished_at", "clip__motion__frames")
    recent = [((end - start).total_seconds(), frames) for start, end, frames in times[:RECENT_JOBS] if start and end]
    if len(recent) < FEWEST_JOBS:
        return None
    return sum(seconds for seconds, _ in recent) / sum(frames for _, frames in recent)


def _silence() -> timedelta | None:
    """How long work has been there for the taking without a sign of any worker; None if there was one lately."""
    now = timezone.now()
    running = Q(state=JobState.RUNNING)
    seen = RenderJob.objects.aggregate(
        waits=Min("not_before", filter=Q(state=JobState.WAITING, not_before__lte=now)),
        left=Min("lease_until", filter=running & Q(lease_until__lt=now)),
        held=Max("lease_until", filter=running),
        took=Max("started_at"),
        # Not the cancelled: a person did that.
        ended=Max("finished_at", filter=Q(state__in=[JobState.DONE, JobState.FAILED])),
    )
    held: datetime | None = seen["held"]
    there = [time for time in (seen["waits"], seen["left"]) if time]
    if not there or (held and held >= now):
        return None
    signs = [time for time in (seen["took"], seen["ended"], held - LEASE if held else None) if time]
    silence: timedelta = now - max([min(there), *signs])
    return silence if silence >= SILENCE else None
