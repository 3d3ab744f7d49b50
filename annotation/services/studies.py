from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from annotation.errors import AnnotationError
from annotation.models import Rubric, Sample, Study, StudySample, StudyState
from annotation.selectors.shown import study_motions
from config.audit.services import actor_for_user, audit_record
from rendering.models import Clip
from rendering.services.clips import Drawing, clips_plan

# Which state may follow which.
TRANSITIONS: dict[str, set[str]] = {
    StudyState.DRAFT: {StudyState.PILOT, StudyState.LIVE},
    StudyState.PILOT: {StudyState.DRAFT, StudyState.LIVE, StudyState.PAUSED, StudyState.CLOSED},
    StudyState.LIVE: {StudyState.PAUSED, StudyState.CLOSED},
    StudyState.PAUSED: {StudyState.LIVE, StudyState.CLOSED},
    StudyState.CLOSED: set(),
}


@transaction.atomic
def study_create(*, code: str, title: str, rubric: Rubric, created_by: User, **settings: Any) -> Study:
    study = Study(code=code, title=title, rubric=rubric, created_by=created_by, **settings)
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


@transaction.atomic
def study_transition(*, study: Study, state: StudyState, actor: str) -> Study:
    row = Study.objects.select_for_update().get(pk=study.pk)
    if state not in TRANSITIONS[row.state]:
        allowed = ", ".join(sorted(TRANSITIONS[row.state])) or "nothing: it is final"
        raise AnnotationError(f"A study that is {row.state} cannot become {state}; possible: {allowed}.")
    before, row.state = row.state, state
    row.save(update_fields=["state"])
    audit_record(actor=actor, action=f"study.{state}", subject=row, details={"before": before})
    return row


def study_drawing(study: Study) -> Drawing:
    return Drawing(look=study.look, view=study.view, pixels=study.pixels, backend=study.backend)


def study_plan_clips(*, study: Study, actor: str, priority: int = 0) -> Sequence[Clip]:
    """Plan what raters will see of every sample of the study."""
    return clips_plan(motions=list(study_motions(study)), drawing=study_drawing(study), actor=actor, priority=priority)
