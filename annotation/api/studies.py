from typing import ClassVar

from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.motion_import import motion_import_answer, schema_of_motion_import
from annotation.models import Criterion, Gold, GoldAnswer, Option, Rubric, Scale, Study, StudyState
from config.api import filters
from config.api.fields import NamedChoiceField
from config.api.resources import Resource
from config.roles import MANAGER


class OptionOutputSerializer(serializers.ModelSerializer[Option]):
    class Meta:
        model = Option
        fields: ClassVar = ["value", "label", "help"]


class CriterionOutputSerializer(serializers.ModelSerializer[Criterion]):
    scale = NamedChoiceField(Scale)
    options = OptionOutputSerializer(many=True)

    class Meta:
        model = Criterion
        fields: ClassVar = ["code", "position", "question", "scale", "formula", "options"]


class RubricOutputSerializer(serializers.ModelSerializer[Rubric]):
    criteria = CriterionOutputSerializer(many=True)

    class Meta:
        model = Rubric
        fields: ClassVar = ["id", "name", "version", "title", "instructions", "created_at", "criteria"]


class RubricFilter(filters.FilterSet):
    study = filters.CharFilter("studies__code", label="the code of a study that asks it")

    class Meta:
        model = Rubric
        fields: ClassVar = ["name", "version"]


class RubricResource(Resource[Rubric]):
    """The questions, version by version, with their criteria and options."""

    queryset = Rubric.objects.prefetch_related("criteria__options")
    serializer_class = RubricOutputSerializer
    filterset_class = RubricFilter
    ordering_fields = ("name", "version", "created_at")


class StudyOutputSerializer(serializers.ModelSerializer[Study]):
    """Every setting by name, so that a new column does not leave by itself. The salt never does."""

    state = NamedChoiceField(StudyState)
    rubric = serializers.CharField(source="rubric.name")
    rubric_version = serializers.IntegerField(source="rubric.version")
    created_by = serializers.CharField(source="created_by.username", default=None, allow_null=True)

    class Meta:
        model = Study
        fields: ClassVar = [
            "code",
            "title",
            "purpose",
            "state",
            "rubric",
            "rubric_version",
            "seed",
            "look",
            "view",
            "pixels",
            "backend",
            "ratings_per_sample",
            "samples_per_hit",
            "gold_per_hit",
            "gold_failures_allowed",
            "lease_minutes",
            "minimum_seconds",
            "reopen_left_out",
            "rater_share",
            "pay_per_hit",
            "hourly_floor",
            "currency",
            "contact",
            "consent_text",
            "consent_version",
            "created_by",
            "created_at",
        ]


class StudyFilter(filters.FilterSet):
    rubric = filters.CharFilter("rubric__name", label="the rubric's name")
    sample = filters.CharFilter("places__sample__code", label="the code of a sample in it")

    class Meta:
        model = Study
        fields: ClassVar = ["code", "state"]


class StudyResource(Resource[Study]):
    """Studies and their settings."""

    queryset = Study.objects.select_related("rubric", "created_by")
    serializer_class = StudyOutputSerializer
    filterset_class = StudyFilter
    lookup_field = "code"
    ordering_fields = ("code", "state", "created_at")
    ordering = ("-id",)
    write_roles = (MANAGER,)

    @schema_of_motion_import
    @action(
        detail=True,
        methods=["post"],
        parser_classes=[MultiPartParser],
        pagination_class=None,
        own_parameters=frozenset({"dry_run", "clips"}),
        filterset_class=None,
    )
    def motions(self, request: Request, code: str) -> Response:
        return motion_import_answer(request, self.get_object())


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
        fields: ClassVar = ["id", "study", "sample", "is_active", "reason", "answers"]


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
