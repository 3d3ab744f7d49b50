from typing import ClassVar

from django.db import models
from django.db.models import Q

from annotation.models.assignments import Item
from annotation.models.rubrics import Criterion
from config.constraints import at_least, is_digest, not_before


class Rating(models.Model):
    """The answer to one criterion on one item, with what was seen."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="ratings")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="ratings")
    value = models.SmallIntegerField()
    clip_key = models.CharField(max_length=64, help_text="of the clip that was shown")
    shown_at = models.DateTimeField()
    answered_at = models.DateTimeField()
    coverage = models.FloatField(
        null=True, blank=True, help_text="share of the clip that was played before; unknown without JavaScript"
    )
    replays = models.PositiveSmallIntegerField(default=0)
    device = models.CharField(max_length=20, blank=True, help_text="phone, tablet or desktop")
    revision = models.PositiveSmallIntegerField(default=1, help_text="how often the answer was given or changed")

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["item", "criterion"], name="rating_once_per_item_and_criterion"),
            is_digest("clip_key", "rating_clip_key_is_digest"),
            not_before("answered_at", "shown_at", "rating_answered_after_shown"),
            at_least("revision", 1, "rating_revision_from_one"),
            models.CheckConstraint(
                condition=Q(coverage__isnull=True) | Q(coverage__gte=0, coverage__lte=1),
                name="rating_coverage_is_share",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion} = {self.value}"
