from typing import ClassVar

from django.db import models
from django.db.models import Q

from annotation.models.prompts import Sample
from annotation.models.rubrics import Criterion
from annotation.models.studies import Study
from config.constraints import DIGEST, at_least, is_finite, not_empty, one_of


class LabelSet(models.Model):
    """Human labels, aggregated after quality control and frozen: what analyses use.

    Once `frozen_at` is set the database refuses every change to it and its labels.
    """

    study = models.ForeignKey(Study, on_delete=models.PROTECT, related_name="label_sets")
    number = models.PositiveIntegerField()
    aggregation = models.CharField(max_length=40, default="mean")
    filters = models.JSONField(default=dict, blank=True)
    counts = models.JSONField(default=dict, blank=True, help_text="ratings and samples kept at each step")
    code_version = models.CharField(max_length=40)
    content_hash = models.CharField(max_length=64, blank=True)
    ratings_file = models.FileField(max_length=200, blank=True, help_text="the accepted ratings, in long form")
    ratings_hash = models.CharField(max_length=64, blank=True)
    created_by = models.CharField(max_length=150)
    created_at = models.DateTimeField(auto_now_add=True)
    frozen_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["study", "number"]
        constraints: ClassVar = [
            at_least("number", 1, "label_set_number_from_one"),
            models.UniqueConstraint(fields=["study", "number"], name="label_set_number_once_per_study"),
            models.CheckConstraint(
                condition=Q(frozen_at__isnull=True) | Q(content_hash__regex=DIGEST),
                name="label_set_frozen_has_hash",
            ),
        ]

    def __str__(self) -> str:
        return f"label set {self.number} of {self.study}"


class Label(models.Model):
    """What people say of one sample on one criterion."""

    label_set = models.ForeignKey(LabelSet, on_delete=models.PROTECT, related_name="labels")
    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="labels")
    criterion = models.ForeignKey(Criterion, on_delete=models.PROTECT, related_name="labels")
    value = models.FloatField()
    ratings = models.PositiveSmallIntegerField(help_text="how many ratings it was made from")

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["label_set", "sample", "criterion"], name="label_once"),
            at_least("ratings", 1, "label_has_ratings"),
            is_finite("value", "label_is_finite"),
        ]

    def __str__(self) -> str:
        return f"{self.criterion} = {self.value:g}"


class MarkKind(models.TextChoices):
    STALE = "stale"
    SUPERSEDED = "superseded"


class LabelSetMark(models.Model):
    """What became of a frozen label set later. Beside it, because the set itself never changes."""

    label_set = models.ForeignKey(LabelSet, on_delete=models.PROTECT, related_name="marks")
    kind = models.CharField(max_length=10, choices=MarkKind.choices)
    reason = models.CharField(max_length=300)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            one_of("kind", MarkKind, "label_set_mark_kind_known"),
            not_empty("reason", "label_set_mark_has_reason"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"
