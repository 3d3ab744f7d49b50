from typing import ClassVar

from django.db import models

from annotation.models.prompts import Sample
from annotation.models.rubrics import Criterion
from annotation.models.studies import Study
from config.constraints import at_least


class Gold(models.Model):
    """A sample whose right answer is known. It never enters labels, agreement or analyses."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="gold")
    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="gold")
    is_active = models.BooleanField(default=True)
    reason = models.TextField(blank=True, help_text="why this is the right answer")
    inactive_reason = models.TextField(blank=True, default="", db_default="", help_text="why raters no longer meet it")

    class Meta:
        ordering: ClassVar = ["id"]
        verbose_name_plural = "gold"
        constraints: ClassVar = [models.UniqueConstraint(fields=["study", "sample"], name="gold_once_per_study")]

    def __str__(self) -> str:
        return f"gold {self.sample}"


class GoldAnswer(models.Model):
    """The right answer on one criterion, and the tolerance that still passes."""

    gold = models.ForeignKey(Gold, on_delete=models.CASCADE, related_name="answers")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="gold_answers")
    value = models.SmallIntegerField()
    tolerance = models.SmallIntegerField(default=1)

    class Meta:
        ordering: ClassVar = ["gold", "criterion"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["gold", "criterion"], name="gold_answer_once_per_criterion"),
            at_least("tolerance", 0, "gold_tolerance_not_negative"),
        ]

    def __str__(self) -> str:
        return f"{self.criterion} = {self.value} ± {self.tolerance}"
