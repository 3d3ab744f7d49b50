"""Freezing labels: what people say of each sample, after quality control, never to be changed."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping
from statistics import fmean

from django.conf import settings
from django.db import transaction
from django.db.models import Max, QuerySet
from django.utils import timezone

from annotation.errors import AnnotationError
from annotation.models import (
    AssignmentState,
    BatchKind,
    Criterion,
    Decision,
    Label,
    LabelSet,
    Rating,
    Sample,
    Study,
)
from annotation.qc import evaluate_formula
from config.audit.services import audit_record

# (sample, criterion) -> the values that raters gave
Values = dict[tuple[int, str], list[int]]


@transaction.atomic
def label_set_freeze(*, study: Study, aggregation: str = "mean", actor: str) -> LabelSet:
    """Aggregate the accepted ratings of the study into a new frozen label set."""
    if aggregation != "mean":
        raise AnnotationError(f"aggregation: expected mean, found {aggregation!r}.")
    ratings, counts = accepted_ratings(study)
    values = _values(ratings, study)
    if not values:
        raise AnnotationError(f"Study {study.code} has no accepted ratings to make labels of.")
    number = (study.label_sets.aggregate(number=Max("number"))["number"] or 0) + 1
    label_set = LabelSet.objects.create(
        study=study,
        number=number,
        aggregation=aggregation,
        filters={"occasion": 1, "use_data": "yes", "batch": "main", "gold": False},
        counts=counts | {"labels": len(values)},
        code_version=settings.VERSION,
        created_by=actor,
    )
    criteria = {criterion.code: criterion for criterion in study.rubric.criteria.all()}
    labels = [
        Label(
            label_set=label_set,
            sample_id=sample,
            criterion=criteria[code],
            value=fmean(given),
            ratings=len(given),
        )
        for (sample, code), given in sorted(values.items())
    ]
    Label.objects.bulk_create(labels, batch_size=500)
    label_set.content_hash = labels_hash(values, _sample_codes(values))
    label_set.frozen_at = timezone.now()
    label_set.save(update_fields=["content_hash", "frozen_at"])
    audit_record(actor=actor, action="label_set.frozen", subject=label_set, details=label_set.counts)
    return label_set


def labels_hash(values: Values, samples: Mapping[int, str]) -> str:
    """The same labels give the same hash, whatever their order or primary keys."""
    lines = sorted(
        json.dumps([samples[sample], code, fmean(given), len(given)]) for (sample, code), given in values.items()
    )
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def label_set_is_current(label_set: LabelSet) -> bool:
    """Whether the ratings accepted today still give exactly these labels."""
    ratings, _ = accepted_ratings(label_set.study)
    values = _values(ratings, label_set.study)
    return labels_hash(values, _sample_codes(values)) == label_set.content_hash


def _sample_codes(values: Values) -> dict[int, str]:
    return dict(Sample.objects.filter(pk__in={sample for sample, _ in values}).values_list("pk", "code"))


def accepted_ratings(study: Study) -> tuple[QuerySet[Rating], dict[str, int]]:
    """The ratings that count, and how many are left at each step."""
    ratings = Rating.objects.filter(item__assignment__seat__hit__batch__study=study)
    steps = {
        "collected": ratings,
        "submitted": ratings.filter(item__assignment__state=AssignmentState.SUBMITTED),
    }
    steps["not_gold"] = steps["submitted"].filter(item__gold__isnull=True)
    steps["main_batches"] = steps["not_gold"].filter(item__assignment__seat__hit__batch__kind=BatchKind.MAIN)
    steps["accepted"] = steps["main_batches"].filter(item__assignment__use_data=Decision.YES, item__occasion=1)
    steps["this_rubric"] = steps["accepted"].filter(criterion__rubric=study.rubric_id)
    return steps["this_rubric"], {name: query.count() for name, query in steps.items()}


def _values(ratings: QuerySet[Rating], study: Study) -> Values:
    """What was given on each criterion; derived criteria are computed per rater first, then aggregated."""
    by_item: dict[tuple[int, int], dict[str, int]] = defaultdict(dict)
    for item, sample, code, value in ratings.values_list("item_id", "item__sample_id", "criterion__code", "value"):
        by_item[item, sample][code] = value
    derived = list(Criterion.objects.filter(rubric=study.rubric_id).exclude(formula=""))
    values: Values = defaultdict(list)
    for (_, sample), answers in by_item.items():
        for code, value in answers.items():
            values[sample, code].append(value)
        for criterion in derived:
            result = evaluate_formula(criterion.formula, answers)
            if result is not None:
                values[sample, criterion.code].append(result)
    return values
