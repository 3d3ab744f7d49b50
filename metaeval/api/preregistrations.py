from typing import Any, ClassVar

from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Study
from config.api import filters
from config.api.resources import Resource, actor_of
from config.roles import RESEARCHER
from metaeval.errors import MetaevalError
from metaeval.models import Preregistration
from metaeval.services.preregistrations import preregistration_create


class PreregistrationOutputSerializer(serializers.ModelSerializer[Preregistration]):
    study = serializers.CharField(source="study.code")
    is_before_labels = serializers.BooleanField(help_text="no label set of the study was frozen yet")

    class Meta:
        model = Preregistration
        fields: ClassVar = [
            "id",
            "study",
            "title",
            "settings",
            "toml",
            "settings_hash",
            "labels_frozen_before",
            "is_before_labels",
            "created_by",
            "frozen_at",
        ]


class PreregistrationInputSerializer(serializers.Serializer[Any]):
    study: Any = serializers.SlugRelatedField("code", queryset=Study.objects.select_related("rubric"))
    title = serializers.CharField(max_length=200)
    settings = serializers.DictField(help_text="analysis.toml, as data; the defaults for what it omits")


class PreregistrationFilter(filters.FilterSet):
    study = filters.CharFilter("study__code", label="the study's code")

    class Meta:
        model = Preregistration
        fields: ClassVar = ["settings_hash", "labels_frozen_before"]


class PreregistrationResource(Resource[Preregistration]):
    """Settings of analyses, frozen before the labels were known; or after, and then it says so. Newest first."""

    queryset = Preregistration.objects.select_related("study")
    serializer_class = PreregistrationOutputSerializer
    filterset_class = PreregistrationFilter
    ordering_fields = ("id", "frozen_at")
    ordering = ("-id",)
    write_roles = (RESEARCHER,)

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Any]]:
        return PreregistrationInputSerializer if self.action == "create" else PreregistrationOutputSerializer

    @extend_schema(request=PreregistrationInputSerializer, responses={201: PreregistrationOutputSerializer})
    def create(self, request: Request) -> Response:
        """Freezes settings for ever. An analysis that cites them uses them to the letter."""
        given = PreregistrationInputSerializer(data=request.data)
        given.is_valid(raise_exception=True)
        try:
            made = preregistration_create(**given.validated_data, actor=actor_of(request))
        except MetaevalError as error:
            raise ValidationError({error.field or "non_field_errors": [str(error)]}) from None
        return Response(PreregistrationOutputSerializer(made).data, status=status.HTTP_201_CREATED)
