"""Tables that leave the platform, row by row from the database. Raters are in them by pseudonym."""

from collections.abc import Collection, Iterator
from typing import Any

from django.db.models import BooleanField, Case, F, QuerySet, TextField, Value, When
from django.db.models.functions import Cast, Concat

from annotation.models import AssignmentState, BatchKind, Decision, Label, Prompt, Rating, Sample
from config.bulk.writing import Column, Kind, Table

# Rows that the database hands over at a time; on PostgreSQL from a server-side cursor.
FETCHED = 2000
# What the export of ratings leaves out unless it is asked for.
INCLUDES = ("gold", "left_out", "unfinished", "pilot", "old_rubrics")

_PROMPT = (
    Column("code", Kind.NAME),
    Column("text", Kind.TEXT),
    Column("corpus", Kind.TEXT),
    Column("category", Kind.TEXT),
    Column("subtype", Kind.TEXT),
)

# The first seven are what `python -m metaeval analyse` reads.
_RATING = {
    Column("sample", Kind.NAME): F("item__sample__code"),
    Column("prompt", Kind.NAME): F("item__sample__prompt__code"),
    Column("generator", Kind.NAME): F("item__sample__generator__name"),
    Column("rater", Kind.NAME): F("item__enrolment__pseudonym"),
    Column("criterion", Kind.NAME): F("criterion__code"),
    Column("value"): F("value"),
    Column("occasion"): F("item__occasion"),
    Column("shown_at"): F("shown_at"),
    Column("answered_at"): F("answered_at"),
    Column("clip_key", Kind.NAME): F("clip_key"),
    Column("rubric", Kind.TEXT): Concat(
        "criterion__rubric__name",
        Value(" v"),
        Cast("criterion__rubric__version", TextField()),
        output_field=TextField(),
    ),
    Column("use_data", Kind.NAME): F("item__assignment__use_data"),
    Column("is_gold"): Case(
        When(item__gold__isnull=False, then=Value(True)), default=Value(False), output_field=BooleanField()
    ),
    Column("state", Kind.NAME): F("item__assignment__state"),
}

RATING_COLUMNS = tuple(column.name for column in _RATING)

_SAMPLE = {
    Column("sample", Kind.NAME): F("code"),
    Column("prompt", Kind.NAME): F("prompt__code"),
    Column("generator", Kind.NAME): F("generator__name"),
    Column("motion", Kind.NAME): F("motion__content_hash"),
    Column("frames"): F("motion__frames"),
    Column("fps"): F("motion__fps"),
    Column("text", Kind.TEXT): F("prompt__text"),
}

_LABEL = {
    Column("sample", Kind.NAME): F("sample__code"),
    Column("prompt", Kind.NAME): F("sample__prompt__code"),
    Column("generator", Kind.NAME): F("sample__generator__name"),
    Column("criterion", Kind.NAME): F("criterion__code"),
    Column("value"): F("value"),
    Column("ratings"): F("ratings"),
}


def _rows(queryset: QuerySet[Any], values: Collection[Any]) -> Iterator[tuple[Any, ...]]:
    return queryset.values_list(*values).iterator(chunk_size=FETCHED)


def prompt_export(*, prompts: QuerySet[Prompt]) -> Table:
    return Table(_PROMPT, _rows(prompts, [column.name for column in _PROMPT]))


def sample_export(*, samples: QuerySet[Sample]) -> Table:
    return Table(tuple(_SAMPLE), _rows(samples, _SAMPLE.values()))


def rating_export(*, ratings: QuerySet[Rating], include: Collection[str] = ()) -> Table:
    """By default what may be analysed together: submitted, not left out by quality control, not gold, not of the pilot,
    and answers to what the study asks now."""
    if "gold" not in include:
        ratings = ratings.filter(item__gold__isnull=True)
    if "left_out" not in include:
        ratings = ratings.exclude(item__assignment__use_data=Decision.NO)
    if "unfinished" not in include:
        ratings = ratings.filter(item__assignment__state=AssignmentState.SUBMITTED)
    if "pilot" not in include:
        ratings = ratings.filter(item__assignment__seat__hit__batch__kind=BatchKind.MAIN)
    if "old_rubrics" not in include:
        ratings = ratings.filter(criterion__rubric=F("item__enrolment__study__rubric"))
    return Table(tuple(_RATING), _rows(ratings, _RATING.values()))


def label_export(*, labels: QuerySet[Label]) -> Table:
    return Table(tuple(_LABEL), _rows(labels, _LABEL.values()))
