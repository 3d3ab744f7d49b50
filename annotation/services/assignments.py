"""Taking a seat, and giving it back. The database has the last word: see the constraints of Assignment and Item."""

import secrets
import zlib
from datetime import datetime, timedelta

from django.db import IntegrityError, connection, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.errors import AnnotationError, NothingToRate, ShareReached
from annotation.models import (
    Assignment,
    AssignmentState,
    BatchKind,
    BatchState,
    Enrolment,
    HitPosition,
    Item,
    Sample,
    Seat,
    Study,
    StudyState,
)
from annotation.sampling import Share, arrange_items, draw_gold
from annotation.services.clips import assignment_hurry_clips
from annotation.services.studies import study_drawing
from config.audit.services import SYSTEM, audit_record
from rendering.models import Clip

OPEN_STATES = (StudyState.PILOT, StudyState.LIVE)
ATTEMPTS = 5


def assignment_take(*, enrolment: Enrolment, at: datetime | None = None) -> Assignment:
    """The rater's unfinished assignment, or a new one in a free seat whose samples they have not met."""
    at = at or timezone.now()
    assignments_expire(study=enrolment.study, at=at)  # not only the sweep gives seats back: workers may be busy
    for _ in range(ATTEMPTS):
        try:
            return _take(enrolment, at)
        except IntegrityError:
            continue  # another request took the seat, or made this rater's assignment, in between
    raise NothingToRate("Many raters are arriving at once. Please try again in a moment.")


def _refuse_closed(enrolment: Enrolment) -> None:
    if enrolment.blocked_at or enrolment.withdrawn_at:
        raise AnnotationError("You no longer take part in this study.")
    if enrolment.study.state not in OPEN_STATES:
        raise NothingToRate("This study is not open for rating now. What you have done is safe.")


@transaction.atomic
def _take(enrolment: Enrolment, at: datetime) -> Assignment:
    # One rater in several tabs: they queue up here, and all but the first find the assignment made.
    _refuse_closed(Enrolment.objects.select_for_update(of=("self",)).select_related("study").get(pk=enrolment.pk))
    if unfinished := enrolment_unfinished(enrolment):
        return assignment_resume(assignment=unfinished, at=at)
    study = enrolment.study
    share = rater_share(enrolment)
    seat = _lock_free_seat(enrolment, share)
    if seat is None:
        raise _why_no_seat(enrolment, share)
    assignment = Assignment.objects.create(
        seat=seat,
        enrolment=enrolment,
        seed=_seed(study, seat),
        taken_at=at,
        lease_until=at + timedelta(minutes=seat.hit.batch.terms.lease_minutes),
        completion_code=secrets.token_hex(4).upper(),
    )
    Item.objects.bulk_create(_items(assignment, study))
    assignment_hurry_clips(assignment=assignment)
    audit_record(actor=f"rater:{enrolment.pseudonym}", action="assignment.taken", subject=assignment)
    return assignment


def _seed(study: Study, seat: Seat) -> int:
    """Fixed by the study's seed, the seat and how many sat there before, so that a rerun is the same everywhere."""
    hit, before = seat.hit, seat.assignments.count()
    return zlib.crc32(f"{study.seed}/{hit.batch.number}/{hit.number}/{seat.number}/{before}".encode())


def rater_share(enrolment: Enrolment) -> Share | None:
    """How much of a study with a cap this rater was given. Exact while the enrolment is locked: see `_take`."""
    study = enrolment.study
    if study.rater_share >= 1:
        return None
    samples = study.places.filter(is_active=True).exclude(sample__in=study.gold.values("sample"))
    given = Item.objects.filter(enrolment=enrolment, gold__isnull=True)
    return Share(
        samples=samples.count(), cap=study.rater_share, given=given.aggregate(n=Count("sample", distinct=True))["n"]
    )


def _why_no_seat(enrolment: Enrolment, share: Share | None) -> NothingToRate:
    if share is not None and _free_seats(enrolment).exists():
        return ShareReached(
            f"You have rated {share.given} of the {share.samples} clips of this study. One person may rate at most "
            f"{share.percent} of them, so that many people judge. Your work is safe. Thank you."
        )
    return NothingToRate("There is nothing left for you to rate in this study. Thank you.")


def _free_seats(enrolment: Enrolment) -> QuerySet[Seat]:
    seen = Item.objects.filter(enrolment=enrolment, gold__isnull=True).values("sample")
    return (
        Seat.objects.filter(hit__batch__study=enrolment.study, hit__batch__state=BatchState.PUBLISHED)
        # During the pilot nobody is led into HITs whose ratings count.
        .filter(Q(hit__batch__kind=BatchKind.PILOT) | ~Q(hit__batch__study__state=StudyState.PILOT))
        .filter(~Exists(Assignment.objects.filter(seat=OuterRef("pk"), holds_seat=True)))
        .filter(~Exists(HitPosition.objects.filter(hit=OuterRef("hit"), sample__in=seen)))
        .filter(~Exists(Assignment.objects.filter(seat=OuterRef("pk"), enrolment=enrolment)))
        .select_related("hit__batch__study")
        .order_by("hit__batch__number", "hit__number", "number")
    )


