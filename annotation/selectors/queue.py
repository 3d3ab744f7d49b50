"""The render queue of a study: how many clips are made, what waits in which order, what failed and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import (
    BooleanField,
    Case,
    CharField,
    Count,
    Exists,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.utils import timezone

from annotation.models import Sample, Study
from annotation.selectors.clips import clips_settled, study_clips
from annotation.selectors.shown import study_motions
from annotation.services.clips import NEXT_HITS, SOMEBODY_WAITS
from config.jobs.models import JobState
from rendering.models import ClipState, RenderJob

PAGE_SIZE = 20
OPEN = (JobState.WAITING, JobState.RUNNING)
ENDED = (JobState.FAILED, JobState.CANCELLED)


# --- Jobs -------------------------------------------------------------------------------------------------------------


def study_jobs_open(study: Study) -> QuerySet[RenderJob]:
    """Jobs of the study that wait or run."""
    return RenderJob.objects.filter(clip__in=study_clips(study), state__in=OPEN)


def study_jobs_waiting(study: Study) -> QuerySet[RenderJob]:
    """In the order in which workers take them; those that pause after a failed attempt come last."""
    pauses = Case(When(not_before__gt=timezone.now(), then=True), default=False, output_field=BooleanField())
    waiting = study_jobs_open(study).filter(state=JobState.WAITING).annotate(pauses=pauses)
    return waiting.order_by("pauses", "-priority", "id")


def study_jobs_shared(study: Study) -> int:
    """How many of the waiting make a clip that other studies show as well."""
    drawn_alike = {name: getattr(study, name) for name in ("look", "view", "pixels", "backend")}
    others = Study.objects.filter(**drawn_alike).exclude(pk=study.pk)
    motions = Sample.objects.filter(places__study__in=others, places__is_active=True).values("motion")
    return study_jobs_waiting(study).filter(clip__motion__in=motions).count()


def study_jobs_ended(study: Study, *states: str) -> QuerySet[RenderJob]:
    """Failed and cancelled jobs that leave a clip unmade: the last one of each, if no other is at it."""
    others = RenderJob.objects.filter(clip=OuterRef("clip"))
    return RenderJob.objects.filter(
        ~Exists(others.filter(Q(state__in=OPEN) | Q(pk__gt=OuterRef("pk")))),
        clip__in=study_clips(study).filter(state=ClipState.PLANNED),
        state__in=states or ENDED,
    )


# --- How far ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Counts:
    """Of `wanted` clips (one for each motion) so many are `made`; the others stand where the rest says."""

    wanted: int
    made: int
    waiting: int
    running: int
    failed: int
    cancelled: int
    missing: int

    @property
    def open(self) -> int:
        return self.waiting + self.running

    @property
    def not_planned(self) -> int:
        """The cancelled are missing as well, but somebody has decided so."""
        return max(self.missing - self.cancelled, 0)


def study_clip_counts(study: Study) -> Counts:
    """Where each clip stands: made, at its open job, or where its last job ended."""
    jobs = RenderJob.objects.filter(clip=OuterRef("pk"))
    open_first = Case(When(state__in=OPEN, then=0), default=1, output_field=IntegerField())
    place = Case(
        When(state=ClipState.READY, then=Value(ClipState.READY)),
        default=Subquery(jobs.order_by(open_first, "-pk").values("state")[:1]),
        output_field=CharField(),
    )
    clips = study_clips(study).order_by()
    placed = clips.annotate(place=place).values_list("place")
    found = {place: (count, motions) for place, count, motions in placed.annotate(Count("pk"), _MOTIONS)}
    by_state = {state: found.get(state, (0, 0))[0] for state in JobState.values}
    settled = clips_settled(clips).aggregate(motions=_MOTIONS)["motions"]
    wanted = study_motions(study).count()
    return Counts(
        wanted=wanted,
        made=found.get(ClipState.READY, (0, 0))[1],
        waiting=by_state[JobState.WAITING],
        running=by_state[JobState.RUNNING],
        failed=by_state[JobState.FAILED],
        cancelled=by_state[JobState.CANCELLED],
        missing=wanted - settled,
    )


# Several samples may share a motion, and a motion may have clips of several renderers.
_MOTIONS = Count("motion", distinct=True)


# --- Rows of tables ---------------------------------------------------------------------------------------------------


def in_words(length: timedelta) -> str:
    """In the largest unit that says enough: `42 s`, `7 min`, `3 h`, `12 d`."""
    seconds = max(length.total_seconds(), 0.0)
    for unit, size, most in (("s", 1, 90), ("min", 60, 90), ("h", 3600, 48)):
        if seconds < most * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds / 86400:.0f} d"


@dataclass(frozen=True)
class JobRow:
    """A job, and the sample whose clip it makes; gold that has no place in the study has no page."""

    job: RenderJob
    sample: Sample | None
    has_page: bool
    at: datetime

    @property
    def pauses(self) -> bool:
        return self.job.not_before > self.at

    @property
    def pause_left(self) -> str:
        return in_words(self.job.not_before - self.at)

    @property
    def is_silent(self) -> bool:
        """Its worker has let the lease run out; a sweep will give the job to another."""
        return self.job.lease_until is not None and self.job.lease_until < self.at

    @property
    def running_for(self) -> str:
        return in_words(self.at - (self.job.started_at or self.at))

    @property
    def ended_ago(self) -> str:
        return in_words(self.at - (self.job.finished_at or self.at))

    @property
    def machine(self) -> str:
        return self.job.worker.rpartition(":")[0]

    @property
    def process(self) -> str:
        return self.job.worker.rpartition(":")[2]

    @property
    def urgency(self) -> str:
        if self.job.priority >= SOMEBODY_WAITS:
            return "a rater waits for it"
        return "next HITs" if self.job.priority >= NEXT_HITS else "later"

    @property
    def doing(self) -> str:
        """In the renderer's own words, if it has some; its progress is the share of frames."""
        frames = self.job.clip.motion.frames
        if self.job.doing or not self.job.progress:
            return self.job.doing or "starting"
        return f"drawing, {round(self.job.progress * frames)} of {frames} frames"


