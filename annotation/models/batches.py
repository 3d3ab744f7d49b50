from typing import ClassVar

from django.db import models
from django.db.models import Q

from annotation.models.prompts import Sample
from annotation.models.studies import Study
from annotation.models.terms import Terms
from config.constraints import at_least, one_of


class Platform(models.TextChoices):
    """The doors through which raters come."""

    LINK = "link"
    MTURK = "mturk", "MTurk"
    PROLIFIC = "prolific"
    LABEL_STUDIO = "labelstudio", "Label Studio"
    DEMO = "demo", "demo (simulated)"


class BatchKind(models.TextChoices):
    PILOT = "pilot"
    MAIN = "main"


class BatchState(models.TextChoices):
    DRAFT = "draft"
    PUBLISHED = "published"
    CLOSED = "closed"


class Batch(models.Model):
    """HITs made and published together, with the settings they were made with and their cost."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="batches")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=10, choices=BatchKind.choices, default=BatchKind.MAIN)
    state = models.CharField(max_length=10, choices=BatchState.choices, default=BatchState.DRAFT)
    platform = models.CharField(max_length=20, choices=Platform.choices, default=Platform.LINK)
    seed = models.PositiveBigIntegerField()
    settings = models.JSONField(default=dict, blank=True, help_text="the study's settings when the batch was made")
    pay_per_hit = models.DecimalField(max_digits=8, decimal_places=2)
    created_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["study", "number"]
        verbose_name_plural = "batches"
        constraints: ClassVar = [
            at_least("number", 1, "batch_number_from_one"),
            one_of("kind", BatchKind, "batch_kind_known"),
            one_of("state", BatchState, "batch_state_known"),
            one_of("platform", Platform, "batch_platform_known"),
            at_least("pay_per_hit", 0, "batch_pay_not_negative"),
            models.UniqueConstraint(fields=["study", "number"], name="batch_number_once_per_study"),
            models.CheckConstraint(
                condition=Q(state=BatchState.DRAFT, published_at__isnull=True)
                | ~Q(state=BatchState.DRAFT) & Q(published_at__isnull=False),
                name="batch_published_has_time",
            ),
        ]

    def __str__(self) -> str:
        return f"batch {self.number} of {self.study}"

    @property
    def terms(self) -> Terms:
        """What holds for the batch's assignments, although the study may have changed since."""
        return Terms.of_batch(self)


class Hit(models.Model):
    """A set of samples, and the positions where gold will stand, that one rater does in one go. It has R seats."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="hits")
    number = models.PositiveIntegerField()
    pass_number = models.PositiveSmallIntegerField(default=1, help_text="which of the R compositions it belongs to")
    external_id = models.CharField(max_length=100, blank=True, help_text="the crowd platform's name for it")

    class Meta:
        ordering: ClassVar = ["batch", "number"]
        verbose_name = "HIT"
        constraints: ClassVar = [
            at_least("number", 1, "hit_number_from_one"),
            at_least("pass_number", 1, "hit_pass_from_one"),
            models.UniqueConstraint(fields=["batch", "number"], name="hit_number_once_per_batch"),
        ]

    def __str__(self) -> str:
        return f"HIT {self.number} of {self.batch}"


class HitPosition(models.Model):
    """One position of a HIT: a sample, or (none) a place where gold is drawn when a seat is taken."""

    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, related_name="positions")
    position = models.PositiveSmallIntegerField()
    sample = models.ForeignKey(Sample, null=True, blank=True, on_delete=models.PROTECT, related_name="hit_positions")

    class Meta:
        ordering: ClassVar = ["hit", "position"]
        constraints: ClassVar = [
            at_least("position", 1, "hit_position_from_one"),
            models.UniqueConstraint(fields=["hit", "position"], name="hit_position_once"),
            models.UniqueConstraint(fields=["hit", "sample"], name="hit_sample_once"),
        ]

    def __str__(self) -> str:
        return f"{self.position}: {self.sample or 'gold'}"


class Seat(models.Model):
    """One of a HIT's R places. A row of its own, so that the database can hold it for one rater at a time."""

    hit = models.ForeignKey(Hit, on_delete=models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()

    class Meta:
        ordering: ClassVar = ["hit", "number"]
        constraints: ClassVar = [
            at_least("number", 1, "seat_number_from_one"),
            models.UniqueConstraint(fields=["hit", "number"], name="seat_number_once_per_hit"),
        ]

    def __str__(self) -> str:
        return f"seat {self.number} of {self.hit}"
