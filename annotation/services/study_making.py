"""Making a study: from nothing, or from another one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.models import Gold, GoldAnswer, Study, StudySample
from annotation.rubric_presets import RubricText
from annotation.services.rubrics import rubric_ensure
from annotation.services.studies import study_create
from annotation.services.study_settings import SETTINGS, settings_check
from config.audit.services import actor_for_user, audit_record


@transaction.atomic
def study_make(*, code: str, title: str, rubric: RubricText, created_by: User, settings: Mapping[str, Any]) -> Study:
    """A draft with its rubric; ValidationError by field, also for what the database alone would let through."""
    if unknown := settings.keys() - set(SETTINGS):
        raise ValidationError(f"There is no setting called {', '.join(sorted(unknown))}.")
    settings_check(Study(code=code, title=title, **settings))
    stored = rubric_ensure(text=rubric, actor=actor_for_user(created_by))
    return study_create(code=code, title=title, rubric=stored, created_by=created_by, **settings)


@dataclass(frozen=True)
class Cloned:
    study: Study
    samples: int
    gold: int


@transaction.atomic
def study_clone(
    *, study: Study, code: str, title: str, created_by: User, samples: bool = True, gold: bool = True
) -> Cloned:
    """The settings and the rubric, and if wanted samples and gold. Never raters, seats or ratings; its salt is new,
    so that nobody can tell who rated in both."""
    settings = {name: getattr(study, name) for name in SETTINGS if name != "title"}
    clone = study_create(code=code, title=title, rubric=study.rubric, created_by=created_by, **settings)
    placed = _samples_copy(study, clone) if samples else 0
    golden = _gold_copy(study, clone) if gold else 0
    audit_record(
        actor=actor_for_user(created_by),
        action="study.cloned",
        subject=clone,
        details={"from": study.code, "samples": placed, "gold": golden},
    )
    return Cloned(clone, placed, golden)


def _samples_copy(study: Study, clone: Study) -> int:
    """In the same order, which HITs are drawn from; those that were taken out stay out."""
    active = study.places.filter(is_active=True).order_by("pk").values_list("sample_id", flat=True)
    places = StudySample.objects.bulk_create(
        (StudySample(study=clone, sample_id=sample) for sample in active), batch_size=500
    )
    return len(places)


def _gold_copy(study: Study, clone: Study) -> int:
    rows = list(study.gold.filter(is_active=True).order_by("pk").prefetch_related("answers"))
    copies = Gold.objects.bulk_create(
        (Gold(study=clone, sample_id=row.sample_id, reason=row.reason) for row in rows), batch_size=500
    )
    GoldAnswer.objects.bulk_create(
        (
            GoldAnswer(gold=copy, criterion_id=answer.criterion_id, value=answer.value, tolerance=answer.tolerance)
            for row, copy in zip(rows, copies, strict=True)
            for answer in row.answers.all()
        ),
        batch_size=500,
    )
    return len(copies)