@dataclass(frozen=True)
class JobTable:
    rows: tuple[JobRow, ...]
    page: Page[Any]


def study_queue_waiting(study: Study, counts: Counts, *, page: str = "1") -> JobTable:
    return _table(study, study_jobs_waiting(study), counts.waiting, page)


def study_queue_ended(study: Study, counts: Counts, *, page: str = "1") -> JobTable:
    """The failed first, the latest first among them."""
    ended = study_jobs_ended(study).order_by("-state", "-finished_at", "-id")
    return _table(study, ended, counts.failed + counts.cancelled, page)


def _table(study: Study, jobs: QuerySet[RenderJob], count: int, page: str) -> JobTable:
    paginator = Paginator(jobs.select_related("clip__motion") if count else jobs.none(), PAGE_SIZE)
    paginator.__dict__["count"] = count  # known already: it must not be counted again
    found: Page[Any] = paginator.get_page(page)
    return JobTable(job_rows(study, list(found)), found)


def job_rows(study: Study, jobs: Sequence[RenderJob]) -> tuple[JobRow, ...]:
    motions = [job.clip.motion_id for job in jobs]
    placed = Exists(study.places.filter(sample=OuterRef("pk")))
    samples = (
        Sample.objects.filter(Q(placed) | Q(gold__study=study), motion__in=motions)
        .annotate(has_page=placed)
        .select_related("prompt", "generator")
        .order_by("has_page", "-id")  # the first that has a page wins, being the last
    )
    by_motion: dict[int, Any] = {sample.motion_id: sample for sample in samples}
    now = timezone.now()
    rows = []
    for job in jobs:
        sample = by_motion.get(job.clip.motion_id)
        rows.append(JobRow(job, sample, bool(sample and sample.has_page), now))
    return tuple(rows)
