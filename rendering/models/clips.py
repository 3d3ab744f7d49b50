from typing import ClassVar

from django.db import models
from django.db.models import Q

from config.constraints import DIGEST, at_least, is_digest, one_of
from rendering.models.motions import Motion


class ClipState(models.TextChoices):
    PLANNED = "planned"
    READY = "ready"


class Clip(models.Model):
    """A rendered video of a motion: a look (how it is drawn) and a view (from where).

    `key` is a hash of all that decides the picture, so the same clip is never rendered twice and is known before it
    exists. `file_hash` is the hash of the video that a person saw.
    """

    key = models.CharField(max_length=64, unique=True)
    motion = models.ForeignKey(Motion, on_delete=models.PROTECT, related_name="clips")
    look = models.CharField(max_length=40)
    view = models.CharField(max_length=40)
    pixels = models.PositiveSmallIntegerField()
    backend = models.CharField(max_length=20)
    renderer_version = models.CharField(max_length=20)
    state = models.CharField(max_length=10, choices=ClipState.choices, default=ClipState.PLANNED)
    file = models.FileField(max_length=200, blank=True)
    poster = models.FileField(max_length=200, blank=True)
    file_hash = models.CharField(max_length=64, blank=True)
    details = models.JSONField(default=dict, blank=True, help_text="what was drawn, and what it cost")
    created_at = models.DateTimeField(auto_now_add=True)
    rendered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            is_digest("key", "clip_key_is_digest"),
            one_of("state", ClipState, "clip_state_known"),
            at_least("pixels", 16, "clip_has_pixels"),
            models.UniqueConstraint(
                fields=["motion", "look", "view", "pixels", "backend", "renderer_version"], name="clip_drawn_once"
            ),
            models.CheckConstraint(
                condition=Q(state=ClipState.PLANNED)
                | Q(state=ClipState.READY, rendered_at__isnull=False, file_hash__regex=DIGEST) & ~Q(file=""),
                name="clip_ready_has_file",
            ),
        ]

    def __str__(self) -> str:
        return f"clip {self.key[:12]} ({self.look}, {self.view})"
