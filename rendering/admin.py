from typing import ClassVar

from django.contrib import admin

from config.audit.admin import ReadOnlyAdmin
from rendering.models import Clip, Motion, RenderJob


@admin.register(Motion)
class MotionAdmin(ReadOnlyAdmin):
    list_display: ClassVar = ["content_hash", "frames", "fps", "source", "created_at"]
    search_fields: ClassVar = ["content_hash", "source"]


@admin.register(Clip)
class ClipAdmin(ReadOnlyAdmin):
    list_display: ClassVar = ["key", "look", "view", "pixels", "backend", "state", "rendered_at"]
    list_filter: ClassVar = ["state", "look", "view", "backend"]


@admin.register(RenderJob)
class RenderJobAdmin(ReadOnlyAdmin):
    list_display: ClassVar = ["id", "clip", "state", "priority", "attempt", "worker", "error", "finished_at"]
    list_filter: ClassVar = ["state"]
