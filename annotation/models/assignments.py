from typing import ClassVar

from django.db import models
from django.db.models import Q

from annotation.models.batches import Seat
from annotation.models.gold import Gold
from annotation.models.prompts import Sample
from annotation.models.raters import Enrolment
from config.constraints import at_least, one_of
from rendering.models import Clip


class AssignmentState(models.TextChoices):
    ACTIVE = "active"
    SUBMITTED = "submitted"
    EXPIRED = "expired"
    RELEASED = "released"
    WITHDRAWN = "withdrawn"


class Decision(models.TextChoices):
    """Used three times, separately: is the data used, is the rater paid, are they invited again."""

    OPEN = "open"
    YES = "yes"
    NO = "no"


class Assignment(models.Model):
    """One rater in one seat of a HIT, with its state and lease.

    `holds_seat` is a fact of its own: an expired or left-out assignment gives its seat back, and a rater who comes
    back late to a taken seat keeps the work, is paid, and is surplus (submitted without a seat).
    """

    seat = models.ForeignKey(Seat, on_delete=models.PROTECT, related_name="assignments")
    enrolment = models.ForeignKey(Enrolment, on_delete=models.CASCADE, related_name="assignments")
    state = models.CharField(max_length=10, choices=AssignmentState.choices, default=AssignmentState.ACTIVE)
    holds_seat = models.BooleanField(default=True)
    seed = models.PositiveBigIntegerField(help_text="of the order of items and the gold drawn")
    taken_at = models.DateTimeField()
    lease_until = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    completion_code = models.CharField(max_length=16, unique=True)
    comment = models.TextField(blank=True)

    gold_shown = models.PositiveSmallIntegerField(default=0)
    gold_failed = models.PositiveSmallIntegerField(default=0)
    use_data = models.CharField(max_length=5, choices=Decision.choices, default=Decision.OPEN)
    pay = models.CharField(max_length=5, choices=Decision.choices, default=Decision.OPEN)
    invite_again = models.CharField(max_length=5, choices=Decision.choices, default=Decision.OPEN)
    decision_reason = models.TextField(blank=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            one_of("state", AssignmentState, "assignment_state_known"),
            one_of("use_data", Decision, "assignment_use_data_known"),
            one_of("pay", Decision, "assignment_pay_known"),
            one_of("invite_again", Decision, "assignment_invite_again_known"),
            models.UniqueConstraint(fields=["seat"], condition=Q(holds_seat=True), name="seat_held_once"),
            models.UniqueConstraint(
                fields=["enrolment"], condition=Q(state=AssignmentState.ACTIVE), name="rater_has_one_active_assignment"
            ),
            models.UniqueConstraint(fields=["seat", "enrolment"], name="rater_takes_a_seat_once"),
            models.CheckConstraint(
                condition=Q(state=AssignmentState.ACTIVE, holds_seat=True, lease_until__isnull=False)
                | ~Q(state=AssignmentState.ACTIVE) & Q(lease_until__isnull=True),
                name="assignment_leased_while_active",
            ),
            models.CheckConstraint(
                condition=~Q(state=AssignmentState.SUBMITTED) | Q(submitted_at__isnull=False),
                name="assignment_submitted_has_time",
            ),
            models.CheckConstraint(
                condition=Q(gold_failed__lte=models.F("gold_shown")), name="assignment_gold_counts_agree"
            ),
            models.CheckConstraint(
                condition=~Q(pay=Decision.NO) | ~Q(decision_reason=""), name="assignment_refusal_has_reason"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["state", "lease_until"], name="assignment_leases")]

    def __str__(self) -> str:
        return f"assignment {self.pk} ({self.state})"


class Item(models.Model):
    """One position of an assignment: the sample shown there, gold or not."""

    assignment = models.ForeignKey(Assignment, on_delete=models.CASCADE, related_name="items")
    # Repeats the assignment's, so that the database can refuse a rater the same sample twice.
    enrolment = models.ForeignKey(Enrolment, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveSmallIntegerField()
    sample = models.ForeignKey(Sample, on_delete=models.PROTECT, related_name="items")
    gold = models.ForeignKey(Gold, null=True, blank=True, on_delete=models.PROTECT, related_name="items")
    clip = models.ForeignKey(Clip, null=True, blank=True, on_delete=models.PROTECT, related_name="items")
    occasion = models.PositiveSmallIntegerField(default=1, help_text="2 and up for a retest of the same sample")
    opened_at = models.DateTimeField(null=True, blank=True)
    problem = models.CharField(max_length=200, blank=True, help_text="why it could not be rated")

    class Meta:
        ordering: ClassVar = ["assignment", "position"]
        constraints: ClassVar = [
            at_least("position", 1, "item_position_from_one"),
            at_least("occasion", 1, "item_occasion_from_one"),
            models.UniqueConstraint(fields=["assignment", "position"], name="item_position_once"),
            models.UniqueConstraint(
                fields=["enrolment", "sample", "occasion"],
                condition=Q(gold__isnull=True),
                name="rater_sees_a_sample_once",
            ),
        ]

    def __str__(self) -> str:
        return f"item {self.position} of {self.assignment}"
