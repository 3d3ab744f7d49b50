from typing import ClassVar

from rest_framework import serializers

from annotation.models import Enrolment
from config.api import filters
from config.api.resources import Resource


class RaterOutputSerializer(serializers.ModelSerializer[Enrolment]):
    study = serializers.CharField(source="study.code")

    class Meta:
        model = Enrolment
        fields: ClassVar = [
            "id",
            "study",
            "pseudonym",
            "consent_version",
            "consented_at",
            "blocked_at",
            "block_reason",
            "withdrawn_at",
        ]


class RaterFilter(filters.FilterSet):
    study = filters.CharFilter("study__code", label="the study's code")
    blocked = filters.BooleanFilter("blocked_at", "isnull", exclude=True, label="was blocked")
    withdrawn = filters.BooleanFilter("withdrawn_at", "isnull", exclude=True, label="withdrew")

    class Meta:
        model = Enrolment
        fields: ClassVar = ["pseudonym", "consent_version"]


class RaterResource(Resource[Enrolment]):
    """Raters as a study knows them: a pseudonym, another one in every study."""

    queryset = Enrolment.objects.select_related("study").defer("study__salt")
    serializer_class = RaterOutputSerializer
    filterset_class = RaterFilter
    ordering_fields = ("id", "pseudonym", "consented_at")
