"""Answers. Each is saved as it is given, again and again until the HIT is submitted; twice the same is once."""

import math
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from annotation.errors import BadAnswer, NotYours, TooSoon
from annotation.models import Assignment, AssignmentState, Enrolment, Item, Option, Rating
from annotation.services.assignments import assignment_resume
from annotation.services.review import assignment_review
from config.audit.services import SYSTEM, audit_record
from config.jobs.models import JobState
from rendering.models import RenderJob

OPEN = (AssignmentState.ACTIVE, AssignmentState.EXPIRED)


@transaction.atomic
def item_open(*, item: Item, at: datetime | None = None) -> Item:
    """Note when the item was first shown: the server's clock decides how long it was watched."""
    row = Item.objects.select_for_update().get(pk=item.pk)
    if row.opened_at is None:
        row.opened_at = at or timezone.now()
        row.save(update_fields=["opened_at"])
    return row


@transaction.atomic
def item_release_unplayable(*, item: Item) -> bool:
    """Let an item go whose clip will not come: the rater is not to wait for it, nor to lose the HIT over it."""
    row = Item.objects.select_for_update().get(pk=item.pk)
    states = set(RenderJob.objects.filter(clip=row.clip_id).values_list("state", flat=True))
    if row.clip_id and states != {JobState.FAILED}:
        return False
    row.problem = "no clip could be drawn"
    row.save(update_fields=["problem"])
    audit_record(actor=SYSTEM, action="item.released", subject=row, details={"problem": row.problem})
    return True


@transaction.atomic
def rating_save(
    *, item: Item, enrolment: Enrolment, answers: Mapping[str, int], device: str = "", at: datetime | None = None
) -> list[Rating]:
    """Store the answers to an item (criterion -> value), replacing earlier ones; all or none."""
    at = at or timezone.now()
    _resume_open(item.assignment_id, enrolment, at=at)
    row = Item.objects.select_related("clip").get(pk=item.pk)
    study = enrolment.study
    criteria = _criteria_answered(answers, rubric=study.rubric_id)
    shown_at, clip_key = _what_was_seen(row, minimum_seconds=study.minimum_seconds, at=at)
    ratings = {rating.criterion_id: rating for rating in Rating.objects.filter(item=row)}
    new = [
        Rating(
            item=row,
            criterion_id=criterion,
            value=value,
            clip_key=clip_key,
            shown_at=shown_at,
            answered_at=at,
            device=device,
        )
        for criterion, value in criteria.items()
        if criterion not in ratings
    ]
    Rating.objects.bulk_create(new)
    for criterion, value in criteria.items():
        if criterion in ratings and ratings[criterion].value != value:
            _revise(ratings[criterion], value=value, at=at)
    return [*new, *(ratings[criterion] for criterion in criteria if criterion in ratings)]


def _resume_open(pk: int, enrolment: Enrolment, *, at: datetime) -> Assignment:
    """The assignment, locked until the transaction ends, with its lease extended; late ones are welcome."""
    assignment = Assignment.objects.select_for_update().get(pk=pk)
    if assignment.enrolment_id != enrolment.pk:
        raise NotYours("This assignment is not yours.")
    if assignment.state not in OPEN:
        raise NotYours(f"This assignment is {assignment.state}: its answers can no longer be changed.")
    return assignment_resume(assignment=assignment, at=at)


def _criteria_answered(answers: Mapping[str, int], *, rubric: int) -> dict[int, int]:
    """Criterion -> value, if every answer is an option of a question that is asked."""
    options: dict[str, dict[int, int]] = {}
    asked = Option.objects.filter(criterion__rubric=rubric, criterion__formula="").order_by("value")
    for code, criterion, value in asked.values_list("criterion__code", "criterion_id", "value"):
        options.setdefault(code, {})[value] = criterion
    if unknown := answers.keys() - options.keys():
        raise BadAnswer(f"There is no question called {', '.join(sorted(unknown))}.")
    for code, value in answers.items():
        if value not in options[code]:
            raise BadAnswer(f"{code}: expected one of {', '.join(map(str, options[code]))}, found {value}.")
    return {options[code][value]: value for code, value in answers.items()}


def _what_was_seen(item: Item, *, minimum_seconds: int, at: datetime) -> tuple[datetime, str]:
    """When the item was opened, and which clip it showed."""
    if item.clip is None:
        raise BadAnswer("This item has no clip yet, so it cannot be rated.")
    if item.opened_at is None:
        raise TooSoon("Watch the clip first.")
    wait = (item.opened_at + timedelta(seconds=minimum_seconds) - at).total_seconds()
    if wait > 0:
        raise TooSoon(f"Please watch the whole clip first: {math.ceil(wait)} more seconds.")
    return item.opened_at, item.clip.key


def _revise(rating: Rating, *, value: int, at: datetime) -> None:
    rating.value, rating.answered_at, rating.revision = value, at, rating.revision + 1
    rating.save(update_fields=["value", "answered_at", "revision"])


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
    if row.state not in OPEN:
        raise NotYours(f"This assignment is {row.state} and cannot be submitted.")
    row = assignment_resume(assignment=row, at=at)
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
