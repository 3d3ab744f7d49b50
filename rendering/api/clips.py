from typing import ClassVar

from rest_framework import serializers

from config.api import filters
from config.api.fields import NamedChoiceField
from config.api.resources import Resource
from rendering.models import Clip, ClipState


class ClipOutputSerializer(serializers.ModelSerializer[Clip]):
    motion = serializers.CharField(source="motion.content_hash")
    state = NamedChoiceField(ClipState)

    class Meta:
        model = Clip
        fields: ClassVar = [
            "key",
            "motion",
            "look",
            "view",
            "pixels",
            "backend",
            "renderer_version",
            "state",
            "file_hash",
            "details",
            "created_at",
            "rendered_at",
        ]


class ClipFilter(filters.FilterSet):
    motion = filters.CharFilter("motion__content_hash", label="the motion's content hash")

    class Meta:
        model = Clip
        fields: ClassVar = ["key", "look", "view", "pixels", "backend", "renderer_version", "state", "file_hash"]


class ClipResource(Resource[Clip]):
    """Rendered videos of motions. What one looks like, not the video itself."""

    queryset = Clip.objects.select_related("motion")
    serializer_class = ClipOutputSerializer
    filterset_class = ClipFilter
    lookup_field = "key"
    ordering_fields = ("created_at", "rendered_at")
