from collections.abc import Mapping

from django.db import transaction

from annotation.errors import AnnotationError
from annotation.models import (
    BatchState,
    Criterion,
    Gold,
    GoldAnswer,
    GoldCounting,
    Sample,
    Scale,
    Study,
    StudyState,
)
from config.audit.services import audit_record

MOST_PER_HIT = 50


@transaction.atomic
def gold_set(
    *,
    study: Study,
    sample: Sample,
    answers: Mapping[str, int],
    tolerance: int | Mapping[str, int] | None = None,
    reason: str = "",
    actor: str,
) -> Gold:
    """Make a sample gold, with the right answer on every asked criterion; gold that was taken out comes back.

    Without a tolerance an answer may be one option off, and on a yes or no question none: it could not fail else.
    """
    criteria = {criterion.code: criterion for criterion in study.rubric.criteria.filter(formula="")}
    _refuse_other_answers(study, sample, criteria, answers)
    tolerances = {code: _tolerance(criterion, tolerance) for code, criterion in criteria.items()}
    for code, criterion in criteria.items():
        _refuse_answer(sample, criterion, answers[code], tolerances[code])
    gold, _ = Gold.objects.update_or_create(
        study=study, sample=sample, defaults={"is_active": True, "reason": reason, "inactive_reason": ""}
    )
    gold.answers.all().delete()
    GoldAnswer.objects.bulk_create(
        GoldAnswer(gold=gold, criterion=criterion, value=answers[code], tolerance=tolerances[code])
        for code, criterion in criteria.items()
    )
    details = {"answers": dict(answers), "tolerance": tolerances, "reason": reason}
    audit_record(actor=actor, action="gold.set", subject=gold, details=details)
    return gold


def _refuse_other_answers(
    study: Study, sample: Sample, criteria: Mapping[str, Criterion], answers: Mapping[str, int]
) -> None:
    if missing := criteria.keys() - answers.keys():
        raise AnnotationError(f"Gold {sample.code}: no right answer for {', '.join(sorted(missing))}.")
    if unknown := answers.keys() - criteria.keys():
        raise AnnotationError(f"Gold {sample.code}: {', '.join(sorted(unknown))} is not asked by {study.rubric}.")
    if not study.places.filter(sample=sample).exists():
        raise AnnotationError(f"Gold {sample.code}: not a sample of study {study.code}. Add it to the study first.")


def _refuse_answer(sample: Sample, criterion: Criterion, value: int, tolerance: int) -> None:
    options = sorted(criterion.options.values_list("value", flat=True))
    if value not in options:
        found = f"expected one of {', '.join(map(str, options))}, found {value}"
        raise AnnotationError(f"Gold {sample.code}, {criterion.code}: {found}.")
    if tolerance < 0:
        raise AnnotationError(f"Gold {sample.code}, {criterion.code}: a tolerance is 0 or more, found {tolerance}.")
    if max(abs(option - value) for option in options) <= tolerance:
        words = f"with {value} ± {tolerance} every answer passes: choose a smaller tolerance"
        raise AnnotationError(f"Gold {sample.code}, {criterion.code}: {words}.")


def _tolerance(criterion: Criterion, given: int | Mapping[str, int] | None) -> int:
    if isinstance(given, int):
        return given
    return (given or {}).get(criterion.code, default_tolerance(criterion))


def default_tolerance(criterion: Criterion) -> int:
    return 0 if criterion.scale == Scale.BINARY else 1


@transaction.atomic
def gold_deactivate(*, gold: Gold, reason: str, actor: str) -> Gold:
    """Raters meet it no more; who was judged by it stays judged. Never fewer than what open HITs draw."""
    if not reason.strip():
        raise AnnotationError("Say why this gold is taken out: it stands in the audit log and on the page.")
    study = Study.objects.select_for_update().get(pk=gold.study_id)
    row = Gold.objects.select_for_update().get(pk=gold.pk)
    if not row.is_active:
        return row
    _refuse_too_little_left(study)
    row.is_active, row.inactive_reason = False, reason.strip()
    row.save(update_fields=["is_active", "inactive_reason"])
    audit_record(actor=actor, action="gold.deactivated", subject=row, details={"reason": row.inactive_reason})
    return row


def _refuse_too_little_left(study: Study) -> None:
    if study.state == StudyState.CLOSED:
        return
    left = study.gold.filter(is_active=True).count() - 1
    for batch in study.batches.filter(state=BatchState.PUBLISHED).select_related("study"):
        if left < batch.terms.gold_per_hit:
            raise AnnotationError(
                f"Each HIT of batch {batch.number} draws {batch.terms.gold_per_hit} gold, and {left} would be left. "
                "Add other gold first, then take this one out."
            )


@transaction.atomic
def gold_rule_set(
    *, study: Study, gold_per_hit: int, failures_allowed: int, counting: GoldCounting, actor: str
) -> Study:
    """The rule for batches that are yet to be made; those that there are keep theirs."""
    row = Study.objects.select_for_update().get(pk=study.pk)
    if row.state == StudyState.CLOSED:
        raise AnnotationError("This study is closed: what its raters were judged by is settled.")
    if min(gold_per_hit, failures_allowed) < 0:
        raise AnnotationError("Expected 0 or more, for gold in a HIT and for failures.")
    if gold_per_hit > MOST_PER_HIT:
        raise AnnotationError(f"Expected at most {MOST_PER_HIT} gold in a HIT, found {gold_per_hit}.")
    if gold_per_hit and failures_allowed >= gold_per_hit:
        raise AnnotationError(
            f"With {gold_per_hit} gold in a HIT at most {gold_per_hit - 1} failures can be allowed, "
            f"found {failures_allowed}: else nobody could fail."
        )
    before = {name: getattr(row, name) for name in ("gold_per_hit", "gold_failures_allowed", "gold_counting")}
    row.gold_per_hit, row.gold_failures_allowed, row.gold_counting = gold_per_hit, failures_allowed, counting
    row.save(update_fields=list(before))
    after = {name: getattr(row, name) for name in before}
    audit_record(actor=actor, action="study.gold_rule_set", subject=row, details={"before": before, "after": after})
    return row
