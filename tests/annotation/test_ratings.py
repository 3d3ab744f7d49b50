"""Saving answers and handing in."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.utils import timezone

from annotation.errors import AnnotationError, BadAnswer, NotYours, TooSoon
from annotation.models import Assignment, AssignmentState, Decision, LabelSetMark, Rating, Study
from annotation.services.assignments import assignment_take
from annotation.services.labels import label_set_freeze
from annotation.services.raters import rater_withdraw
from annotation.services.ratings import assignment_submit, item_open, item_release_unplayable, rating_save
from annotation.services.review import assignment_decide
from config.audit.models import AuditEvent
from rendering.models import Clip, RenderJob
from tests.annotation.campaign import ACTOR, GOOD, enrol, open_study, rate_all

LONG_AGO = timezone.now() - timedelta(hours=1)

pytestmark = pytest.mark.django_db


def test_an_answer_stores_what_was_seen_and_counts_its_revisions() -> None:
    anna = enrol(open_study())
    item = assignment_take(enrolment=anna).items.all()[0]
    item_open(item=item, at=LONG_AGO)
    rating_save(item=item, enrolment=anna, answers={"naturalness": 1}, device="phone")
    rating_save(item=item, enrolment=anna, answers={"naturalness": 1})  # a repeated request is no revision
    rating_save(item=item, enrolment=anna, answers={"naturalness": 3})
    rating = Rating.objects.get(item=item)
    assert (rating.value, rating.revision, rating.device, rating.clip_key) == (
        3,
        2,
        "phone",
        Clip.objects.get(items=item).key,
    )


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"naturalness": 5}, "naturalness: expected one of 0, 1, 2, 3, 4, found 5"),
        ({"beauty": 1}, "no question called beauty"),
    ],
)
def test_an_answer_to_no_question_is_refused_whole(answers: dict[str, int], message: str) -> None:
    anna = enrol(open_study())
    item = assignment_take(enrolment=anna).items.all()[0]
    item_open(item=item, at=LONG_AGO)
    with pytest.raises(BadAnswer, match=message):
        rating_save(item=item, enrolment=anna, answers={"faithfulness": 1} | answers)
    assert not Rating.objects.exists()


def test_the_servers_clock_decides_when_an_answer_is_too_soon() -> None:
    anna = enrol(open_study(minimum_seconds=12))
    item = assignment_take(enrolment=anna).items.all()[0]
    now = timezone.now()
    with pytest.raises(TooSoon, match="Watch the clip first"):
        rating_save(item=item, enrolment=anna, answers=GOOD, at=now)
    item_open(item=item, at=now)
    item_open(item=item, at=now + timedelta(seconds=5))  # a reload does not start the clock anew
    with pytest.raises(TooSoon, match="2 more seconds"):
        rating_save(item=item, enrolment=anna, answers=GOOD, at=now + timedelta(seconds=10))
    rating_save(item=item, enrolment=anna, answers=GOOD, at=now + timedelta(seconds=12))
    assert Rating.objects.count() == 2


def test_nobody_answers_for_another() -> None:
    study = open_study()
    anna, ben = enrol(study, "anna"), enrol(study, "ben")
    item = assignment_take(enrolment=anna).items.all()[0]
    item_open(item=item)
    with pytest.raises(NotYours):
        rating_save(item=item, enrolment=ben, answers=GOOD)
    with pytest.raises(NotYours):
        assignment_submit(assignment=item.assignment, enrolment=ben)


def test_an_unfinished_hit_cannot_be_handed_in_and_says_where_the_gap_is() -> None:
    anna = enrol(open_study())
    assignment = assignment_take(enrolment=anna)
    for item in assignment.items.all()[1:]:
        item_open(item=item, at=LONG_AGO)
        rating_save(item=item, enrolment=anna, answers=GOOD)
    with pytest.raises(BadAnswer, match="1 items are not fully answered yet, the first is number 1"):
        assignment_submit(assignment=assignment, enrolment=anna)


def test_handing_in_twice_is_handing_in_once() -> None:
    anna = enrol(open_study())
    first = rate_all(anna)
    second = assignment_submit(assignment=first, enrolment=anna)
    assert (second.submitted_at, second.completion_code) == (first.submitted_at, first.completion_code)
    assert AuditEvent.objects.filter(action="assignment.submitted").count() == 1
    item = first.items.all()[0]
    with pytest.raises(NotYours, match="can no longer be changed"):
        rating_save(item=item, enrolment=anna, answers={"naturalness": 0})


def test_failed_gold_leaves_the_data_out_pays_and_reopens_the_seat() -> None:
    study = open_study()
    bad = rate_all(enrol(study, "clicker"), {"naturalness": 0, "faithfulness": 0})
    assert (bad.use_data, bad.pay, bad.invite_again) == (Decision.NO, Decision.YES, Decision.OPEN)
    assert (bad.gold_failed, bad.gold_shown, bad.holds_seat) == (2, 2, False)
    assert assignment_take(enrolment=enrol(study, "next")).seat == bad.seat


def test_passed_gold_uses_the_data_and_keeps_the_seat() -> None:
    good = rate_all(enrol(open_study()))
    assert (good.use_data, good.pay, good.invite_again, good.holds_seat) == ("yes", "yes", "yes", True)


def test_pay_is_never_refused_without_a_reason() -> None:
    assignment = rate_all(enrol(open_study()))
    with pytest.raises(AnnotationError, match="needs a reason"):
        assignment_decide(assignment=assignment, decisions={"pay": Decision.NO}, reason="", actor=ACTOR)


def test_overruling_marks_the_label_sets_stale_and_is_audited() -> None:
    study = open_study()
    assignment = rate_all(enrol(study))
    label_set = label_set_freeze(study=study, actor=ACTOR)
    assignment_decide(assignment=assignment, decisions={"use_data": Decision.NO}, reason="told us", actor=ACTOR)
    assert LabelSetMark.objects.get().label_set == label_set
    event = AuditEvent.objects.get(action="assignment.decided")
    assert event.details["before"] == {"use_data": "yes"}


def test_withdrawing_removes_the_ratings_and_leaves_a_tombstone() -> None:
    study = open_study()
    anna = enrol(study)
    assignment = rate_all(anna)
    label_set = label_set_freeze(study=study, actor=ACTOR)
    removed = rater_withdraw(enrolment=anna, actor=f"rater:{anna.pseudonym}")
    assert removed == 12
    assert not Rating.objects.exists()
    kept = Assignment.objects.get(pk=assignment.pk)
    # What was handed in was earned: it stays due.
    assert (kept.state, kept.use_data, kept.pay) == (AssignmentState.SUBMITTED, "no", "yes")
    assert AuditEvent.objects.get(action="rater.withdrawn").details == {"ratings_removed": 12}
    assert [mark.kind for mark in label_set.marks.all()] == ["superseded"]


def test_withdrawing_takes_the_frozen_ratings_along(django_capture_on_commit_callbacks: Any) -> None:
    study = open_study()
    anna = enrol(study)
    rate_all(anna)
    label_set = label_set_freeze(study=study, actor=ACTOR)
    assert default_storage.exists(str(label_set.ratings_file))
    with django_capture_on_commit_callbacks(execute=True):
        rater_withdraw(enrolment=anna, actor=ACTOR)
    assert not default_storage.exists(str(label_set.ratings_file))


def _late(study: Study, *, seat_taken: bool) -> Assignment:
    """Anna answers everything, is away for an hour, and hands in then."""
    now = timezone.now()
    anna = enrol(study, "anna")
    assignment = assignment_take(enrolment=anna, at=now)
    for item in assignment.items.all():
        item_open(item=item, at=now)
        rating_save(item=item, enrolment=anna, answers=GOOD, at=now + timedelta(seconds=4))
    later = now + timedelta(hours=1)
    if seat_taken:
        assert assignment_take(enrolment=enrol(study, "ben"), at=later).seat == assignment.seat
    assert assignment_take(enrolment=anna, at=later) == assignment
    return assignment_submit(assignment=assignment, enrolment=anna, at=later)


def test_who_comes_back_late_gets_the_seat_again_if_it_is_free() -> None:
    late = _late(open_study(), seat_taken=False)
    assert (late.state, late.use_data, late.pay, late.holds_seat) == ("submitted", "yes", "yes", True)


def test_who_comes_back_to_a_taken_seat_keeps_the_work_is_paid_and_is_surplus() -> None:
    late = _late(open_study(), seat_taken=True)
    assert (late.state, late.use_data, late.pay, late.holds_seat) == ("submitted", "no", "yes", False)
    assert "surplus" in late.decision_reason
    assert Rating.objects.filter(item__assignment=late).count() == 12


def test_an_item_whose_clip_will_not_come_is_let_go_and_the_hit_can_be_handed_in() -> None:
    anna = enrol(open_study(gold=0))
    first, *rest = assignment_take(enrolment=anna).items.all()
    assert not item_release_unplayable(item=first)
    RenderJob.objects.filter(clip=first.clip_id).update(state="failed", error="broken", finished_at=timezone.now())
    assert item_release_unplayable(item=first)
    for item in rest:
        item_open(item=item, at=LONG_AGO)
        rating_save(item=item, enrolment=anna, answers=GOOD)
    assert assignment_submit(assignment=first.assignment, enrolment=anna).state == AssignmentState.SUBMITTED
