"""Tables that leave the platform, row by row from the database."""

from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.expressions import Combinable

from annotation.models import StudySample
from annotation.selectors.exports import FETCHED
from config.bulk.writing import Column, Kind, Table
from metaeval.models import Score

# As the import reads them.
_SCORE: dict[Column, Combinable] = {
    Column("sample", Kind.NAME): F("sample__code"),
    Column("generator", Kind.NAME): F("generator__name"),
    Column("study", Kind.NAME): F("study__code"),
    Column("subset", Kind.TEXT): F("subset"),
    Column("metric", Kind.NAME): F("metric__name"),
    Column("version", Kind.NAME): F("metric__version"),
    Column("direction", Kind.NAME): F("metric__direction"),
    Column("reference_based"): Case(When(metric__is_reference_based=True, then=Value("true")), default=Value("false")),
    Column("value"): F("value"),
    Column("undefined_reason", Kind.TEXT): F("undefined_reason"),
}


def scores_of_study(*, scores: QuerySet[Score], code: str) -> QuerySet[Score]:
    """Of the study's samples, and of its generators within it."""
    samples = StudySample.objects.filter(study__code=code).values("sample")
    return scores.filter(Q(sample__in=samples) | Q(study__code=code))


def score_export(*, scores: QuerySet[Score]) -> Table:
    return Table(tuple(_SCORE), scores.values_list(*_SCORE.values()).iterator(chunk_size=FETCHED))
