"""Metrics, and how many of a study's samples they have scored."""

from dataclasses import dataclass

from django.db.models import Count, Q

from annotation.models import Study
from metaeval.models import Metric


@dataclass(frozen=True)
class MetricRow:
    metric: Metric
    defined: int
    undefined: int


def study_metrics(study: Study) -> list[MetricRow]:
    """Every metric, with how many scores it has in the study, and how many of them are undefined."""
    here = Q(scores__sample__places__study=study, scores__sample__places__is_active=True) | Q(scores__study=study)
    metrics = Metric.objects.annotate(
        defined=Count("scores", filter=here & Q(scores__value__isnull=False), distinct=True),
        undefined=Count("scores", filter=here & Q(scores__value__isnull=True), distinct=True),
    ).order_by("family", "name", "version")
    return [MetricRow(metric, metric.defined, metric.undefined) for metric in metrics]
