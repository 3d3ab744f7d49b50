"""What a batch was made with holds for its assignments, whatever becomes of the study's settings."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotation.errors import TooSoon
from annotation.models import Assignment, Decision, GoldCounting, Study
from annotation.services.assignments import assignment_resume, assignment_take
from annotation.services.batches import batch_create, batch_publish
from annotation.services.ratings import item_open, rating_save
from tests.annotation.campaign import ACTOR, GOOD, enrol, open_study, rate_all

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

WRONG = {"naturalness": 0, "faithfulness": 4}


def change(study: Study, **settings: object) -> Study:
    Study.objects.filter(pk=study.pk).update(**settings)
    return Study.objects.get(pk=study.pk)


def lease(assignment: Assignment) -> timedelta:
    assert assignment.lease_until is not None
    return assignment.lease_until - assignment.taken_at


def test_a_stricter_rule_does_not_judge_work_that_was_begun_under_another() -> None:
    study = change(open_study(gold_failures_allowed=1), gold_failures_allowed=0)
    assert study.batches.get().terms.gold_failures_allowed == 1
    anna = enrol(study)
    first = rate_all(anna, {"naturalness": 4, "faithfulness": 4})
    assert first.use_data == Decision.YES
    both_wrong = rate_all(enrol(study, "ben"), WRONG)
    assert (both_wrong.gold_failed, both_wrong.use_data) == (2, Decision.NO)
    assert both_wrong.decision_reason == "2 of 2 gold questions failed"


def test_a_looser_rule_does_not_save_it_either() -> None:
    study = change(open_study(gold=3, gold_failures_allowed=0), gold_failures_allowed=2)
    assert rate_all(enrol(study), WRONG).use_data == Decision.NO


def test_the_new_rule_holds_for_the_next_batch() -> None:
    study = change(open_study(gold=3, gold_failures_allowed=0, prompts=2), gold_failures_allowed=2)
    batch = batch_publish(batch=batch_create(study=study, seed=9, actor=ACTOR), actor=ACTOR)
    assert batch.terms.gold_failures_allowed == 2
    assert study.batches.get(number=1).terms.gold_failures_allowed == 0


def test_counting_by_answer_counts_each_that_is_off() -> None:
    study = open_study(gold=3, gold_failures_allowed=2, gold_counting=GoldCounting.RATING)
    one_off_each = rate_all(enrol(study), WRONG)
    assert (one_off_each.gold_shown, one_off_each.gold_failed) == (6, 3)
    assert (one_off_each.use_data, one_off_each.decision_reason) == (Decision.NO, "3 of 6 answers to gold failed")
    assert rate_all(enrol(study, "ben"), GOOD).use_data == Decision.YES


def test_a_seat_is_leased_for_as_long_as_its_batch_says() -> None:
    study = change(open_study(lease_minutes=30), lease_minutes=5)
    now = timezone.now()
    taken = assignment_take(enrolment=enrol(study), at=now)
    assert lease(taken) == timedelta(minutes=30)
    later = assignment_resume(assignment=taken, at=now + timedelta(minutes=10))
    assert lease(later) == timedelta(minutes=40)


def test_the_shortest_time_on_a_clip_is_the_batchs() -> None:
    study = change(open_study(minimum_seconds=40), minimum_seconds=0)
    anna, now = enrol(study), timezone.now()
    item = assignment_take(enrolment=anna, at=now).items.get(position=1)
    item_open(item=item, at=now)
    with pytest.raises(TooSoon):
        rating_save(item=item, enrolment=anna, answers=GOOD, at=now + timedelta(seconds=30))
    assert rating_save(item=item, enrolment=anna, answers=GOOD, at=now + timedelta(seconds=41))


def test_whether_left_out_work_gives_its_seat_back_is_the_batchs() -> None:
    study = change(open_study(reopen_left_out=False), reopen_left_out=True)
    left_out = rate_all(enrol(study), WRONG)
    assert left_out.use_data == Decision.NO
    assert left_out.holds_seat


def test_a_batch_from_before_a_setting_follows_the_study() -> None:
    study = change(open_study(), gold_counting=GoldCounting.RATING)
    batch = study.batches.get()
    del batch.settings["gold_counting"]
    assert batch.terms.gold_counting == GoldCounting.RATING
