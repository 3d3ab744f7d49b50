from typing import ClassVar

from django.db import models

from annotation.models import Study
from config.constraints import is_digest, not_empty


class Preregistration(models.Model):
    """The settings of an analysis, frozen before the labels are known. The database refuses to change or delete it.

    One that comes later is kept too, and says so: `labels_frozen_before` counts the label sets that were frozen then.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="preregistrations")
    title = models.CharField(max_length=200)
    settings = models.JSONField(help_text="analysis.toml, as data")
    toml = models.TextField(help_text="analysis.toml, as it will be run")
    settings_hash = models.CharField(max_length=64)
    labels_frozen_before = models.PositiveIntegerField(help_text="label sets of the study that were frozen by then")
    created_by = models.CharField(max_length=150)
    frozen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            not_empty("title", "preregistration_has_title"),
            is_digest("settings_hash", "preregistration_settings_hash_is_digest"),
        ]

    def __str__(self) -> str:
        return self.title

    @property
    def is_before_labels(self) -> bool:
        return self.labels_frozen_before == 0
