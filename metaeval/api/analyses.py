from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http import Http404
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.reverse import reverse

from annotation.models import LabelSet
from config.api import filters
from config.api.exports import AnyAccept
from config.api.fields import NamedChoiceField
from config.api.resources import Resource, actor_of
from config.jobs.models import JobState
from config.roles import RESEARCHER
from metaeval.errors import MetaevalError
from metaeval.models import Analysis, Metric, Preregistration, Report
from metaeval.selectors.archives import archive_of
from metaeval.services.analyses import analysis_cancel, analysis_create, analysis_retry
from metaeval.views.report_files import archive_response

REFUSED = OpenApiResponse(description="The analysis is not in a state in which this can be done.")


class WrongState(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_code = "wrong_state"


class AnalysisOutputSerializer(serializers.ModelSerializer[Analysis]):
    study = serializers.CharField(source="label_set.study.code")
    label_set = serializers.IntegerField(source="label_set_id")
    metrics: Any = serializers.SlugRelatedField("name", many=True, read_only=True)
    preregistration = serializers.IntegerField(source="preregistration_id", allow_null=True)
    state = NamedChoiceField(JobState)
    report = serializers.SerializerMethodField(help_text="the id of its report, once there is one")
    archive = serializers.SerializerMethodField(help_text="where all its files are, as one zip")

    class Meta:
        model = Analysis
        fields: ClassVar = [
            "id",
            "title",
            "study",
            "label_set",
            "metrics",
            "preregistration",
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
            "doing",
            "cancel_requested",
            "error",
            "report",
            "archive",
            "created_at",
            "started_at",
            "finished_at",
        ]

    def get_report(self, analysis: Analysis) -> int | None:
        return analysis.report.pk if hasattr(analysis, "report") else None

    def get_archive(self, analysis: Analysis) -> str | None:
        if archive_of(analysis) is None:
            return None
        return reverse("api:analyses-archive", args=[analysis.pk], request=self.context.get("request"))


class MetricNamesField(serializers.SlugRelatedField[Metric]):
    """By name; or `name@version`, where there are several versions."""

    def to_internal_value(self, data: Any) -> Metric:
        name, _, version = str(data).partition("@")
        found = list(Metric.objects.filter(name=name, **({"version": version} if version else {})))
        if not found:
            raise ValidationError(f"There is no metric {data!r}.")
        if len(found) > 1:
            versions = ", ".join(f"{name}@{metric.version}" for metric in found)
            raise ValidationError(f"Expected one of {versions}; found {data!r}.")
        return found[0]


class AnalysisInputSerializer(serializers.Serializer[Any]):
    label_set: Any = serializers.PrimaryKeyRelatedField(queryset=LabelSet.objects.select_related("study__rubric"))
    metrics: Any = MetricNamesField(
        "name", queryset=Metric.objects.all(), many=True, help_text="names; `name@version` where there are several"
    )
    title = serializers.CharField(max_length=200)
    settings = serializers.DictField(required=False, help_text="analysis.toml, as data; the defaults for what it omits")
    preregistration: Any = serializers.PrimaryKeyRelatedField(
        queryset=Preregistration.objects.all(),
        required=False,
        allow_null=True,
        help_text="its id: its settings are used to the letter",
    )


class AnalysisFilter(filters.FilterSet):
    study = filters.CharFilter("label_set__study__code", label="the study's code")
    label_set = filters.NumberFilter("label_set_id", label="the label set's id")
    metric = filters.CharFilter("metrics__name", distinct=True, label="the name of a metric in it")
    preregistration = filters.NumberFilter("preregistration_id", label="the id of the preregistration it cites")

    class Meta:
        model = Analysis
        fields: ClassVar = ["state", "created_by", "settings_hash"]


class AnalysisResource(Resource[Analysis]):
    """What was asked of which label set and metrics, and how far it has got. Newest first."""

    queryset = (
        Analysis.objects.select_related("label_set__study", "report__archive")
        .defer("report__results", "report__provenance")
        .prefetch_related("metrics", "label_set__marks")
    )
    serializer_class = AnalysisOutputSerializer
    filterset_class = AnalysisFilter
    ordering_fields = ("id", "title", "created_at", "finished_at")
    ordering = ("-id",)
    write_roles = (RESEARCHER,)

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Any]]:
        return AnalysisInputSerializer if self.action == "create" else AnalysisOutputSerializer

    @extend_schema(request=AnalysisInputSerializer, responses={201: AnalysisOutputSerializer})
    def create(self, request: Request) -> Response:
        """Starts an analysis of a frozen label set. Follow `progress` and `doing`; `archive` appears at the end."""
        analysis_in = AnalysisInputSerializer(data=request.data)
        analysis_in.is_valid(raise_exception=True)
        try:
            analysis = analysis_create(**analysis_in.validated_data, actor=actor_of(request))
        except MetaevalError as error:
            raise ValidationError({error.field or "non_field_errors": [str(error)]}) from None
        return Response(self._output(analysis), status=status.HTTP_201_CREATED)

    @extend_schema(request=None, responses={200: AnalysisOutputSerializer, 409: REFUSED})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """A waiting analysis is cancelled at once, a running one at its next heartbeat."""
        try:
            return Response(self._output(analysis_cancel(analysis=self.get_object(), actor=actor_of(request))))
        except MetaevalError as error:
            raise WrongState(str(error)) from None

    @extend_schema(request=None, responses={200: AnalysisOutputSerializer, 409: REFUSED})
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, pk: str) -> Response:
        """A failed or cancelled analysis waits again, with all its attempts."""
        try:
            return Response(self._output(analysis_retry(analysis=self.get_object(), actor=actor_of(request))))
        except MetaevalError as error:
            raise WrongState(str(error)) from None

    @extend_schema(
        responses={
            (200, "application/zip"): OpenApiTypes.BINARY,
            404: OpenApiResponse(description="It has no files, or not yet."),
        }
    )
    @action(detail=True, content_negotiation_class=AnyAccept)
    def archive(self, request: Request, pk: str) -> HttpResponseBase:
        """All that the command wrote, as one zip: report.html, tables, figures, results.json, inputs."""
        archive = archive_of(self.get_object())
        if archive is None:
            raise Http404("This analysis has no files, or not yet.")
        return archive_response(request._request, archive)

    def _output(self, analysis: Analysis) -> Any:
        return AnalysisOutputSerializer(analysis, context=self.get_serializer_context()).data


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

    def get_queryset(self) -> QuerySet[Report]:
        reports = super().get_queryset()
        return reports.defer("results", "provenance") if self.action == "list" else reports

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Report]]:
        return ReportSummaryOutputSerializer if self.action == "list" else ReportOutputSerializer
