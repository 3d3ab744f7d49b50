from typing import ClassVar

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce
from drf_spectacular.utils import extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.batch_making import (
    REFUSED,
    BatchInputSerializer,
    batch_make,
    batch_open,
    batch_preview_answer,
    schema_of_preview,
)
from annotation.models import Assignment, Batch, BatchKind, BatchState, Hit, HitPosition, Platform, Seat
from config.api import filters
from config.api.fields import NamedChoiceField
from config.api.resources import Resource
from config.roles import MANAGER


class BatchOutputSerializer(serializers.ModelSerializer[Batch]):
    study = serializers.CharField(source="study.code")
    kind = NamedChoiceField(BatchKind)
    state = NamedChoiceField(BatchState)
    platform = NamedChoiceField(Platform)

    class Meta:
        model = Batch
        fields: ClassVar = [
            "id",
            "study",
            "number",
            "kind",
            "state",
            "platform",
            "seed",
            "settings",
            "pay_per_hit",
            "created_at",
            "published_at",
        ]


class BatchFilter(filters.FilterSet):
    study = filters.CharFilter("study__code", label="the study's code")

    class Meta:
        model = Batch
        fields: ClassVar = ["number", "kind", "state", "platform"]


class BatchResource(Resource[Batch]):
    """HITs made and published together."""

    queryset = Batch.objects.select_related("study")
    serializer_class = BatchOutputSerializer
    filterset_class = BatchFilter
    ordering_fields = ("id", "number", "created_at", "published_at")
    write_roles = (MANAGER,)

    def get_serializer_class(self) -> type[serializers.BaseSerializer[Batch]]:
        return BatchInputSerializer if self.action == "create" else BatchOutputSerializer

    @extend_schema(
        summary="Make a batch",
        description="A draft, its HITs composed from the study's samples. No rater sees it before it is published.",
        request=BatchInputSerializer,
        responses={201: BatchOutputSerializer, 409: REFUSED},
    )
    def create(self, request: Request) -> Response:
        batch = batch_make(request)
        return Response(BatchOutputSerializer(batch).data, status=status.HTTP_201_CREATED)

    @schema_of_preview
    @action(detail=False, methods=["post"], pagination_class=None, own_parameters=frozenset(), filterset_class=None)
    def preview(self, request: Request) -> Response:
        return Response(batch_preview_answer(request))

    @extend_schema(
        summary="Publish a batch",
        description="Opens its HITs to raters, as soon as the study is open, and has their clips drawn.",
        request=None,
        responses={200: BatchOutputSerializer, 409: REFUSED},
    )
    @action(detail=True, methods=["post"], pagination_class=None, own_parameters=frozenset(), filterset_class=None)
    def publish(self, request: Request, pk: str) -> Response:
        return Response(BatchOutputSerializer(batch_open(request, self.get_object())).data)


class HitPositionOutputSerializer(serializers.ModelSerializer[HitPosition]):
    sample = serializers.CharField(
        source="sample.code", default=None, allow_null=True, help_text="null where gold is drawn"
    )

    class Meta:
        model = HitPosition
        fields: ClassVar = ["position", "sample"]


class HitOutputSerializer(serializers.ModelSerializer[Hit]):
    study = serializers.CharField(source="batch.study.code")
    batch = serializers.IntegerField(source="batch_id")
    seats = serializers.IntegerField(source="seat_count")
    seats_taken = serializers.IntegerField(source="seat_taken_count")
    positions = HitPositionOutputSerializer(many=True)

    class Meta:
        model = Hit
        fields: ClassVar = [
            "id",
            "study",
            "batch",
            "number",
            "pass_number",
            "external_id",
            "seats",
            "seats_taken",
            "positions",
        ]


class HitFilter(filters.FilterSet):
    study = filters.CharFilter("batch__study__code", label="the study's code")
    batch = filters.NumberFilter("batch_id", label="the batch's id")
    sample = filters.CharFilter("positions__sample__code", label="the code of a sample in it")

    class Meta:
        model = Hit
        fields: ClassVar = ["number", "pass_number", "external_id"]


# Counted for the rows of one page only: as joins they would count the whole table.
_SEATS = Seat.objects.filter(hit=OuterRef("pk")).order_by().values("hit").annotate(n=Count("pk")).values("n")
_TAKEN = (
    Assignment.objects.filter(seat__hit=OuterRef("pk"), holds_seat=True)
    .order_by()
    .values("seat__hit")
    .annotate(n=Count("pk"))
    .values("n")
)


class HitResource(Resource[Hit]):
    """What one rater does in one go: samples, and places where gold will stand."""

    queryset = (
        Hit.objects.select_related("batch__study")
        .prefetch_related("positions__sample")
        .annotate(seat_count=Coalesce(Subquery(_SEATS), 0), seat_taken_count=Coalesce(Subquery(_TAKEN), 0))
    )
    serializer_class = HitOutputSerializer
    filterset_class = HitFilter
    ordering_fields = ("id", "number")
