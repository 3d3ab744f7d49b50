"""Gold through the API: read it, set it, take it out, and ask how often the study's rule fails whom."""

from typing import Any, ClassVar

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.errors import AnnotationError
from annotation.models import Gold, GoldAnswer, GoldCounting, Sample, Study
from annotation.selectors.gold import CatchTable, study_catch_rates
from annotation.services.gold import gold_deactivate, gold_set
from config.api import filters
from config.api.fields import NamedChoiceField
from config.api.resources import Resource, actor_of
from config.roles import MANAGER


class Refused(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_code = "refused"


class GoldAnswerOutputSerializer(serializers.ModelSerializer[GoldAnswer]):
    criterion = serializers.CharField(source="criterion.code")

    class Meta:
        model = GoldAnswer
        fields: ClassVar = ["criterion", "value", "tolerance"]


class GoldOutputSerializer(serializers.ModelSerializer[Gold]):
    study = serializers.CharField(source="study.code")
    sample = serializers.CharField(source="sample.code")
    answers = GoldAnswerOutputSerializer(many=True)

    class Meta:
        model = Gold
        fields: ClassVar = ["id", "study", "sample", "is_active", "reason", "inactive_reason", "answers"]


class GoldAnswerInputSerializer(serializers.Serializer[Any]):
    criterion = serializers.CharField(help_text="the criterion's code")
    value = serializers.IntegerField(help_text="one of its options")
    tolerance = serializers.IntegerField(
        min_value=0, required=False, help_text="options it may be off: 1, and 0 for yes or no, unless said"
    )


class GoldInputSerializer(serializers.Serializer[Any]):
    study = serializers.SlugRelatedField("code", queryset=Study.objects.select_related("rubric"))
    sample = serializers.SlugRelatedField("code", queryset=Sample.objects.all())
    answers = GoldAnswerInputSerializer(many=True, help_text="one for every question that the study asks")
    reason = serializers.CharField(required=False, allow_blank=True, max_length=2000)


class GoldOutInputSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(max_length=2000)


class CatchRateOutputSerializer(serializers.Serializer[Any]):
    rater = serializers.CharField(source="model.name")
    description = serializers.CharField(source="model.words")
    is_good = serializers.BooleanField(source="model.is_good", help_text="whether the rule should keep them")
    fails = serializers.FloatField(source="probability", help_text="probability that one assignment fails")


class CatchTableOutputSerializer(serializers.Serializer[CatchTable]):
    gold = serializers.IntegerField(help_text="gold samples in use")
    gold_per_hit = serializers.IntegerField(source="rule.gold_per_hit")
    failures_allowed = serializers.IntegerField(source="rule.failures_allowed")
    counting = NamedChoiceField(GoldCounting, source="rule.counting")
    answers = serializers.IntegerField(source="middle.answers")
    answers_in_middle = serializers.IntegerField(
        source="middle.answers_in_middle", help_text="that a rater who always presses the middle passes"
    )
    rates = CatchRateOutputSerializer(many=True)


class GoldFilter(filters.FilterSet):
    study = filters.CharFilter("study__code", label="the study's code")
    sample = filters.CharFilter("sample__code", label="the sample's code")

    class Meta:
        model = Gold
        fields: ClassVar = ["is_active"]


class GoldResource(Resource[Gold]):
    """Samples whose right answers are known."""

    queryset = Gold.objects.select_related("study", "sample").prefetch_related("answers__criterion")
    serializer_class = GoldOutputSerializer
    filterset_class = GoldFilter
    ordering_fields = ("id",)
    write_roles = (MANAGER,)

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Gold]]:
        return GoldInputSerializer if self.action == "create" else GoldOutputSerializer

    @extend_schema(
        summary="Set gold",
        description=(
            "Makes a sample of the study gold, or changes its answers; gold that was taken out comes back. Sending the "
            "same again changes nothing. Who was judged by earlier answers stays judged."
        ),
        request=GoldInputSerializer,
        responses={201: GoldOutputSerializer},
    )
    def create(self, request: Request) -> Response:
        gold_in = GoldInputSerializer(data=request.data)
        gold_in.is_valid(raise_exception=True)
        given = gold_in.validated_data
        answers = given["answers"]
        if len({answer["criterion"] for answer in answers}) < len(answers):
            raise ValidationError({"answers": ["Expected one answer for each criterion; found one twice."]})
        try:
            gold = gold_set(
                study=given["study"],
                sample=given["sample"],
                answers={answer["criterion"]: answer["value"] for answer in answers},
                tolerance={answer["criterion"]: answer["tolerance"] for answer in answers if "tolerance" in answer},
                reason=given.get("reason", ""),
                actor=actor_of(request),
            )
        except AnnotationError as error:
            raise ValidationError({"answers": [str(error)]}) from None
        output = GoldOutputSerializer(self.get_queryset().get(pk=gold.pk))
        return Response(output.data, status=status.HTTP_201_CREATED)

    @extend_schema(
        summary="Take gold out",
        request=GoldOutInputSerializer,
        responses={200: GoldOutputSerializer, 409: OpenApiResponse(description="Open HITs need it.")},
    )
    @action(detail=True, methods=["post"], pagination_class=None, own_parameters=frozenset(), filterset_class=None)
    def deactivate(self, request: Request, pk: str) -> Response:
        reason_in = GoldOutInputSerializer(data=request.data)
        reason_in.is_valid(raise_exception=True)
        gold = self.get_object()
        try:
            gold_deactivate(gold=gold, reason=reason_in.validated_data["reason"], actor=actor_of(request))
        except AnnotationError as error:
            raise Refused(str(error)) from None
        return Response(GoldOutputSerializer(self.get_queryset().get(pk=gold.pk)).data)

    @extend_schema(
        summary="How often the study's gold rule fails whom",
        description="Computed exactly, from the saved rule and the gold in use.",
        parameters=[OpenApiParameter("study", str, required=True, description="the study's code")],
        responses={200: CatchTableOutputSerializer},
    )
    @action(detail=False, pagination_class=None, own_parameters=frozenset({"study"}), filterset_class=None)
    def rates(self, request: Request) -> Response:
        study = Study.objects.select_related("rubric").filter(code=request.query_params.get("study", "")).first()
        if study is None:
            raise ValidationError({"study": ["Expected the code of a study."]})
        return Response(CatchTableOutputSerializer(study_catch_rates(study)).data)
