from collections.abc import Sequence
from dataclasses import dataclass

from django.db import connection, transaction
from django.db.models import QuerySet

from config.audit.services import audit_record_each
from config.jobs.doorbell import ring
from config.jobs.models import JobState
from rendering.backends import backend_named, check_draws
from rendering.models import Clip, ClipState, Motion, RenderJob
from rendering.scene import clip_key, get_look, view_name


@dataclass(frozen=True)
class Drawing:
    """How motions are to be drawn."""

    look: str
    view: str
    pixels: int
    backend: str = "stick"


@transaction.atomic
def clips_plan(*, motions: Sequence[Motion], drawing: Drawing, actor: str, priority: int = 0) -> list[Clip]:
    """A clip row for each motion, and a render job for each that has none: planning twice changes nothing."""
    get_look(drawing.look)  # a typo fails here, not on every worker
    view = view_name(drawing.view)
    backend = backend_named(drawing.backend)  # it need not run on this machine: workers may be elsewhere
    check_draws(backend, drawing.look)
    version = backend.version
    wanted = [
        Clip(
            key=clip_key(motion.content_hash, drawing.look, view, drawing.pixels, drawing.backend, version),
            motion=motion,
            look=drawing.look,
            view=view,
            pixels=drawing.pixels,
            backend=drawing.backend,
            renderer_version=version,
        )
        for motion in motions
    ]
    Clip.objects.bulk_create(wanted, ignore_conflicts=True, batch_size=500)
    by_key = Clip.objects.in_bulk([clip.key for clip in wanted], field_name="key")
    clips = [by_key[clip.key] for clip in wanted]
    _jobs_create(clips, actor=actor, priority=priority)
    return clips


def _jobs_create(clips: Sequence[Clip], *, actor: str, priority: int) -> None:
    planned = [clip for clip in clips if clip.state == ClipState.PLANNED]
    # A failed job waits for a person's retry; planning again must not hide its error.
    has_job = set(
        RenderJob.objects.filter(clip__in=planned)
        .exclude(state__in=[JobState.DONE, JobState.CANCELLED])
        .values_list("clip_id", flat=True)
    )
    jobs = RenderJob.objects.bulk_create(
        [RenderJob(clip=clip, priority=priority) for clip in planned if clip.pk not in has_job], batch_size=500
    )
    audit_record_each(actor=actor, action="render_job.planned", subjects=jobs)
    if jobs:
        transaction.on_commit(lambda: ring("rendering.tasks.render_next", waiting=len(jobs)))


@transaction.atomic
def clips_prioritise(*, clips: QuerySet[Clip], priority: int, only_raise: bool = False) -> None:
    """Say when the clips that still wait are drawn: higher goes first."""
    waiting = RenderJob.objects.filter(clip__in=clips, state=JobState.WAITING)
    waiting = waiting.filter(priority__lt=priority) if only_raise else waiting.exclude(priority=priority)
    if connection.features.has_select_for_update_skip_locked:
        # In a fixed order and without waiting: two raters who start at once must not block each other.
        waiting = waiting.select_for_update(skip_locked=True)
    RenderJob.objects.filter(pk__in=list(waiting.order_by("pk").values_list("pk", flat=True))).update(priority=priority)
