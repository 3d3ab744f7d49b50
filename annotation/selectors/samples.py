"""A study's samples: filtered, sorted and paged by the database."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page, Paginator
from django.db.models import Count, F, Q

from annotation.models import Decision, Generator, Sample, Study
from annotation.selectors.clips import study_clips
from rendering.models import Clip

PAGE_SIZE = 20

# What a person may sort by, and the columns behind it.
SORTS = {
    "prompt": ("prompt__text", "generator__name"),
    "generator": ("generator__name", "prompt__text"),
    "seconds": ("length", "pk"),
    "ratings": ("given", "pk"),
}
LABELS = {"prompt": "Prompt", "generator": "Generator", "seconds": "Seconds", "ratings": "Ratings"}
NUMBERS = {"seconds", "ratings"}


@dataclass(frozen=True)
class SampleQuery:
    """What the person asks for, already made safe: an unknown sort is the first one."""

    generator: str = ""
    text: str = ""
    sort: str = "prompt"
    descending: bool = False
    page: str = "1"

    @classmethod
    def read(cls, values: "dict[str, str]") -> "SampleQuery":
        asked = values.get("sort", "")
        name = asked.removeprefix("-")
        return cls(
            generator=values.get("generator", ""),
            text=values.get("text", "").strip()[:200],
            sort=name if name in SORTS else "prompt",
            descending=asked.startswith("-") and name in SORTS,
            page=values.get("page", "1"),
        )

    def encoded(self, *, sort: str) -> str:
        """This query with another order, from its first page."""
        asked = {"text": self.text, "generator": self.generator, "sort": sort}
        return urlencode({name: value for name, value in asked.items() if value})

    @property
    def sort_word(self) -> str:
        return f"-{self.sort}" if self.descending else self.sort


@dataclass(frozen=True)
class Column:
    """A head that sorts; `order` is empty unless the table is sorted by it, then a second click turns it round."""

    label: str
    order: str
    query: str
    is_number: bool


@dataclass(frozen=True)
class SampleRow:
    sample: Sample
    clip: Clip | None
    seconds: float
    ratings: int
    is_gold: bool


@dataclass(frozen=True)
class SampleTable:
    rows: tuple[SampleRow, ...]
    page: Page[Any]
    query: SampleQuery
    generators: tuple[str, ...]

    @property
    def page_query(self) -> str:
        return self.query.encoded(sort=self.query.sort_word) + "&"

    @property
    def columns(self) -> list[Column]:
        return [_column(name, self.query) for name in SORTS]


def _column(name: str, query: SampleQuery) -> Column:
    order = ("descending" if query.descending else "ascending") if name == query.sort else ""
    turned = f"-{name}" if order == "ascending" else name
    return Column(LABELS[name], order, query.encoded(sort=turned), name in NUMBERS)


def study_samples(study: Study, query: SampleQuery) -> SampleTable:
    """A page of samples. What is counted is counted for the page alone, unless the order needs it for all."""
    samples = (
        Sample.objects.filter(places__study=study, places__is_active=True)
        .select_related("prompt", "generator", "motion")
        .annotate(length=F("motion__frames") / F("motion__fps"))
    )
    if query.generator:
        samples = samples.filter(generator__name=query.generator)
    if query.text:
        samples = samples.filter(prompt__text__icontains=query.text)
    if query.sort == "ratings":
        samples = samples.annotate(given=_given(study))
    first, *rest = SORTS[query.sort]
    ordered = samples.order_by(f"-{first}" if query.descending else first, *rest)
    page: Page[Any] = Paginator(ordered, PAGE_SIZE).get_page(query.page)
    generators = Generator.objects.filter(samples__places__study=study).distinct().order_by("name")
    return SampleTable(_rows(study, list(page)), page, query, tuple(generators.values_list("name", flat=True)))


def _given(study: Study) -> Count:
    """Ratings that count or still may."""
    counted = Q(items__gold__isnull=True, items__enrolment__study=study)
    kept = Q(items__assignment__use_data__in=[Decision.OPEN, Decision.YES])
    return Count("items__ratings", filter=counted & kept, distinct=True)


def _rows(study: Study, samples: Sequence[Any]) -> tuple[SampleRow, ...]:
    shown = Sample.objects.filter(pk__in=[sample.pk for sample in samples])
    given = dict(shown.annotate(given=_given(study)).values_list("pk", "given"))
    gold = set(study.gold.filter(sample__in=given, is_active=True).values_list("sample", flat=True))
    clips = {clip.motion_id: clip for clip in study_clips(study).filter(motion__samples__in=given).order_by("id")}
    return tuple(
        SampleRow(sample, clips.get(sample.motion_id), sample.length, given[sample.pk], sample.pk in gold)
        for sample in samples
    )
