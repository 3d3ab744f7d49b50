from typing import Any, ClassVar

from django.db import IntegrityError
from django.http import StreamingHttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.validators import UniqueValidator

from annotation.models import Generator, Prompt, Sample
from annotation.selectors.exports import prompt_export, sample_export
from annotation.services.imports import RESERVED_CODES, prompt_import
from annotation.services.prompts import generator_register, prompt_create, prompt_text_hash
from config.api import filters
from config.api.exports import export_action, export_response, schema_of_export
from config.api.imports import Conflict, import_action, import_answer, schema_of_import
from config.api.resources import Resource, actor_of
from config.roles import MANAGER


class PromptOutputSerializer(serializers.ModelSerializer[Prompt]):
    class Meta:
        model = Prompt
        fields: ClassVar = ["code", "text", "corpus", "category", "subtype", "created_at"]


class PromptInputSerializer(serializers.ModelSerializer[Prompt]):
    text = serializers.CharField(trim_whitespace=False)

    class Meta:
        model = Prompt
        fields: ClassVar = ["code", "text", "corpus", "category", "subtype"]

    def validate_code(self, code: str) -> str:
        if code in RESERVED_CODES:
            raise serializers.ValidationError(f"Expected a code other than {', '.join(sorted(RESERVED_CODES))}.")
        return code

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        same = Prompt.objects.filter(corpus=attrs.get("corpus", ""), text_hash=prompt_text_hash(attrs["text"])).first()
        if same:
            raise serializers.ValidationError({"text": [f"The corpus has this text already, as {same.code}."]})
        return attrs


class PromptFilter(filters.FilterSet):
    study = filters.CharFilter("samples__places__study__code", distinct=True, label="the code of a study it is in")
    text = filters.CharFilter(lookup_expr="icontains", label="part of the text")

    class Meta:
        model = Prompt
        fields: ClassVar = ["code", "corpus", "category", "subtype"]


class PromptResource(Resource[Prompt]):
    """Text descriptions of motions."""

    queryset = Prompt.objects.all()
    serializer_class = PromptOutputSerializer
    filterset_class = PromptFilter
    lookup_field = "code"
    ordering_fields = ("code", "corpus", "category", "subtype", "created_at")
    write_roles = (MANAGER,)

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Prompt]]:
        return PromptInputSerializer if self.action == "create" else PromptOutputSerializer

    @extend_schema(request=PromptInputSerializer, responses={201: PromptOutputSerializer})
    def create(self, request: Request) -> Response:
        prompt_in = PromptInputSerializer(data=request.data)
        prompt_in.is_valid(raise_exception=True)
        try:
            prompt = prompt_create(**prompt_in.validated_data, actor=actor_of(request))
        except IntegrityError as error:
            raise Conflict from error
        return Response(PromptOutputSerializer(prompt).data, status=status.HTTP_201_CREATED)

    @schema_of_import(
        "Import prompts",
        "Columns: `code` and `text`, and if wanted `corpus`, `category`, `subtype`. A code that is known with the same "
        "text is left unchanged; with another text it is an error.",
    )
    @import_action
    def bulk_import(self, request: Request) -> Response:
        return import_answer(request, prompt_import)

    @schema_of_export("Export prompts", about="The columns are those of the import.")
    @export_action()
    def export(self, request: Request) -> StreamingHttpResponse:
        prompts = self.filter_queryset(self.get_queryset())
        return export_response(request, table=prompt_export(prompts=prompts), name="prompts")


class GeneratorOutputSerializer(serializers.ModelSerializer[Generator]):
    class Meta:
        model = Generator
        fields: ClassVar = ["name", "title", "is_reference", "description", "created_at"]


class GeneratorInputSerializer(serializers.ModelSerializer[Generator]):
    name = serializers.SlugField(max_length=60, validators=[UniqueValidator(Generator.objects.all())])

    class Meta:
        model = Generator
        fields: ClassVar = ["name", "title", "is_reference", "description"]


class GeneratorFilter(filters.FilterSet):
    study = filters.CharFilter("samples__places__study__code", distinct=True, label="the code of a study it is in")

    class Meta:
        model = Generator
        fields: ClassVar = ["name", "is_reference"]


class GeneratorResource(Resource[Generator]):
    """What made motions: text-to-motion models, and the reference."""

    queryset = Generator.objects.all()
    serializer_class = GeneratorOutputSerializer
    filterset_class = GeneratorFilter
    lookup_field = "name"
    ordering_fields = ("name", "created_at")
    ordering = ("name",)
    write_roles = (MANAGER,)

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Generator]]:
        return GeneratorInputSerializer if self.action == "create" else GeneratorOutputSerializer

    @extend_schema(request=GeneratorInputSerializer, responses={201: GeneratorOutputSerializer})
    def create(self, request: Request) -> Response:
        generator_in = GeneratorInputSerializer(data=request.data)
        generator_in.is_valid(raise_exception=True)
        generator = generator_register(**generator_in.validated_data, actor=actor_of(request))
        return Response(GeneratorOutputSerializer(generator).data, status=status.HTTP_201_CREATED)


class SampleOutputSerializer(serializers.ModelSerializer[Sample]):
    prompt = serializers.CharField(source="prompt.code")
    text = serializers.CharField(source="prompt.text")
    generator = serializers.CharField(source="generator.name")
    motion = serializers.CharField(source="motion.content_hash")

    class Meta:
        model = Sample
        fields: ClassVar = ["code", "prompt", "text", "generator", "motion", "truth", "created_at"]


class SampleFilter(filters.FilterSet):
    study = filters.CharFilter("places__study__code", label="the study's code")
    prompt = filters.CharFilter("prompt__code", label="the prompt's code")
    corpus = filters.CharFilter("prompt__corpus", label="the prompt's corpus")
    category = filters.CharFilter("prompt__category", label="the prompt's category")
    generator = filters.CharFilter("generator__name", label="the generator's name")
    motion = filters.CharFilter("motion__content_hash", label="the motion's content hash")

    class Meta:
        model = Sample
        fields: ClassVar = ["code"]


class SampleResource(Resource[Sample]):
    """Prompt x generator x motion: what people rate and metrics score."""

    queryset = Sample.objects.select_related("prompt", "generator", "motion")
    serializer_class = SampleOutputSerializer
    filterset_class = SampleFilter
    lookup_field = "code"
    lookup_value_regex = "[^/]+"
    ordering_fields = ("code", "created_at")

    @schema_of_export("Export samples")
    @export_action()
    def export(self, request: Request) -> StreamingHttpResponse:
        samples = self.filter_queryset(self.get_queryset())
        return export_response(request, table=sample_export(samples=samples), name="samples")
