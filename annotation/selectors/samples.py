"""A study's samples: filtered, sorted and paged by the database."""

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
    samples = (
        Sample.objects.filter(places__study=study, places__is_active=True)
        .select_related("prompt", "generator", "motion")
        .annotate(
            length=F("motion__frames") / F("motion__fps"),
            given=Count(
                "items__ratings",
                filter=Q(items__gold__isnull=True, items__enrolment__study=study)
                & Q(items__assignment__use_data__in=[Decision.OPEN, Decision.YES]),
                distinct=True,
            ),
            gold_rows=Count("gold", filter=Q(gold__study=study, gold__is_active=True), distinct=True),
        )
    )
    if query.generator:
        samples = samples.filter(generator__name=query.generator)
    if query.text:
        samples = samples.filter(prompt__text__icontains=query.text)
    first, *rest = SORTS[query.sort]
    page: Page[Any] = Paginator(
        samples.order_by(f"-{first}" if query.descending else first, *rest), PAGE_SIZE
    ).get_page(query.page)
    clips = {clip.motion_id: clip for clip in study_clips(study).filter(motion__in=[row.motion_id for row in page])}
    rows = tuple(
        SampleRow(sample, clips.get(sample.motion_id), sample.length, sample.given, bool(sample.gold_rows))
        for sample in page
    )
    generators = Generator.objects.filter(samples__places__study=study).distinct().values_list("name", flat=True)
    return SampleTable(rows, page, query, tuple(generators.order_by("name")))
