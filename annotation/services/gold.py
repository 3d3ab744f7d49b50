from collections.abc import Mapping

from django.db import transaction

from annotation.errors import AnnotationError
from annotation.models import Gold, GoldAnswer, Sample, Study
from config.audit.services import audit_record


@transaction.atomic
def gold_set(
    *, study: Study, sample: Sample, answers: Mapping[str, int], tolerance: int = 1, reason: str = "", actor: str
) -> Gold:
    """Make a sample gold, with the right answer on every asked criterion."""
    criteria = {criterion.code: criterion for criterion in study.rubric.criteria.filter(formula="")}
    if missing := criteria.keys() - answers.keys():
        raise AnnotationError(f"Gold {sample.code}: no right answer for {', '.join(sorted(missing))}.")
    if unknown := answers.keys() - criteria.keys():
        raise AnnotationError(f"Gold {sample.code}: {', '.join(sorted(unknown))} is not asked by {study.rubric}.")
    gold, _ = Gold.objects.update_or_create(study=study, sample=sample, defaults={"is_active": True, "reason": reason})
    gold.answers.all().delete()
    GoldAnswer.objects.bulk_create(
        GoldAnswer(gold=gold, criterion=criteria[code], value=value, tolerance=tolerance)
        for code, value in answers.items()
    )
    audit_record(actor=actor, action="gold.set", subject=gold, details={"answers": dict(answers)})
    return gold
