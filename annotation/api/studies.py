from typing import ClassVar

from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.motion_import import motion_import_answer, schema_of_motion_import
from annotation.api.study_making import (
    StudyInputSerializer,
    StudyOutputSerializer,
    schema_of_codebook,
    schema_of_study_create,
    schema_of_study_state,
    study_create_answer,
    study_state_answer,
)
from annotation.models import Criterion, Option, Rubric, Scale, Study
from annotation.selectors.codebook import codebook_document
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

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Study]]:
        return StudyInputSerializer if self.action == "create" else StudyOutputSerializer

    @schema_of_study_create
    def create(self, request: Request) -> Response:
        return study_create_answer(request)

    @schema_of_study_state
    @action(
        detail=True,
        methods=["post"],
        url_path="state",
        pagination_class=None,
        own_parameters=frozenset(),
        filterset_class=None,
    )
    def change_state(self, request: Request, code: str) -> Response:
        return study_state_answer(request, self.get_object())

    @schema_of_codebook
    @action(detail=True, pagination_class=None, own_parameters=frozenset(), filterset_class=None)
    def codebook(self, request: Request, code: str) -> Response:
        return Response(codebook_document(self.get_object()))