def _seats_within(seats: QuerySet[Seat], share: Share | None) -> QuerySet[Seat]:
    """Those whose HIT the rater may still take."""
    if share is None:
        return seats
    shown = (
        HitPosition.objects.filter(hit=OuterRef("hit"), sample__isnull=False)
        .order_by()
        .values("hit")
        .annotate(n=Count("pk"))
        .values("n")
    )
    return seats.annotate(shown=Coalesce(Subquery(shown), 0)).filter(shown__lte=share.left)


def _lock_free_seat(enrolment: Enrolment, share: Share | None) -> Seat | None:
    """A seat that nobody else is taking at this moment; failing that, wait for one that somebody may yet give up."""
    seats = _seats_within(_free_seats(enrolment), share)
    if not connection.features.has_select_for_update_skip_locked:
        return seats.first()  # SQLite: BEGIN IMMEDIATE already lets only one writer in
    at_once = seats.select_for_update(skip_locked=True, of=("self",)).first()
    return at_once or seats.select_for_update(of=("self",)).first()


def _items(assignment: Assignment, study: Study) -> list[Item]:
    positions = list(assignment.seat.hit.positions.order_by("position").values_list("sample_id", flat=True))
    arranged = arrange_items(positions, seed=assignment.seed)
    # Gold that was made of a sample after the HIT was composed must not stand in it twice.
    met = (
        study.gold.filter(is_active=True)
        .exclude(sample__in=[sample for sample in positions if sample is not None])
        .annotate(met=Count("items", filter=Q(items__enrolment=assignment.enrolment)))
    )
    gold = {row.pk: row for row in met}
    drawn = iter(draw_gold({row.pk: row.met for row in met}, arranged.count(None), seed=assignment.seed))
    # Where no gold is left to draw, its places stay out: a rater is never shown an empty page.
    shown = [
        entry for sample in arranged if (entry := gold.get(next(drawn, 0)) if sample is None else sample) is not None
    ]
    samples = [sample if isinstance(sample, int) else sample.sample_id for sample in shown]
    clips = _clips(study, samples)
    return [
        Item(
            assignment=assignment,
            enrolment=assignment.enrolment,
            position=position,
            sample_id=sample,
            gold=entry if not isinstance(entry, int) else None,
            clip=clips.get(sample),
        )
        for position, (entry, sample) in enumerate(zip(shown, samples, strict=True), start=1)
    ]


def _clips(study: Study, samples: list[int]) -> dict[int, Clip]:
    """The clip that the study shows of each sample; the newest renderer's where there are several."""
    drawing = study_drawing(study)
    clips = Clip.objects.filter(
        motion__samples__in=samples,
        look=drawing.look,
        view=drawing.view,
        pixels=drawing.pixels,
        backend=drawing.backend,
    ).order_by("id")
    by_motion = {clip.motion_id: clip for clip in clips}
    motions = dict(Sample.objects.filter(pk__in=samples).values_list("pk", "motion_id"))
    return {sample: by_motion[motion] for sample, motion in motions.items() if motion in by_motion}


def enrolment_unfinished(enrolment: Enrolment) -> Assignment | None:
    """What the rater has not handed in yet; an expired one too: late is not lost."""
    states = (AssignmentState.ACTIVE, AssignmentState.EXPIRED)
    # "active" sorts before "expired".
    return enrolment.assignments.filter(state__in=states).order_by("state", "-taken_at").first()


@transaction.atomic
def assignment_resume(*, assignment: Assignment, at: datetime) -> Assignment:
    """Extend the lease. Who comes back late gets the seat again if it is free; else they go on without one."""
    row = (
        Assignment.objects.select_for_update(of=("self",))
        .select_related("seat__hit__batch__study")
        .get(pk=assignment.pk)
    )
    if row.state not in (AssignmentState.ACTIVE, AssignmentState.EXPIRED):
        return row
    was = (row.state, row.holds_seat, row.lease_until)
    row.state, row.holds_seat = AssignmentState.ACTIVE, True
    row.lease_until = at + timedelta(minutes=row.seat.hit.batch.terms.lease_minutes)
    try:
        with transaction.atomic():
            row.save(update_fields=["state", "holds_seat", "lease_until"])
    except IntegrityError:  # the seat is another's by now
        row.state, row.holds_seat, row.lease_until = was
    return row


@transaction.atomic
def assignments_expire(*, study: Study | None = None, at: datetime | None = None) -> int:
    """Give abandoned seats back, of one study or of all. The work stays, should its rater return."""
    at = at or timezone.now()
    late = Assignment.objects.filter(state=AssignmentState.ACTIVE, lease_until__lt=at)
    if study is not None:
        late = late.filter(enrolment__study=study)
    if connection.features.has_select_for_update_skip_locked:
        late = late.select_for_update(skip_locked=True, of=("self",))  # whoever holds the lock is saving an answer
    expired = list(late.order_by("pk"))
    for assignment in expired:
        assignment.state, assignment.holds_seat, assignment.lease_until = AssignmentState.EXPIRED, False, None
        assignment.save(update_fields=["state", "holds_seat", "lease_until"])
        audit_record(actor=SYSTEM, action="assignment.expired", subject=assignment)
    return len(expired)
