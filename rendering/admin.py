from django.contrib import admin

from config.audit.admin import ReadOnlyAdmin
from rendering.models import Clip, Motion, RenderJob


@admin.register(Motion)
class MotionAdmin(ReadOnlyAdmin):
    list_display = ("content_hash", "frames", "fps", "source", "created_at")
    search_fields = ("content_hash", "source")


@admin.register(Clip)
class ClipAdmin(ReadOnlyAdmin):
    list_display = ("key", "look", "view", "pixels", "backend", "state", "rendered_at")
    list_filter = ("state", "look", "view", "backend")


@admin.register(RenderJob)
class RenderJobAdmin(ReadOnlyAdmin):
    list_display = ("id", "clip", "state", "priority", "attempt", "worker", "error", "finished_at")
    list_filter = ("state",)
