"""Answers. Each is saved as it is given, again and again until the HIT is submitted; twice the same is once."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from annotation.errors import BadAnswer, NotYours, TooSoon
from annotation.models import Assignment, AssignmentState, Enrolment, Item, Option, Rating
from annotation.services.review import assignment_review
from config.audit.services import audit_record


@transaction.atomic
def item_open(*, item: Item, at: datetime | None = None) -> Item:
    """Note when the item was first shown: the server's clock decides how long it was watched."""
    row = Item.objects.select_for_update().get(pk=item.pk)
    if row.opened_at is None:
        row.opened_at = at or timezone.now()
        row.save(update_fields=["opened_at"])
    return row


@transaction.atomic
def rating_save(
    *, item: Item, enrolment: Enrolment, answers: Mapping[str, int], device: str = "", at: datetime | None = None
) -> list[Rating]:
    """Store the answers to an item (criterion -> value), replacing earlier ones; all or none."""
    at = at or timezone.now()
    assignment = _lock_active(item.assignment_id, enrolment)
    row = Item.objects.select_related("clip", "assignment__seat__hit__batch__study__rubric").get(pk=item.pk)
    study = row.assignment.seat.hit.batch.study
    criteria = {criterion.code: criterion for criterion in study.rubric.criteria.filter(formula="")}
    if unknown := answers.keys() - criteria.keys():
        raise BadAnswer(f"There is no question called {', '.join(sorted(unknown))}.")
    _refuse_unknown_values(answers, study.rubric_id)
    if row.clip is None:
        raise BadAnswer("This item has no clip yet, so it cannot be rated.")
    if row.opened_at is None:
        raise TooSoon("Watch the clip first.")
    wait = (row.opened_at + timedelta(seconds=study.minimum_seconds) - at).total_seconds()
    if wait > 0:
        raise TooSoon(f"Please watch the whole clip first: {wait:.0f} more seconds.")
    ratings = []
    for code, value in answers.items():
        rating, created = Rating.objects.get_or_create(
            item=row,
            criterion=criteria[code],
            defaults={
                "value": value,
                "clip_key": row.clip.key,
                "shown_at": row.opened_at,
                "answered_at": at,
                "device": device,
            },
        )
        if not created and rating.value != value:
            rating.value, rating.answered_at, rating.revision = value, at, rating.revision + 1
            rating.save(update_fields=["value", "answered_at", "revision"])
        ratings.append(rating)
    assignment.lease_until = at + timedelta(minutes=study.lease_minutes)
    assignment.save(update_fields=["lease_until"])
    return ratings


def _lock_active(pk: int, enrolment: Enrolment) -> Assignment:
    assignment = Assignment.objects.select_for_update().get(pk=pk)
    if assignment.enrolment_id != enrolment.pk:
        raise NotYours("This assignment is not yours.")
    if assignment.state != AssignmentState.ACTIVE:
        raise NotYours(f"This assignment is {assignment.state}: its answers can no longer be changed.")
    return assignment


def _refuse_unknown_values(answers: Mapping[str, int], rubric: int) -> None:
    options = set(Option.objects.filter(criterion__rubric=rubric).values_list("criterion__code", "value"))
    for code, value in answers.items():
        if (code, value) not in options:
            known = ", ".join(str(option) for name, option in sorted(options) if name == code)
            raise BadAnswer(f"{code}: expected one of {known}, found {value}.")


@transaction.atomic
def assignment_submit(
    *, assignment: Assignment, enrolment: Enrolment, comment: str = "", at: datetime | None = None
) -> Assignment:
    """Hand the HIT in. A double click is one submission: the second finds it done and changes nothing."""
    at = at or timezone.now()
    row = Assignment.objects.select_for_update().get(pk=assignment.pk)
    if row.enrolment_id != enrolment.pk:
        raise NotYours("This assignment is not yours.")
    if row.state == AssignmentState.SUBMITTED:
        return row
    if row.state != AssignmentState.ACTIVE:
        raise NotYours(f"This assignment is {row.state} and cannot be submitted.")
    unanswered = items_unanswered(row)
    if unanswered:
        raise BadAnswer(f"{len(unanswered)} items are not fully answered yet, the first is number {unanswered[0]}.")
    row.state, row.submitted_at, row.lease_until, row.comment = AssignmentState.SUBMITTED, at, None, comment
    row.save()
    audit_record(actor=f"rater:{enrolment.pseudonym}", action="assignment.submitted", subject=row)
    return assignment_review(assignment=row)


def items_unanswered(assignment: Assignment) -> list[int]:
    """Positions that still lack an answer to some question."""
    rubric = assignment.seat.hit.batch.study.rubric
    asked = set(rubric.criteria.filter(formula="").values_list("pk", flat=True))
    given: dict[int, set[int]] = {}
    for position, criterion in Rating.objects.filter(item__assignment=assignment).values_list(
        "item__position", "criterion_id"
    ):
        given.setdefault(position, set()).add(criterion)
    positions = assignment.items.filter(problem="").order_by("position").values_list("position", flat=True)
    return [position for position in positions if not asked <= given.get(position, set())]
