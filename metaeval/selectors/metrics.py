"""Metrics, and how many of a study's samples they have scored."""

from django.db.models import Count, Q, QuerySet

from annotation.models import Study
from metaeval.models import Metric


def study_metrics(study: Study) -> QuerySet[Metric]:
    """Every metric, with `defined` and `undefined` counts of its scores in the study."""
    here = Q(scores__sample__places__study=study, scores__sample__places__is_active=True) | Q(scores__study=study)
    return Metric.objects.annotate(
        defined=Count("scores", filter=here & Q(scores__value__isnull=False), distinct=True),
        undefined=Count("scores", filter=here & Q(scores__value__isnull=True), distinct=True),
    ).order_by("family", "name", "version")
