"""Taking seats, alone and all at once."""

import contextlib
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connection
from django.utils import timezone

from annotation.errors import AnnotationError, NothingToRate
from annotation.models import Assignment, AssignmentState, Enrolment, Gold, Item, Seat, StudyState
from annotation.services.assignments import assignment_take, assignments_expire
from annotation.services.raters import rater_block
from annotation.services.studies import study_transition
from tests.annotation.campaign import ACTOR, enrol, open_study, rate_all


@pytest.mark.django_db
def test_a_rater_gets_the_hits_samples_and_its_gold() -> None:
    study = open_study()
    assignment = assignment_take(enrolment=enrol(study))
    items = list(assignment.items.all())
    positions = list(assignment.seat.hit.positions.all())
    assert [item.gold_id is None for item in items] == [position.sample_id is not None for position in positions]
    assert {item.sample_id for item in items if item.gold_id is None} == {
        position.sample_id for position in positions if position.sample_id
    }
    assert all(item.clip is not None for item in items)


@pytest.mark.django_db
def test_coming_back_returns_the_same_assignment() -> None:
    study = open_study()
    anna = enrol(study)
    assert assignment_take(enrolment=anna) == assignment_take(enrolment=anna)


@pytest.mark.django_db
def test_rater_never_gets_the_same_sample_twice() -> None:
    study = open_study(prompts=8, generators=3)
    anna = enrol(study)
    with contextlib.suppress(NothingToRate):
        while True:
            rate_all(anna)
    seen = Counter(Item.objects.filter(enrolment=anna, gold=None).values_list("sample", flat=True))
    assert set(seen.values()) == {1}
    assert len(seen) >= 4


@pytest.mark.django_db
def test_no_gold_twice_while_others_remain() -> None:
    study = open_study(prompts=8, generators=2, gold=4, gold_per_hit=2)
    anna = enrol(study)
    for _ in range(2):
        rate_all(anna)
    met = Counter(Item.objects.filter(enrolment=anna, gold__isnull=False).values_list("gold", flat=True))
    assert met == Counter(dict.fromkeys(Gold.objects.values_list("pk", flat=True), 1))


@pytest.mark.django_db
def test_gold_samples_are_never_dealt_as_samples() -> None:
    study = open_study()
    dealt = set(Item.objects.none().values_list("sample")) | set(
        study.batches.get().hits.values_list("positions__sample", flat=True)
    )
    assert not dealt & set(study.gold.values_list("sample", flat=True))


@pytest.mark.django_db
def test_an_abandoned_seat_returns_after_its_lease_and_not_before() -> None:
    study = open_study(prompts=2, generators=2, ratings_per_sample=1)
    now = timezone.now()
    taken = assignment_take(enrolment=enrol(study, "anna"), at=now)
    with pytest.raises(NothingToRate):
        assignment_take(enrolment=enrol(study, "ben"), at=now)
    assert assignments_expire(at=now + timedelta(minutes=29)) == 0
    assert assignments_expire(at=now + timedelta(minutes=31)) == 1
    assert Assignment.objects.get(pk=taken.pk).state == AssignmentState.EXPIRED
    assert assignment_take(enrolment=enrol(study, "ben"), at=now).seat == taken.seat


@pytest.mark.django_db
def test_a_paused_study_gives_no_seats_and_says_that_work_is_safe() -> None:
    study = open_study()
    study_transition(study=study, state=StudyState.PAUSED, actor=ACTOR)
    anna = enrol(study)
    anna.study.refresh_from_db()
    with pytest.raises(NothingToRate, match="safe"):
        assignment_take(enrolment=anna)


@pytest.mark.django_db
def test_a_blocked_rater_gets_no_seat() -> None:
    anna = enrol(open_study())
    rater_block(enrolment=anna, reason="asked to", actor=ACTOR)
    anna.refresh_from_db()
    with pytest.raises(AnnotationError, match="no longer take part"):
        assignment_take(enrolment=anna)


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_many_raters_at_once_never_share_a_seat() -> None:
    """20 raters for 6 seats, at the same moment."""
    study = open_study(prompts=6, generators=2, ratings_per_sample=2)
    seats = Seat.objects.count()
    raters = [enrol(study, f"rater-{number}") for number in range(20)]
    gate = threading.Barrier(len(raters))

    def take(enrolment: Enrolment) -> int | None:
        gate.wait()
        try:
            return assignment_take(enrolment=enrolment).seat_id
        except NothingToRate:
            return None
        finally:
            connection.close()

    with ThreadPoolExecutor(len(raters)) as pool:
        taken = [seat for seat in pool.map(take, raters) if seat is not None]
    assert len(taken) == len(set(taken)) == seats


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_one_rater_in_many_tabs_gets_one_assignment() -> None:
    study = open_study()
    anna = enrol(study)
    gate = threading.Barrier(8)

    def take(_: int) -> int:
        gate.wait()
        try:
            return assignment_take(enrolment=anna).pk
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(take, range(8)))) == 1
