"""A rater in a study: where they stand."""

from annotation.models import Assignment, AssignmentState, Enrolment, Rater, Study


def rater_enrolment(study: Study, rater: Rater) -> Enrolment | None:
    return Enrolment.objects.filter(study=study, rater=rater).select_related("study").first()


def enrolment_active(enrolment: Enrolment | None) -> Assignment | None:
    if enrolment is None:
        return None
    return enrolment.assignments.filter(state=AssignmentState.ACTIVE).first()


def enrolment_latest(enrolment: Enrolment | None) -> Assignment | None:
    return enrolment.assignments.order_by("-taken_at", "-id").first() if enrolment else None


def enrolment_receipt(enrolment: Enrolment | None) -> Assignment | None:
    """The assignment that was handed in last."""
    if enrolment is None:
        return None
    submitted = enrolment.assignments.filter(state=AssignmentState.SUBMITTED).select_related("seat__hit__batch")
    return submitted.order_by("-submitted_at").first()
