"""Freezing labels: what people say of each sample, after quality control, never to be changed.

The accepted ratings are written to a file beside the label set, so that an analysis can be run on exactly these
tomorrow, when more have come in. A rater who withdraws takes that file along: see `rater_withdraw`.
"""

import csv
import hashlib
import io
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
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
from config.files import store_bytes


@dataclass(frozen=True)
class AcceptedRating:
    """One accepted answer in long form, as `python -m metaeval analyse` reads it."""

    sample: str
    prompt: str
    generator: str
    rater: str
    criterion: str
    value: int


# (sample, criterion) -> the values that raters gave
Values = Mapping[tuple[str, str], Sequence[int]]


@transaction.atomic
def label_set_freeze(*, study: Study, aggregation: str = "mean", actor: str) -> LabelSet:
    """Aggregate the accepted ratings of the study into a new frozen label set."""
    if aggregation != "mean":
        raise AnnotationError(f"aggregation: expected mean, found {aggregation!r}.")
    accepted, counts = accepted_ratings(study)
    ratings = _with_derived(_long_form(accepted), study)
    if not ratings:
        raise AnnotationError(f"Study {study.code} has no accepted ratings to make labels of.")
    values = _values(ratings)
    number = (study.label_sets.aggregate(number=Max("number"))["number"] or 0) + 1
    content = _as_csv(ratings)
    digest = hashlib.sha256(content).hexdigest()
    file = f"labels/{study.pk}/{number}-{digest[:16]}.csv"
    store_bytes(content, file)
    label_set = LabelSet.objects.create(
        study=study,
        number=number,
        aggregation=aggregation,
        filters={"occasion": 1, "use_data": "yes", "batch": "main", "gold": False},
        counts=counts | {"labels": len(values)},
        code_version=settings.VERSION,
        created_by=actor,
        ratings_file=file,
        ratings_hash=digest,
    )
    _labels_create(label_set, values)
    label_set.content_hash, label_set.frozen_at = labels_hash(values), timezone.now()
    label_set.save(update_fields=["content_hash", "frozen_at"])
    audit_record(actor=actor, action="label_set.frozen", subject=label_set, details=label_set.counts)
    return label_set


def _labels_create(label_set: LabelSet, values: Values) -> None:
    criteria = {criterion.code: criterion for criterion in label_set.study.rubric.criteria.all()}
    samples = Sample.objects.only("code").in_bulk({sample for sample, _ in values}, field_name="code")
    Label.objects.bulk_create(
        (
            Label(
                label_set=label_set,
                sample=samples[sample],
                criterion=criteria[code],
                value=fmean(given),
                ratings=len(given),
            )
            for (sample, code), given in sorted(values.items())
        ),
        batch_size=500,
    )


def labels_hash(values: Values) -> str:
    """The same labels give the same hash, whatever their order or primary keys."""
    lines = sorted(json.dumps([sample, code, fmean(given), len(given)]) for (sample, code), given in values.items())
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def accepted_ratings(study: Study) -> tuple[QuerySet[Rating], dict[str, int]]:
    """The ratings that count, and how many are left at each step."""
    ratings = Rating.objects.filter(item__assignment__seat__hit__batch__study=study)
    steps = {
        "collected": ratings,
        "submitted": ratings.filter(item__assignment__state=AssignmentState.SUBMITTED),
    }
    # A sample that became gold after it was rated is gold all the same.
    steps["not_gold"] = steps["submitted"].exclude(item__sample__in=study.gold.values("sample"))
    steps["main_batches"] = steps["not_gold"].filter(item__assignment__seat__hit__batch__kind=BatchKind.MAIN)
    steps["accepted"] = steps["main_batches"].filter(item__assignment__use_data=Decision.YES, item__occasion=1)
    steps["this_rubric"] = steps["accepted"].filter(criterion__rubric=study.rubric_id)
    return steps["this_rubric"], {name: query.count() for name, query in steps.items()}


def _long_form(ratings: QuerySet[Rating]) -> list[AcceptedRating]:
    rows = ratings.values_list(
        "item__sample__code",
        "item__sample__prompt__code",
        "item__sample__generator__name",
        "item__enrolment__pseudonym",
        "criterion__code",
        "value",
    )
    return [AcceptedRating(*row) for row in rows]


def _with_derived(ratings: Iterable[AcceptedRating], study: Study) -> list[AcceptedRating]:
    """Derived criteria are computed per rater first, and aggregated like the others."""
    formulas = dict(Criterion.objects.filter(rubric=study.rubric_id).exclude(formula="").values_list("code", "formula"))
    by_item: dict[tuple[str, str], list[AcceptedRating]] = defaultdict(list)
    for rating in ratings:
        by_item[rating.sample, rating.rater].append(rating)
    found = [rating for given in by_item.values() for rating in given]
    for given in by_item.values():
        answers = {rating.criterion: rating.value for rating in given}
        for code, formula in formulas.items():
            value = evaluate_formula(formula, answers)
            if value is not None:
                found.append(replace(given[0], criterion=code, value=value))
    return sorted(found, key=astuple)


def _values(ratings: Iterable[AcceptedRating]) -> Values:
    values: dict[tuple[str, str], list[int]] = defaultdict(list)
    for rating in ratings:
        values[rating.sample, rating.criterion].append(rating.value)
    return values


def _as_csv(ratings: Iterable[AcceptedRating]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(field.name for field in fields(AcceptedRating))
    writer.writerows(astuple(rating) for rating in ratings)
    return text.getvalue().encode()
