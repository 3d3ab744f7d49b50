from typing import ClassVar

from django.db import IntegrityError
from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response

from config.api import filters
from config.api.fields import NamedChoiceField
from config.api.resources import Resource, actor_of
from config.jobs.models import JobState
from config.jobs.services import job_cancel
from config.roles import MANAGER
from rendering.models import RenderJob
from rendering.services.jobs import render_job_retry

REFUSED = OpenApiResponse(description="The job is not in a state in which this can be done.")


class WrongState(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_code = "wrong_state"


class RenderJobOutputSerializer(serializers.ModelSerializer[RenderJob]):
    clip = serializers.CharField(source="clip.key")
    state = NamedChoiceField(JobState)

    class Meta:
        model = RenderJob
        fields: ClassVar = [
            "id",
            "clip",
            "state",
            "priority",
            "attempt",
            "max_attempts",
            "not_before",
            "lease_until",
            "worker",
            "progress",
            "cancel_requested",
            "error",
            "created_at",
            "started_at",
            "finished_at",
        ]


class RenderJobFilter(filters.FilterSet):
    clip = filters.CharFilter("clip__key", label="the clip's key")
    motion = filters.CharFilter("clip__motion__content_hash", label="the motion's content hash")

    class Meta:
        model = RenderJob
        fields: ClassVar = ["state", "worker", "priority", "cancel_requested"]


class RenderJobResource(Resource[RenderJob]):
    """What render workers have to do, are doing and have done."""

    queryset = RenderJob.objects.select_related("clip")
    serializer_class = RenderJobOutputSerializer
    filterset_class = RenderJobFilter
    ordering_fields = ("id", "priority", "created_at", "started_at", "finished_at")
    write_roles = (MANAGER,)

    @extend_schema(request=None, responses={200: RenderJobOutputSerializer, 409: REFUSED})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: str) -> Response:
        """A waiting job is cancelled at once, a running one at its next heartbeat."""
        job = self.get_object()
        job_cancel(job, actor=actor_of(request))
        job.refresh_from_db()
        if job.state != JobState.CANCELLED and not job.cancel_requested:
            raise WrongState(f"Only a waiting or running job can be cancelled; this one is {job.state}.")
        return Response(self.get_serializer(job).data)

    @extend_schema(request=None, responses={200: RenderJobOutputSerializer, 409: REFUSED})
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, pk: str) -> Response:
        """A failed or cancelled job waits again, with all its attempts."""
        job = self.get_object()
        try:
            render_job_retry(job=job, actor=actor_of(request))
        except IntegrityError:
            raise WrongState("Another job for this clip is waiting or running already.") from None
        job.refresh_from_db()
        if job.state != JobState.WAITING:
            raise WrongState(f"Only a failed or cancelled job can be retried; this one is {job.state}.")
        return Response(self.get_serializer(job).data)
