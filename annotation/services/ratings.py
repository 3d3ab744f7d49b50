"""Answers. Each is saved as it is given, again and again until the HIT is submitted; twice the same is once."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotation.errors import AnsweredSince, BadAnswer, NotYours
from annotation.models import Assignment, AssignmentState, Enrolment, Item, Option, Rating
from annotation.services.assignments import assignment_resume
from annotation.services.review import assignment_review
from annotation.services.watching import UNKNOWN, Playback, refuse_unwatched
from config.audit.services import SYSTEM, audit_record
from config.jobs.models import JobState
from rendering.models import RenderJob

OPEN = (AssignmentState.ACTIVE, AssignmentState.EXPIRED)
UNPLAYABLE = "would not play in the rater's browser"


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
def item_report_unplayable(*, item: Item, enrolment: Enrolment, at: datetime | None = None) -> Item:
    """Let an item go whose clip the rater's browser does not play. Nobody is to lose pay over it."""
    _resume_open(item.assignment_id, enrolment, at=at or timezone.now())
    row = Item.objects.select_for_update().get(pk=item.pk)
    if row.opened_at is None:
        raise BadAnswer("This clip has not been shown yet.")
    if not row.problem:
        row.problem = UNPLAYABLE
        row.save(update_fields=["problem"])
        details = {"problem": row.problem}
        audit_record(actor=f"rater:{enrolment.pseudonym}", action="item.released", subject=row, details=details)
    return row


@transaction.atomic
def rating_save(
    *,
    item: Item,
    enrolment: Enrolment,
    answers: Mapping[str, int],
    playback: Playback = UNKNOWN,
    device: str = "",
    at: datetime | None = None,
) -> list[Rating]:
    """Store the answers to an item (criterion -> value), replacing earlier ones; all or none."""
    at = at or timezone.now()
    row = _lock_item(item, enrolment, at=at)
    criteria = _criteria_answered(answers, rubric=enrolment.study.rubric_id)
    given = {rating.criterion_id: rating for rating in Rating.objects.filter(item=row)}
    _refuse_unrateable(row, given.values(), enrolment, playback, at=at)
    changed = {pk: value for pk, value in criteria.items() if pk in given and given[pk].value != value}
    for pk, value in changed.items():
        _revise(given[pk], value=value, revision=given[pk].revision + 1, playback=playback, at=at)
    new = {pk: value for pk, value in criteria.items() if pk not in given}
    created = Rating.objects.bulk_create(
        [_rating(row, pk, value, revision=1, playback=playback, device=device, at=at) for pk, value in new.items()]
    )
    return [*created, *(given[pk] for pk in criteria if pk in given)]


@dataclass(frozen=True)
class Receipt:
    """What is stored of one answer; `is_new` is false where the same submission had already arrived."""

    revision: int
    value: int
    is_new: bool


@transaction.atomic
def answer_save(
    *,
    item: Item,
    enrolment: Enrolment,
    criterion: str,
    value: int,
    revision: int,
    playback: Playback = UNKNOWN,
    device: str = "",
    at: datetime | None = None,
) -> Receipt:
    """Store one answer as it is given. Item, criterion and revision name it: sent twice, it is stored once."""
    at = at or timezone.now()
    row = _lock_item(item, enrolment, at=at)
    (asked,) = _criteria_answered({criterion: value}, rubric=enrolment.study.rubric_id)
    given = {rating.criterion_id: rating for rating in Rating.objects.filter(item=row)}
    earlier = given.get(asked)
    if earlier and revision <= earlier.revision:
        return _already(earlier, value=value)
    _refuse_unrateable(row, given.values(), enrolment, playback, at=at)
    if earlier:
        _revise(earlier, value=value, revision=revision, playback=playback, at=at)
    else:
        _rating(row, asked, value, revision=revision, playback=playback, device=device, at=at).save()
    return Receipt(revision, value, is_new=True)


def _already(earlier: Rating, *, value: int) -> Receipt:
    if value != earlier.value:
        message = "Another answer to this question has arrived since."
        raise AnsweredSince(message, revision=earlier.revision, value=earlier.value)
    return Receipt(earlier.revision, value, is_new=False)


def _lock_item(item: Item, enrolment: Enrolment, *, at: datetime) -> Item:
    """The item, while its assignment is locked and open; the lease is extended."""
    _resume_open(item.assignment_id, enrolment, at=at)
    return Item.objects.select_related("clip__motion", "assignment__seat__hit__batch__study").get(pk=item.pk)


def _refuse_unrateable(
    item: Item, given: Collection[Rating], enrolment: Enrolment, playback: Playback, *, at: datetime
) -> None:
    """Who has answered one question has watched the clip: the gate is passed once."""
    if item.problem:
        raise BadAnswer("This clip was let go because it would not play. It needs no answers.")
    if not given:
        terms = item.assignment.seat.hit.batch.terms
        refuse_unwatched(item, playback, minimum_seconds=terms.minimum_seconds, at=at)


def _rating(
    item: Item, criterion: int, value: int, *, revision: int, playback: Playback, device: str, at: datetime
) -> Rating:
    if item.clip is None or item.opened_at is None:
        raise BadAnswer("This item was not shown, so it cannot be rated.")
    return Rating(
        item=item,
        criterion_id=criterion,
        value=value,
        clip_key=item.clip.key,
        shown_at=item.opened_at,
        answered_at=at,
        coverage=playback.coverage,
        replays=playback.replays,
        device=device,
        revision=revision,
    )


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


def _revise(rating: Rating, *, value: int, revision: int, playback: Playback, at: datetime) -> None:
    rating.value, rating.answered_at, rating.revision = value, at, revision
    # A later window may know less of the playing than an earlier one did.
    known = [share for share in (rating.coverage, playback.coverage) if share is not None]
    rating.coverage = max(known, default=None)
    rating.replays = max(rating.replays, playback.replays)
    rating.save(update_fields=["value", "answered_at", "revision", "coverage", "replays"])


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
