"""The files of an analysis, as long as they may be given out."""

from django.db.models import QuerySet

from annotation.models import MarkKind
from metaeval.models import Analysis, ReportArchive


def archive_of(analysis: Analysis) -> ReportArchive | None:
    """None when there is none, not yet, or no longer: it holds the ratings of a rater who has withdrawn since."""
    archive: ReportArchive | None = getattr(getattr(analysis, "report", None), "archive", None)
    return None if archive is None or ratings_are_withdrawn(analysis) else archive


def ratings_are_withdrawn(analysis: Analysis) -> bool:
    return any(mark.kind == MarkKind.SUPERSEDED for mark in analysis.label_set.marks.all())


def withdrawn_archives() -> QuerySet[ReportArchive]:
    """Those whose file has to go."""
    return ReportArchive.objects.filter(report__analysis__label_set__marks__kind=MarkKind.SUPERSEDED).distinct()
