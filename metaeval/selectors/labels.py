"""A frozen label set, sample by sample."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import OuterRef, QuerySet, Subquery

from annotation.models import Criterion, Label, LabelSet, Sample

PAGE_SIZE = 12


@dataclass(frozen=True)
class LabelledSample:
    sample: Sample
    values: tuple[float | None, ...]


@dataclass(frozen=True)
class LabelTable:
    criteria: tuple[str, ...]
    rows: tuple[LabelledSample, ...]
    page: Page[Any]


def label_table(label_set: LabelSet, *, page: str = "1") -> LabelTable:
    """A page of the set's samples, those that people like least on the first criterion on top."""
    criteria = list(Criterion.objects.filter(labels__label_set=label_set).distinct().order_by("position"))
    found: Page[Any] = Paginator(_samples(label_set, criteria), PAGE_SIZE).get_page(page)
    labels = {
        (sample, criterion): value
        for sample, criterion, value in Label.objects.filter(
            label_set=label_set, sample__in=[sample.pk for sample in found]
        ).values_list("sample", "criterion", "value")
    }
    rows = tuple(
        LabelledSample(sample, tuple(labels.get((sample.pk, criterion.pk)) for criterion in criteria))
        for sample in found
    )
    return LabelTable(tuple(criterion.code for criterion in criteria), rows, found)


def _samples(label_set: LabelSet, criteria: list[Criterion]) -> QuerySet[Sample]:
    first = Label.objects.filter(
        label_set=label_set, sample=OuterRef("pk"), criterion=criteria[0] if criteria else None
    )
    samples = Sample.objects.filter(labels__label_set=label_set).distinct().select_related("prompt", "generator")
    return samples.annotate(worth=Subquery(first.values("value")[:1])).order_by("worth", "pk")
