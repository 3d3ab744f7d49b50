"""A rater in a study: where they stand."""

from decimal import Decimal

from django.db.models import Sum

from annotation.models import Assignment, AssignmentState, Decision, Enrolment, Rater, Study
from annotation.services.assignments import enrolment_unfinished


def rater_enrolment(study: Study, rater: Rater) -> Enrolment | None:
    return Enrolment.objects.filter(study=study, rater=rater).select_related("study").first()


def enrolment_active(enrolment: Enrolment | None) -> Assignment | None:
    """What the rater works on, even if its lease ran out: late is not lost."""
    return enrolment_unfinished(enrolment) if enrolment else None


def enrolment_latest(enrolment: Enrolment | None) -> Assignment | None:
    return enrolment.assignments.order_by("-taken_at", "-id").first() if enrolment else None


def enrolment_receipt(enrolment: Enrolment | None) -> Assignment | None:
    """The assignment that was handed in last."""
    if enrolment is None:
        return None
    submitted = enrolment.assignments.filter(state=AssignmentState.SUBMITTED).select_related("seat__hit__batch")
    return submitted.order_by("-submitted_at").first()


def enrolment_earned(enrolment: Enrolment) -> Decimal:
    """What the sets that were handed in are worth, but for those whose pay a person refused."""
    submitted = enrolment.assignments.filter(state=AssignmentState.SUBMITTED).exclude(pay=Decision.NO)
    total = submitted.aggregate(total=Sum("seat__hit__batch__pay_per_hit"))["total"]
    return total if total is not None else Decimal(0)
