from typing import Any, ClassVar

from rest_framework import serializers

from config.api import filters
from config.api.fields import NamedChoiceField
from config.api.resources import Resource
from config.jobs.models import JobState
from metaeval.models import Analysis, Report


class AnalysisOutputSerializer(serializers.ModelSerializer[Analysis]):
    study = serializers.CharField(source="label_set.study.code")
    label_set = serializers.IntegerField(source="label_set_id")
    metrics: Any = serializers.SlugRelatedField("name", many=True, read_only=True)
    state = NamedChoiceField(JobState)

    class Meta:
        model = Analysis
        fields: ClassVar = [
            "id",
            "title",
            "study",
            "label_set",
            "metrics",
            "settings",
            "settings_hash",
            "seed",
            "created_by",
            "state",
            "priority",
            "attempt",
            "max_attempts",
            "worker",
            "progress",
            "cancel_requested",
            "error",
            "created_at",
            "started_at",
            "finished_at",
        ]


class AnalysisFilter(filters.FilterSet):
    study = filters.CharFilter("label_set__study__code", label="the study's code")
    label_set = filters.NumberFilter("label_set_id", label="the label set's id")
    metric = filters.CharFilter("metrics__name", distinct=True, label="the name of a metric in it")

    class Meta:
        model = Analysis
        fields: ClassVar = ["state", "created_by", "settings_hash"]


class AnalysisResource(Resource[Analysis]):
    """What was asked of which label set and metrics, and how far it has got. Newest first."""

    queryset = Analysis.objects.select_related("label_set__study").prefetch_related("metrics")
    serializer_class = AnalysisOutputSerializer
    filterset_class = AnalysisFilter
    ordering_fields = ("id", "title", "created_at", "finished_at")
    ordering = ("-id",)


class ReportSummaryOutputSerializer(serializers.ModelSerializer[Report]):
    """In a list: without the results, which can be long."""

    analysis = serializers.IntegerField(source="analysis_id")
    title = serializers.CharField(source="analysis.title")
    study = serializers.CharField(source="analysis.label_set.study.code")

    class Meta:
        model = Report
        fields: ClassVar = ["id", "analysis", "title", "study", "finding", "content_hash", "created_at"]


class ReportOutputSerializer(ReportSummaryOutputSerializer):
    class Meta(ReportSummaryOutputSerializer.Meta):
        fields: ClassVar = [*ReportSummaryOutputSerializer.Meta.fields, "results", "provenance"]


class ReportFilter(filters.FilterSet):
    study = filters.CharFilter("analysis__label_set__study__code", label="the study's code")
    label_set = filters.NumberFilter("analysis__label_set_id", label="the label set's id")
    analysis = filters.NumberFilter("analysis_id", label="the analysis's id")

    class Meta:
        model = Report
        fields: ClassVar = ["content_hash"]


class ReportResource(Resource[Report]):
    """What a researcher takes away from an analysis. Newest first."""

    queryset = Report.objects.select_related("analysis__label_set__study")
    filterset_class = ReportFilter
    ordering_fields = ("id", "created_at")
    ordering = ("-id",)

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Report]]:
        return ReportSummaryOutputSerializer if self.action == "list" else ReportOutputSerializer
