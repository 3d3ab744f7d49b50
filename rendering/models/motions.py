from typing import ClassVar

from django.db import models
from django.db.models import Q

from config.constraints import at_least, is_digest


class Motion(models.Model):
    """One joint trajectory, (frames, 22, 3) in metres, Y up; its file is named by its content hash."""

    content_hash = models.CharField(max_length=64, unique=True)
    file = models.FileField(max_length=200)
    frames = models.PositiveIntegerField()
    fps = models.FloatField()
    source = models.CharField(max_length=300, blank=True, help_text="where it came from: a file name, or the code")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            is_digest("content_hash", "motion_hash_is_digest"),
            at_least("frames", 1, "motion_has_frames"),
            models.CheckConstraint(condition=Q(fps__gt=0, fps__lte=240), name="motion_fps_in_range"),
        ]

    def __str__(self) -> str:
        return f"motion {self.content_hash[:12]}"

    @property
    def seconds(self) -> float:
        return self.frames / self.fps
