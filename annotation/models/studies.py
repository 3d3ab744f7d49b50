import secrets
from decimal import Decimal
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from annotation.models.prompts import Sample
from annotation.models.rubrics import Rubric
from config.constraints import at_least, not_empty, one_of


class StudyState(models.TextChoices):
    DRAFT = "draft"
    PILOT = "pilot"
    LIVE = "live"
    PAUSED = "paused"
    CLOSED = "closed"


class GoldCounting(models.TextChoices):
    """What the gold rule counts: a gold question fails when any of its answers is off."""

    QUESTION = "question", "gold questions"
    RATING = "rating", "single answers"


def _salt() -> str:
    return secrets.token_hex(16)


class Study(models.Model):
    """A rubric, its samples, and how they are to be rated."""

    code = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=200)
    purpose = models.TextField(blank=True, help_text="said to raters before they consent")
    state = models.CharField(max_length=10, choices=StudyState.choices, default=StudyState.DRAFT)
    rubric = models.ForeignKey(Rubric, on_delete=models.PROTECT, related_name="studies")
    samples = models.ManyToManyField(Sample, through="StudySample", related_name="studies")
    seed = models.PositiveBigIntegerField(default=0, help_text="every random choice of the study starts here")
    salt = models.CharField(max_length=64, default=_salt, editable=False, help_text="of the raters' pseudonyms")

    look = models.CharField(max_length=40, default="stick")
    view = models.CharField(max_length=40, default="front-left")
    pixels = models.PositiveSmallIntegerField(default=384)
    # One for the whole study: pictures of two backends must not be compared by one rater. The default is also the
    # database's, so that adding the column rewrites no table and drops no trigger.
    backend = models.CharField(max_length=20, default="stick", db_default="stick")

    ratings_per_sample = models.PositiveSmallIntegerField(default=3)
    samples_per_hit = models.PositiveSmallIntegerField(default=20)
    gold_per_hit = models.PositiveSmallIntegerField(default=5)
    gold_failures_allowed = models.PositiveSmallIntegerField(default=2)
    gold_counting = models.CharField(
        max_length=10,
        choices=GoldCounting.choices,
        default=GoldCounting.QUESTION,
        db_default=GoldCounting.QUESTION.value,
        help_text="what the gold rule counts as failed",
    )
    lease_minutes = models.PositiveSmallIntegerField(default=30)
    minimum_seconds = models.PositiveSmallIntegerField(default=12, help_text="shortest time on one item")
    reopen_left_out = models.BooleanField(default=True, help_text="a left-out assignment gives its seat back")
    rater_share = models.FloatField(default=1.0, help_text="cap on one rater's share of the study's samples")

    pay_per_hit = models.DecimalField(max_digits=8, decimal_places=2, default=Decimal("1.25"))
    hourly_floor = models.DecimalField(max_digits=8, decimal_places=2, default=Decimal("0.00"))
    currency = models.CharField(max_length=3, default="USD")
    contact = models.CharField(max_length=200, blank=True)
    consent_text = models.TextField(blank=True)
    consent_version = models.PositiveSmallIntegerField(default=1)

    # Going live accepts the pilot, so this also tells what a pause interrupted. Null: never live yet.
    went_live_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        verbose_name_plural = "studies"
        constraints: ClassVar = [
            not_empty("code", "study_has_code"),
            not_empty("salt", "study_has_salt"),
            one_of("state", StudyState, "study_state_known"),
            one_of("gold_counting", GoldCounting, "study_gold_counting_known"),
            at_least("ratings_per_sample", 1, "study_rates_each_sample"),
            at_least("samples_per_hit", 1, "study_hit_has_samples"),
            at_least("lease_minutes", 1, "study_lease_lasts"),
            at_least("pay_per_hit", 0, "study_pay_not_negative"),
            at_least("hourly_floor", 0, "study_floor_not_negative"),
            at_least("consent_version", 1, "study_consent_version_from_one"),
            models.CheckConstraint(
                condition=Q(gold_per_hit=0) | Q(gold_failures_allowed__lt=models.F("gold_per_hit")),
                name="study_gold_rule_can_fail",
            ),
            models.CheckConstraint(
                condition=Q(rater_share__gt=0, rater_share__lte=1), name="study_rater_share_is_share"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class StudySample(models.Model):
    """A sample's place in a study. A bad one is replaced, not deleted: its ratings stay on record."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="places")
    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="places")
    is_active = models.BooleanField(default=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["study", "sample"], name="study_sample_once"),
        ]

    def __str__(self) -> str:
        return f"{self.sample} in {self.study}"
