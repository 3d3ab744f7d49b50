"""Which clips a study shows."""

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from annotation.models import Sample, Study
from annotation.selectors.shown import is_shown_in, study_motions
from annotation.services.studies import study_drawing
from config.jobs.models import JobState
from rendering.models import Clip, ClipState, Motion, RenderJob


def study_clips(study: Study) -> QuerySet[Clip]:
    """Clips of what the study shows, drawn as the study wants them."""
    drawing = study_drawing(study)
    return Clip.objects.filter(
        is_shown_in(study),
        look=drawing.look,
        view=drawing.view,
        pixels=drawing.pixels,
        backend=drawing.backend,
    )


def motion_clips(motion: int) -> QuerySet[Clip]:
    """Every clip of a motion, the newest first, with the state of its `last_job`."""
    last = RenderJob.objects.filter(clip=OuterRef("pk")).order_by("-pk").values("state")[:1]
    return Clip.objects.filter(motion=motion).annotate(last_job=Subquery(last)).order_by("-id")


def study_clips_failed(study: Study) -> QuerySet[Clip]:
    """Planned clips that nobody works on any more, because drawing them failed."""
    return (
        study_clips(study)
        .filter(state=ClipState.PLANNED, jobs__state=JobState.FAILED)
        .exclude(jobs__state__in=[JobState.WAITING, JobState.RUNNING])
        .distinct()
    )


def study_is_rendering(study: Study) -> bool:
    """Whether a clip of the study waits for a worker or is being drawn."""
    return (
        study_clips(study)
        .filter(state=ClipState.PLANNED, jobs__state__in=[JobState.WAITING, JobState.RUNNING])
        .exists()
    )


def example_clip(study: Study, *, avoid: QuerySet[Sample]) -> tuple[Clip, Sample] | None:
    """A ready clip to show before consent: no gold, no reference, and none of `avoid` unless nothing else is ready."""
    ready = study_clips(study).filter(state=ClipState.READY)
    samples = (
        Sample.objects.filter(places__study=study, places__is_active=True, generator__is_reference=False)
        .exclude(gold__study=study)
        .filter(motion__in=ready.values("motion"))
        .select_related("prompt")
        .order_by("-id")
    )
    sample = samples.exclude(pk__in=avoid.values("pk")).first() or samples.first()
    if sample is None:
        return None
    clip = ready.filter(motion=sample.motion_id).order_by("-id").first()
    return (clip, sample) if clip else None


def study_motions_missing(study: Study) -> QuerySet[Motion]:
    """What has no clip, and no job that makes one or failed to: the failed wait for a person's retry."""
    return study_motions(study).exclude(pk__in=clips_settled(study_clips(study)).values("motion"))


def clips_settled(clips: QuerySet[Clip]) -> QuerySet[Clip]:
    """Those that are made, in hand, or wait for a person."""
    jobs = RenderJob.objects.filter(
        clip=OuterRef("pk"), state__in=[JobState.WAITING, JobState.RUNNING, JobState.FAILED]
    )
    return clips.filter(Q(state=ClipState.READY) | Exists(jobs))
