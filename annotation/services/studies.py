from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from annotation.errors import AnnotationError
from annotation.models import BatchKind, BatchState, Rubric, Sample, Study, StudySample, StudyState
from annotation.selectors.shown import study_motions
from config.audit.services import actor_for_user, audit_record
from rendering.models import Clip
from rendering.services.clips import Drawing, clips_plan

# Which state may follow which. A paused study returns to what the pause interrupted: see `study_next_states`.
TRANSITIONS: dict[str, set[str]] = {
    StudyState.DRAFT: {StudyState.PILOT, StudyState.LIVE},
    StudyState.PILOT: {StudyState.DRAFT, StudyState.LIVE, StudyState.PAUSED, StudyState.CLOSED},
    StudyState.LIVE: {StudyState.PAUSED, StudyState.CLOSED},
    StudyState.PAUSED: {StudyState.PILOT, StudyState.LIVE, StudyState.CLOSED},
    StudyState.CLOSED: set(),
}
# What stands in the console's addresses where else a study's code stands.
RESERVED_CODES = frozenset({"new"})


@transaction.atomic
def study_create(*, code: str, title: str, rubric: Rubric, created_by: User, **settings: Any) -> Study:
    """ValidationError names the settings that cannot be."""
    study = Study(code=code, title=title, rubric=rubric, created_by=created_by, **settings)
    if code in RESERVED_CODES:
        raise ValidationError({"code": f"Expected a code other than {code}: the console uses it."})
    study.full_clean()
    study.save()
    audit_record(actor=actor_for_user(created_by), action="study.created", subject=study)
    return study


@transaction.atomic
def study_add_samples(*, study: Study, samples: Iterable[Sample], actor: str) -> None:
    """Adding a sample twice changes nothing."""
    places = [StudySample(study=study, sample=sample) for sample in samples]
    StudySample.objects.bulk_create(places, ignore_conflicts=True, batch_size=500)
    audit_record(actor=actor, action="study.samples_added", subject=study, details={"samples": len(places)})


def study_next_states(study: Study) -> set[str]:
    """A study that was live never pilots again, and so no pause turns its raters' seats into a pilot's."""
    allowed = TRANSITIONS[study.state]
    return allowed - {StudyState.PILOT} if study.went_live_at else allowed


@transaction.atomic
def study_transition(*, study: Study, state: StudyState, actor: str, details: Mapping[str, Any] | None = None) -> Study:
    """Going live for the first time accepts the pilot: its HITs take nobody new. `details` go into the audit log."""
    row = Study.objects.select_for_update().get(pk=study.pk)
    possible = study_next_states(row)
    if state not in possible:
        allowed = ", ".join(sorted(possible)) or "nothing: it is final"
        raise AnnotationError(f"A study that is {row.state} cannot become {state}; possible: {allowed}.")
    before, row.state = row.state, state
    if StudyState.LIVE in (before, state) and row.went_live_at is None:
        row.went_live_at = timezone.now()
        _pilot_close(row, actor=actor)
    row.save(update_fields=["state", "went_live_at"])
    audit_record(actor=actor, action=f"study.{state}", subject=row, details={"before": before, **(details or {})})
    return row


def _pilot_close(study: Study, *, actor: str) -> None:
    """Ratings that come now are to count: nobody new is led into HITs whose ratings are left out of the labels."""
    pilots = study.batches.select_for_update().filter(kind=BatchKind.PILOT, state=BatchState.PUBLISHED)
    for batch in pilots:
        batch.state = BatchState.CLOSED
        batch.save(update_fields=["state"])
        audit_record(actor=actor, action="batch.closed", subject=batch, details={"why": "the study went live"})


def study_drawing(study: Study) -> Drawing:
    return Drawing(look=study.look, view=study.view, pixels=study.pixels, backend=study.backend)


def study_plan_clips(*, study: Study, actor: str, priority: int = 0) -> Sequence[Clip]:
    """Plan what raters will see of every sample of the study."""
    return clips_plan(motions=list(study_motions(study)), drawing=study_drawing(study), actor=actor, priority=priority)
