from typing import ClassVar

from django.http import StreamingHttpResponse
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from annotation.api.wanted import wanted_label_set
from annotation.models import Label, LabelSet, LabelSetMark, MarkKind
from annotation.selectors.exports import label_export
from config.api import filters
from config.api.exports import export_action, export_response, schema_of_export
from config.api.fields import NamedChoiceField
from config.api.resources import Resource


class LabelSetMarkOutputSerializer(serializers.ModelSerializer[LabelSetMark]):
    kind = NamedChoiceField(MarkKind)

    class Meta:
        model = LabelSetMark
        fields: ClassVar = ["kind", "reason", "created_at"]


class LabelSetOutputSerializer(serializers.ModelSerializer[LabelSet]):
    study = serializers.CharField(source="study.code")
    marks = LabelSetMarkOutputSerializer(many=True)

    class Meta:
        model = LabelSet
        fields: ClassVar = [
            "id",
            "study",
            "number",
            "aggregation",
            "filters",
            "counts",
            "code_version",
            "content_hash",
            "created_by",
            "created_at",
            "frozen_at",
            "marks",
        ]


class LabelSetFilter(filters.FilterSet):
    study = filters.CharFilter("study__code", label="the study's code")
    frozen = filters.BooleanFilter("frozen_at", "isnull", exclude=True, label="is frozen")
    mark = filters.ChoiceFilter(
        field_name="marks__kind", choices=MarkKind.choices, distinct=True, label="what became of it later"
    )

    class Meta:
        model = LabelSet
        fields: ClassVar = ["number", "aggregation", "content_hash", "created_by"]


class LabelSetResource(Resource[LabelSet]):
    """Human labels, aggregated and frozen, with what became of them later."""

    queryset = LabelSet.objects.select_related("study").prefetch_related("marks")
    serializer_class = LabelSetOutputSerializer
    filterset_class = LabelSetFilter
    ordering_fields = ("id", "number", "created_at", "frozen_at")


class LabelOutputSerializer(serializers.ModelSerializer[Label]):
    label_set = serializers.IntegerField(source="label_set_id")
    sample = serializers.CharField(source="sample.code")
    criterion = serializers.CharField(source="criterion.code")

    class Meta:
        model = Label
        fields: ClassVar = ["id", "label_set", "sample", "criterion", "value", "ratings"]


class LabelFilter(filters.FilterSet):
    label_set = filters.NumberFilter("label_set_id", label="the label set's id")
    study = filters.CharFilter("label_set__study__code", label="the study's code")
    sample = filters.CharFilter("sample__code", label="the sample's code")
    generator = filters.CharFilter("sample__generator__name", label="the generator's name")
    criterion = filters.CharFilter("criterion__code", label="the criterion's code")

    class Meta:
        model = Label
        fields: ClassVar = ["ratings"]


class LabelResource(Resource[Label]):
    """What people say of one sample on one criterion."""

    queryset = Label.objects.select_related("sample", "criterion")
    serializer_class = LabelOutputSerializer
    filterset_class = LabelFilter
    ordering_fields = ("id", "value")

    @schema_of_export(
        "Export labels",
        about="`label_set` is required.",
        parameters=(OpenApiParameter("label_set", int, required=True, description="the label set's id"),),
    )
    @export_action()
    def export(self, request: Request) -> StreamingHttpResponse:
        label_set = wanted_label_set(request)
        labels = self.filter_queryset(self.get_queryset())
        return export_response(request, table=label_export(labels=labels), name=f"labels-{label_set.pk}")
