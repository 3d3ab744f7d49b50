from typing import ClassVar

from rest_framework import serializers

from config.api import filters
from config.api.resources import Resource
from rendering.models import Motion


class MotionOutputSerializer(serializers.ModelSerializer[Motion]):
    seconds = serializers.FloatField()

    class Meta:
        model = Motion
        fields: ClassVar = ["content_hash", "frames", "fps", "seconds", "source", "created_at"]


class MotionFilter(filters.FilterSet):
    frames_from = filters.NumberFilter("frames", "gte", label="at least so many frames")
    frames_to = filters.NumberFilter("frames", "lte", label="at most so many frames")

    class Meta:
        model = Motion
        fields: ClassVar = ["content_hash", "source", "fps"]


class MotionResource(Resource[Motion]):
    """Joint trajectories, by the hash of their content."""

    queryset = Motion.objects.all()
    serializer_class = MotionOutputSerializer
    filterset_class = MotionFilter
    lookup_field = "content_hash"
    ordering_fields = ("created_at", "frames", "fps")
