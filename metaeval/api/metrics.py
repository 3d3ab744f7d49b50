from typing import ClassVar

from django.db.models import QuerySet
from django.http import StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.wanted import wanted_study
from config.api import filters
from config.api.exports import export_action, export_response, schema_of_export
from config.api.fields import NamedChoiceField
from config.api.imports import import_action, import_answer, schema_of_import
from config.api.resources import Resource
from config.roles import MANAGER, RESEARCHER
from metaeval.models import Direction, Judge, Level, Metric, Probe, ProbeKind, Score
from metaeval.selectors.exports import score_export, scores_of_study
from metaeval.services.imports import score_import


class MetricOutputSerializer(serializers.ModelSerializer[Metric]):
    level = NamedChoiceField(Level)
    direction = NamedChoiceField(Direction)

    class Meta:
        model = Metric
        fields: ClassVar = [
            "id",
            "name",
            "version",
            "title",
            "family",
            "level",
            "direction",
            "is_reference_based",
            "units",
            "citation",
            "created_at",
        ]


class MetricFilter(filters.FilterSet):
    is_judge = filters.BooleanFilter("judge", "isnull", exclude=True, label="asks a model")

    class Meta:
        model = Metric
        fields: ClassVar = ["name", "version", "family", "level", "direction", "is_reference_based"]


class MetricResource(Resource[Metric]):
    """Automatic scorers."""

    queryset = Metric.objects.all()
    serializer_class = MetricOutputSerializer
    filterset_class = MetricFilter
    ordering_fields = ("name", "version", "family", "created_at")
    ordering = ("name", "version")


class JudgeOutputSerializer(serializers.ModelSerializer[Judge]):
    metric = serializers.CharField(source="metric.name")
    metric_version = serializers.CharField(source="metric.version")

    class Meta:
        model = Judge
        fields: ClassVar = ["id", "metric", "metric_version", "model", "instructions", "parameters"]


class JudgeFilter(filters.FilterSet):
    metric = filters.CharFilter("metric__name", label="the metric's name")

    class Meta:
        model = Judge
        fields: ClassVar = ["model"]


class JudgeResource(Resource[Judge]):
    """Metrics that ask a vision or language model, and what they tell it."""

    queryset = Judge.objects.select_related("metric")
    serializer_class = JudgeOutputSerializer
    filterset_class = JudgeFilter
    ordering_fields = ("id", "model")


class ScoreOutputSerializer(serializers.ModelSerializer[Score]):
    metric = serializers.CharField(source="metric.name")
    version = serializers.CharField(source="metric.version")
    sample = serializers.CharField(source="sample.code", default=None, allow_null=True)
    generator = serializers.CharField(source="generator.name", default=None, allow_null=True)
    study = serializers.CharField(source="study.code", default=None, allow_null=True)

    class Meta:
        model = Score
        fields: ClassVar = [
            "id",
            "metric",
            "version",
            "sample",
            "generator",
            "study",
            "subset",
            "value",
            "undefined_reason",
            "created_at",
        ]


class ScoreFilter(filters.FilterSet):
    study = filters.CharFilter(method="of_study", label="the study's code: scores of its samples and its generators")
    sample = filters.CharFilter("sample__code", label="the sample's code")
    generator = filters.CharFilter("generator__name", label="the generator's name, for scores of generators")
    metric = filters.CharFilter("metric__name", label="the metric's name")
    version = filters.CharFilter("metric__version", label="the metric's version")
    level = filters.ChoiceFilter(field_name="metric__level", choices=Level.choices)
    undefined = filters.BooleanFilter("value", "isnull", label="has no value")

    class Meta:
        model = Score
        fields: ClassVar = ["subset"]

    def of_study(self, queryset: QuerySet[Score], name: str, value: str) -> QuerySet[Score]:
        return scores_of_study(scores=queryset, code=value)


class ScoreResource(Resource[Score]):
    """Metrics' values on samples, or on generators within a study."""

    queryset = Score.objects.select_related("metric", "sample", "generator", "study")
    serializer_class = ScoreOutputSerializer
    filterset_class = ScoreFilter
    ordering_fields = ("id", "value", "created_at")
    write_roles = (MANAGER, RESEARCHER)

    @schema_of_import(
        "Import scores",
        "Columns: `metric` (its name; and `version` if there are several), `value` (a finite number) or "
        "`undefined_reason`, and what was scored: `sample` (its code), or `generator` and `study` (and if wanted "
        "`subset`). A score that is known with the same value is left unchanged; with another value it is an error.",
    )
    @import_action
    def bulk_import(self, request: Request) -> Response:
        return import_answer(request, score_import)

    @schema_of_export(
        "Export scores",
        about="Of the study's samples and generators; `study` is required. The columns are those of the import.",
        parameters=(OpenApiParameter("study", str, required=True, description="the study's code"),),
    )
    @export_action()
    def export(self, request: Request) -> StreamingHttpResponse:
        study = wanted_study(request)
        scores = self.filter_queryset(self.get_queryset())
        return export_response(request, table=score_export(scores=scores), name=f"scores-{study.code}")


class ProbeOutputSerializer(serializers.ModelSerializer[Probe]):
    metric = serializers.CharField(source="metric.name")
    metric_version = serializers.CharField(source="metric.version")
    kind = NamedChoiceField(ProbeKind)

    class Meta:
        model = Probe
        fields: ClassVar = [
            "id",
            "metric",
            "metric_version",
            "kind",
            "parameters",
            "input_hash",
            "seed",
            "texts",
            "value",
            "undefined_reason",
            "created_at",
        ]


class ProbeFilter(filters.FilterSet):
    metric = filters.CharFilter("metric__name", label="the metric's name")

    class Meta:
        model = Probe
        fields: ClassVar = ["kind", "input_hash"]


class ProbeResource(Resource[Probe]):
    """Tests of scorers on corrupted text."""

    queryset = Probe.objects.select_related("metric")
    serializer_class = ProbeOutputSerializer
    filterset_class = ProbeFilter
    ordering_fields = ("id", "value", "created_at")
