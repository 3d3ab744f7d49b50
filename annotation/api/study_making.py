"""`POST /studies/` makes a study, `POST /studies/<code>/state/` moves it on; and what either answers with."""

from typing import Any, ClassVar, cast

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError as Refused
from django.db import IntegrityError
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.validators import UniqueValidator

from annotation.errors import AnnotationError
from annotation.models import GoldCounting, Rubric, Study, StudyState
from annotation.rubric_presets import PRESETS, RubricText
from annotation.rubric_text import RubricFormatError, rubric_read, rubric_text_of
from annotation.services.studies import study_transition
from annotation.services.study_making import study_make
from annotation.services.study_settings import SETTINGS
from config.api.fields import NamedChoiceField
from config.api.imports import Conflict
from config.api.resources import actor_of


class StudyOutputSerializer(serializers.ModelSerializer[Study]):
    """Every setting by name, so that a new column does not leave by itself. The salt never does."""

    state = NamedChoiceField(StudyState)
    gold_counting = NamedChoiceField(GoldCounting)
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
            "gold_counting",
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
            "went_live_at",
            "created_by",
            "created_at",
        ]


class StudyInputSerializer(serializers.ModelSerializer[Study]):
    """Only `code`, `title` and a rubric are needed; the other settings have defaults."""

    code = serializers.SlugField(max_length=60, validators=[UniqueValidator(Study.objects.all())])
    gold_counting = NamedChoiceField(GoldCounting, required=False)
    rubric = serializers.CharField(
        required=False,
        help_text=f"a preset ({', '.join(PRESETS)}), or the name of a rubric that is stored: its newest version",
    )
    rubric_text = serializers.CharField(
        required=False, trim_whitespace=False, help_text="instead of `rubric`: a rubric of one's own as YAML or JSON"
    )

    class Meta:
        model = Study
        fields: ClassVar = ["code", "rubric", "rubric_text", *SETTINGS]

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        name, text = attrs.pop("rubric", ""), attrs.pop("rubric_text", "")
        if bool(name) == bool(text):
            raise ValidationError({"rubric": ["Expected either rubric or rubric_text."]})
        attrs["rubric"] = _written(text) if text else _named(name)
        return attrs


def _written(text: str) -> RubricText:
    try:
        return rubric_read(text)
    except RubricFormatError as error:
        problems = [
            f"line {one.line}: {one.field}: expected {one.expected}, found {one.found}" for one in error.problems
        ]
        raise ValidationError({"rubric_text": problems}) from None


def _named(name: str) -> RubricText:
    if name in PRESETS:
        return PRESETS[name]
    stored = Rubric.objects.filter(name=name).order_by("-version").first()
    if stored is None:
        raise ValidationError({"rubric": [f"Expected {', '.join(PRESETS)} or a stored rubric; found {name!r}."]})
    return rubric_text_of(stored)


class StudyStateInputSerializer(serializers.Serializer[Any]):
    state = NamedChoiceField(StudyState)


class NotAllowed(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_code = "not_allowed"


schema_of_study_create = extend_schema(
    summary="Make a study",
    description="A draft: nobody can rate before its state is changed. Its clips are planned with its samples.",
    request=StudyInputSerializer,
    responses={201: StudyOutputSerializer},
)
schema_of_study_state = extend_schema(
    summary="Change a study's state",
    description=(
        "draft to pilot or live; pilot to draft, live, paused or closed; live to paused or closed; paused to live or "
        "closed, and back to pilot if it was never live. Going live for the first time accepts the pilot: its HITs "
        "take nobody new, and its ratings stay out of the labels. Who is in the middle of a HIT may always finish."
    ),
    request=StudyStateInputSerializer,
    responses={200: StudyOutputSerializer, 409: OpenApiResponse(description="No such step from where the study is.")},
)
schema_of_codebook = extend_schema(
    summary="Describe the export of ratings",
    description="Every column of the export, and every criterion and option of each version of the rubric it holds.",
    responses={200: OpenApiTypes.OBJECT},
)


def study_create_answer(request: Request) -> Response:
    study_in = StudyInputSerializer(data=request.data)
    study_in.is_valid(raise_exception=True)
    settings = dict(study_in.validated_data)
    code, title, rubric = (settings.pop(name) for name in ("code", "title", "rubric"))
    try:
        study = study_make(
            code=code, title=title, rubric=rubric, created_by=cast(User, request.user), settings=settings
        )
    except Refused as error:
        raise ValidationError(serializers.as_serializer_error(error)) from None
    except IntegrityError as error:
        raise Conflict from error
    return Response(StudyOutputSerializer(study).data, status=status.HTTP_201_CREATED)


def study_state_answer(request: Request, study: Study) -> Response:
    state_in = StudyStateInputSerializer(data=request.data)
    state_in.is_valid(raise_exception=True)
    try:
        moved = study_transition(
            study=study, state=StudyState(state_in.validated_data["state"]), actor=actor_of(request)
        )
    except AnnotationError as error:
        raise NotAllowed(str(error)) from None
    return Response(StudyOutputSerializer(moved).data)
