from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from config.constraints import one_of

# How often a job is tried before it counts as failed; a person's retry grants as many again.
ATTEMPTS = 3


class JobState(models.TextChoices):
    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class Job(models.Model):
    """A row that one worker at a time claims, with lease, attempt and error."""

    state = models.CharField(max_length=10, choices=JobState.choices, default=JobState.WAITING)
    priority = models.SmallIntegerField(default=0, help_text="higher goes first")
    attempt = models.PositiveSmallIntegerField(default=0)
    max_attempts = models.PositiveSmallIntegerField(default=ATTEMPTS)
    not_before = models.DateTimeField(default=timezone.now, help_text="a retry waits until then")
    lease_until = models.DateTimeField(null=True, blank=True)
    worker = models.CharField(max_length=100, blank=True, help_text="machine and process that has or had it")
    progress = models.FloatField(default=0.0)
    doing = models.CharField(max_length=200, blank=True, help_text="what it is at, in the words of the work itself")
    cancel_requested = models.BooleanField(default=False)
    error = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        abstract = True
        constraints: ClassVar = [
            one_of("state", JobState, "%(class)s_state_known"),
            models.CheckConstraint(
                condition=Q(state=JobState.RUNNING, lease_until__isnull=False) & ~Q(worker="")
                | ~Q(state=JobState.RUNNING) & Q(lease_until__isnull=True),
                name="%(class)s_leased_while_running",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["done", "failed", "cancelled"], finished_at__isnull=False)
                | Q(state__in=["waiting", "running"], finished_at__isnull=True),
                name="%(class)s_finished_has_time",
            ),
            models.CheckConstraint(
                condition=~Q(state=JobState.FAILED) | ~Q(error=""), name="%(class)s_failure_says_why"
            ),
            models.CheckConstraint(condition=Q(progress__gte=0, progress__lte=1), name="%(class)s_progress_is_share"),
            models.CheckConstraint(condition=Q(attempt__lte=F("max_attempts")), name="%(class)s_attempts_are_limited"),
        ]
        indexes: ClassVar = [models.Index(fields=["state", "-priority", "id"], name="%(class)s_claim")]
