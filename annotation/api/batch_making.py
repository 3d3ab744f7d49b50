"""`POST /batches/` makes a draft, `preview` only says what it would be; `publish` opens it to raters."""

from typing import Any

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from annotation.errors import AnnotationError
from annotation.models import Batch, BatchKind, Platform, Study
from annotation.selectors.batch_preview import MOST_SEED, BatchPreview, BatchWish, batch_preview, seed_suggested
from annotation.services.batches import batch_create, batch_publish
from config.api.fields import NamedChoiceField
from config.api.resources import actor_of


class BatchRefused(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_code = "refused"


class BatchInputSerializer(serializers.Serializer[Any]):
    study = serializers.SlugRelatedField("code", queryset=Study.objects.select_related("rubric"))
    kind = NamedChoiceField(BatchKind, default=BatchKind.MAIN)
    platform = NamedChoiceField(Platform, default=Platform.LINK)
    seed = serializers.IntegerField(
        min_value=0, max_value=MOST_SEED, required=False, help_text="the study's next one, unless said"
    )
    hits = serializers.IntegerField(
        min_value=1, max_value=1000, required=False, help_text="of a pilot: only so many HITs, each with all its seats"
    )
    digest = serializers.CharField(
        required=False, help_text="of the preview: refuses to make anything else than what was looked at"
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if "hits" in attrs and attrs["kind"] != BatchKind.PILOT:
            raise serializers.ValidationError(
                {"hits": ["Expected only with kind pilot: a main batch rates every sample."]}
            )
        return attrs


class BatchPreviewOutputSerializer(serializers.Serializer[BatchPreview]):
    seed = serializers.IntegerField(source="plan.wish.seed")
    digest = serializers.CharField(source="plan.digest")
    hits = serializers.SerializerMethodField()
    seats = serializers.IntegerField(source="plan.seats")
    clips_per_hit = serializers.CharField()
    samples_per_hit = serializers.CharField(source="summary.samples")
    gold_per_hit = serializers.CharField(source="summary.gold")
    prompts_again = serializers.IntegerField(
        source="summary.prompts_again", help_text="how often a prompt comes again in the same HIT"
    )
    hours = serializers.FloatField(help_text="of all raters")
    cost = serializers.DecimalField(source="money.cost", max_digits=14, decimal_places=2)
    hourly_pay = serializers.DecimalField(source="money.hourly", max_digits=14, decimal_places=2)
    is_below_floor = serializers.BooleanField(source="money.is_below_floor")
    obstacles = serializers.ListField(child=serializers.CharField(), help_text="why it cannot be published like this")
    warnings = serializers.ListField(child=serializers.CharField())

    def get_hits(self, preview: BatchPreview) -> int:
        return len(preview.plan.hits)


schema_of_preview = extend_schema(
    summary="Say what a batch would be",
    description="Writes nothing. Send its `digest` along when making the batch, and nothing else is made.",
    request=BatchInputSerializer,
    responses={200: BatchPreviewOutputSerializer},
)
REFUSED = OpenApiResponse(description="It cannot be done as the study is now; `detail` says why. Nothing was written.")


def batch_preview_answer(request: Request) -> dict[str, Any]:
    given = _given(request)
    return dict(BatchPreviewOutputSerializer(batch_preview(given["study"], _wish(given))).data)


def batch_make(request: Request) -> Batch:
    given = _given(request)
    wish = _wish(given)
    try:
        return batch_create(
            study=given["study"],
            seed=wish.seed,
            kind=wish.kind,
            hits=wish.hits,
            platform=Platform(given["platform"]),
            expected=given.get("digest", ""),
            actor=actor_of(request),
        )
    except AnnotationError as error:
        raise BatchRefused(str(error)) from None


def batch_open(request: Request, batch: Batch) -> Batch:
    try:
        return batch_publish(batch=batch, actor=actor_of(request))
    except AnnotationError as error:
        raise BatchRefused(str(error)) from None


def _given(request: Request) -> dict[str, Any]:
    batch_in = BatchInputSerializer(data=request.data)
    batch_in.is_valid(raise_exception=True)
    return dict(batch_in.validated_data)


def _wish(given: dict[str, Any]) -> BatchWish:
    seed = given["seed"] if "seed" in given else seed_suggested(given["study"])
    return BatchWish(seed, BatchKind(given["kind"]), given.get("hits"))
