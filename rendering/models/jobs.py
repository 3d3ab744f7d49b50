from typing import ClassVar

from django.db import models
from django.db.models import Q

from config.jobs.models import Job, JobState
from rendering.models.clips import Clip


class RenderJob(Job):
    """The row that a render worker claims to make one clip."""

    clip = models.ForeignKey(Clip, on_delete=models.CASCADE, related_name="jobs")

    class Meta(Job.Meta):
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            *Job.Meta.constraints,
            models.UniqueConstraint(
                fields=["clip"],
                condition=Q(state__in=[JobState.WAITING, JobState.RUNNING]),
                name="renderjob_one_open_per_clip",
            ),
        ]

    def __str__(self) -> str:
        return f"render job {self.pk} ({self.state})"
