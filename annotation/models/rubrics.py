from typing import ClassVar

from django.db import models
from django.db.models import Q

from config.constraints import at_least, not_empty, one_of


class Rubric(models.Model):
    """The questions, in a version: a change makes a new version, and old ratings stay with the old one."""

    name = models.SlugField(max_length=60)
    version = models.PositiveSmallIntegerField(default=1)
    title = models.CharField(max_length=120)
    instructions = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["name", "version"]
        constraints: ClassVar = [
            not_empty("name", "rubric_has_name"),
            at_least("version", 1, "rubric_version_from_one"),
            models.UniqueConstraint(fields=["name", "version"], name="rubric_version_once"),
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"


class Scale(models.TextChoices):
    LIKERT = "likert"
    BINARY = "binary"


class Criterion(models.Model):
    """One question. A derived criterion has a formula over the others and is computed, never asked."""

    rubric = models.ForeignKey(Rubric, on_delete=models.CASCADE, related_name="criteria")
    code = models.SlugField(max_length=60)
    position = models.PositiveSmallIntegerField()
    question = models.CharField(max_length=300)
    scale = models.CharField(max_length=10, choices=Scale.choices)
    formula = models.CharField(max_length=200, blank=True, help_text='for instance "faithfulness and naturalness"')

    class Meta:
        ordering: ClassVar = ["rubric", "position"]
        verbose_name_plural = "criteria"
        constraints: ClassVar = [
            not_empty("code", "criterion_has_code"),
            one_of("scale", Scale, "criterion_scale_known"),
            models.UniqueConstraint(fields=["rubric", "code"], name="criterion_code_once_per_rubric"),
            models.UniqueConstraint(fields=["rubric", "position"], name="criterion_position_once_per_rubric"),
            models.CheckConstraint(condition=~Q(question="") | ~Q(formula=""), name="criterion_asked_or_derived"),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def is_derived(self) -> bool:
        return bool(self.formula)


class Option(models.Model):
    """One answer to a criterion, with its label and a help text."""

    criterion = models.ForeignKey(Criterion, on_delete=models.CASCADE, related_name="options")
    value = models.SmallIntegerField()
    label = models.CharField(max_length=120)
    help = models.TextField(blank=True)

    class Meta:
        ordering: ClassVar = ["criterion", "value"]
        constraints: ClassVar = [
            not_empty("label", "option_has_label"),
            models.UniqueConstraint(fields=["criterion", "value"], name="option_value_once_per_criterion"),
        ]

    def __str__(self) -> str:
        return f"{self.value} {self.label}"
