from typing import ClassVar

from django.db import models
from django.db.models import Q

from annotation.models import Generator, Sample, Study
from config.constraints import is_finite, not_empty, one_of


class Level(models.TextChoices):
    SAMPLE = "sample"
    GENERATOR = "generator"


class Direction(models.TextChoices):
    HIGHER = "higher", "higher is better"
    LOWER = "lower", "lower is better"
    TARGET = "target", "nearest to the reference's value is best"


class Metric(models.Model):
    """An automatic scorer, with its direction and level."""

    name = models.SlugField(max_length=80)
    version = models.CharField(max_length=40, default="1")
    title = models.CharField(max_length=120, blank=True)
    family = models.CharField(max_length=40, blank=True)
    level = models.CharField(max_length=10, choices=Level.choices)
    direction = models.CharField(max_length=10, choices=Direction.choices)
    is_reference_based = models.BooleanField(default=False)
    units = models.CharField(max_length=40, blank=True)
    citation = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name", "version"]
        constraints: ClassVar = [
            not_empty("name", "metric_has_name"),
            not_empty("version", "metric_has_version"),
            one_of("level", Level, "metric_level_known"),
            one_of("direction", Direction, "metric_direction_known"),
            models.UniqueConstraint(fields=["name", "version"], name="metric_version_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Judge(models.Model):
    """A metric that asks a vision or language model: which model, and what it is told."""

    metric = models.OneToOneField(Metric, on_delete=models.CASCADE, related_name="judge")
    model = models.CharField(max_length=120)
    instructions = models.TextField()
    parameters = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            not_empty("model", "judge_has_model"),
            not_empty("instructions", "judge_has_instructions"),
        ]

    def __str__(self) -> str:
        return f"{self.metric} by {self.model}"


class Score(models.Model):
    """A metric's value on a sample, or on a generator within a study; or "undefined", with the reason."""

    metric = models.ForeignKey(Metric, on_delete=models.PROTECT, related_name="scores")
    sample = models.ForeignKey(Sample, null=True, blank=True, on_delete=models.PROTECT, related_name="scores")
    generator = models.ForeignKey(Generator, null=True, blank=True, on_delete=models.PROTECT, related_name="scores")
    study = models.ForeignKey(Study, null=True, blank=True, on_delete=models.PROTECT, related_name="scores")
    subset = models.CharField(max_length=60, blank=True, help_text="a sub-split of the generator's samples")
    value = models.FloatField(null=True, blank=True)
    undefined_reason = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(sample__isnull=False, generator__isnull=True, study__isnull=True, subset="")
                | Q(sample__isnull=True, generator__isnull=False, study__isnull=False),
                name="score_of_a_sample_or_a_generator",
            ),
            models.CheckConstraint(
                condition=Q(value__isnull=False, undefined_reason="") | Q(value__isnull=True) & ~Q(undefined_reason=""),
                name="score_has_value_or_reason",
            ),
            is_finite("value", "score_is_finite"),
            models.UniqueConstraint(
                fields=["metric", "sample"], condition=Q(sample__isnull=False), name="score_once_per_sample"
            ),
            models.UniqueConstraint(
                fields=["metric", "study", "generator", "subset"],
                condition=Q(generator__isnull=False),
                name="score_once_per_generator",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.metric} = {self.undefined_reason or self.value}"
