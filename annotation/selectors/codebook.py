"""The codebook: what every column of the export of ratings means, and every question and answer that stands in it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Count, Q

from annotation.models import Criterion, Option, Rubric, Study
from annotation.selectors.exports import RATING_COLUMNS
from config.bulk.writing import Column, Kind, Table

# Column of the export -> type, and what it says. A test holds it against the export.
FIELDS: Final[dict[str, tuple[str, str]]] = {
    "sample": ("text", "The sample that was shown: one prompt, one generator, one motion."),
    "prompt": ("text", "The code of the prompt, the text description that raters read."),
    "generator": ("text", "What made the motion: a model, or the reference. Raters never see it."),
    "rater": ("text", "A pseudonym, salted for this study: the same person has another one in another study."),
    "criterion": ("text", "The question that was answered; see the criteria below."),
    "value": ("whole number", "The answer: one of the values of the criterion's options."),
    "occasion": ("whole number", "1 for the first time this rater saw the sample, 2 and up for a retest."),
    "shown_at": ("time, UTC", "When the server first showed the item."),
    "answered_at": ("time, UTC", "When the answer, or its last revision, arrived."),
    "clip_key": ("text", "The key of the clip that was shown: motion, look, view, size, backend and its version."),
    "rubric": ("text", "The rubric and its version. Answers to different versions are not to be mixed."),
    "use_data": ("open, yes or no", "Whether quality control lets the assignment's data be used."),
    "is_gold": ("true or false", "Whether the item was gold. Gold is left out unless it is asked for."),
    "state": ("text", "The assignment: active, submitted, expired, released or withdrawn."),
}

_COLUMNS: Final = (
    Column("part", Kind.NAME),
    Column("rubric", Kind.TEXT),
    Column("criterion", Kind.NAME),
    Column("name", Kind.NAME),
    Column("value"),
    Column("type", Kind.TEXT),
    Column("text", Kind.TEXT),
    Column("help", Kind.TEXT),
)


@dataclass(frozen=True)
class RubricUse:
    """A version of the rubric in a study."""

    rubric: Rubric
    ratings: int
    is_current: bool


def study_rubrics(study: Study) -> list[RubricUse]:
    """What the study asks now and every version that it has ratings of, the current one first."""
    used = Q(criteria__ratings__item__enrolment__study=study)
    found = (
        Rubric.objects.filter(Q(pk=study.rubric_id) | used)
        .annotate(given=Count("criteria__ratings", filter=used, distinct=True))
        .prefetch_related("criteria__options")
        .order_by("name", "-version")
        .distinct()
    )
    uses = [RubricUse(rubric, rubric.given, rubric.pk == study.rubric_id) for rubric in found]
    return sorted(uses, key=lambda use: not use.is_current)


def codebook_table(study: Study) -> Table:
    """Long form: one row a column, criterion or option."""
    return Table(_COLUMNS, _rows(study))


def _rows(study: Study) -> Iterator[tuple[Any, ...]]:
    for column in RATING_COLUMNS:
        kind, about = FIELDS[column]
        yield "field", "", "", column, "", kind, about, ""
    for use in study_rubrics(study):
        for criterion in use.rubric.criteria.all():
            part, text = ("derived", criterion.formula) if criterion.formula else ("criterion", criterion.question)
            yield part, str(use.rubric), criterion.code, criterion.code, "", criterion.scale, text, ""
            for option in _options(criterion):
                yield "option", str(use.rubric), criterion.code, "", option.value, "", option.label, option.help


def codebook_document(study: Study) -> dict[str, Any]:
    """The same as one JSON object."""
    return {
        "study": study.code,
        "title": study.title,
        "fields": [
            {"name": column, "type": FIELDS[column][0], "about": FIELDS[column][1]} for column in RATING_COLUMNS
        ],
        "rubrics": [
            {
                "name": use.rubric.name,
                "version": use.rubric.version,
                "title": use.rubric.title,
                "instructions": use.rubric.instructions,
                "is_current": use.is_current,
                "ratings": use.ratings,
                "criteria": [_criterion(criterion) for criterion in use.rubric.criteria.all()],
            }
            for use in study_rubrics(study)
        ],
    }


def _criterion(criterion: Criterion) -> dict[str, Any]:
    return {
        "code": criterion.code,
        "question": criterion.question,
        "scale": criterion.scale,
        "formula": criterion.formula,
        "options": [
            {"value": option.value, "label": option.label, "help": option.help} for option in _options(criterion)
        ],
    }


def _options(criterion: Criterion) -> list[Option]:
    return sorted(criterion.options.all(), key=lambda option: option.value)
