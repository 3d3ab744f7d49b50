"""No one rater judges more of a study than its share, however many windows they open."""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client

from annotation import links
from annotation.errors import AnnotationError, NothingToRate, ShareReached
from annotation.models import Enrolment, Item
from annotation.services.assignments import assignment_take
from annotation.services.batches import batch_create, batch_publish
from tests.annotation.campaign import ACTOR, enrol, open_study, rate_all

pytestmark = pytest.mark.slow


def rate_on(enrolment: Enrolment) -> None:
    """HIT after HIT, until there is no more."""
    while True:
        rate_all(enrolment)


def given(enrolment: Enrolment) -> int:
    return Item.objects.filter(enrolment=enrolment, gold=None).values("sample").distinct().count()


@pytest.mark.django_db
def test_a_rater_gets_as_much_as_the_share_and_is_told_why_there_is_no_more() -> None:
    study = open_study(prompts=12, generators=2, rater_share=0.5)  # 24 samples, 4 in a HIT
    anna = enrol(study)
    with pytest.raises(ShareReached, match=r"You have rated 12 of the 24 clips of this study.*at most 50%.*is safe"):
        rate_on(anna)
    assert given(anna) == 12
    assert assignment_take(enrolment=enrol(study, "ben"))


@pytest.mark.django_db
def test_a_share_that_ends_inside_a_hit_gives_no_part_of_it() -> None:
    study = open_study(prompts=12, generators=2, rater_share=0.3)  # 7 samples: one HIT of 4, and not a second
    anna = enrol(study)
    rate_all(anna)
    with pytest.raises(ShareReached):
        assignment_take(enrolment=anna)


@pytest.mark.django_db
def test_an_unfinished_hit_is_resumed_although_the_share_is_used_up() -> None:
    study = open_study(prompts=8, generators=2, rater_share=0.25)
    anna = enrol(study)
    first = assignment_take(enrolment=anna)
    assert assignment_take(enrolment=anna) == first


@pytest.mark.django_db
def test_without_a_cap_a_rater_goes_on_until_nothing_is_left() -> None:
    study = open_study(prompts=8, generators=2, ratings_per_sample=1)
    anna = enrol(study)
    with pytest.raises(NothingToRate, match="nothing left") as caught:
        rate_on(anna)
    assert not isinstance(caught.value, ShareReached)
    assert given(anna) == 16


@pytest.mark.django_db
def test_a_batch_that_nobody_could_take_a_seat_of_is_not_published() -> None:
    study = open_study(prompts=8, generators=2)
    study.rater_share = 0.1
    study.save()
    batch = batch_create(study=study, seed=2, actor=ACTOR)
    with pytest.raises(AnnotationError, match="nobody could take a seat"):
        batch_publish(batch=batch, actor=ACTOR)


@pytest.mark.django_db
def test_the_rater_reads_it_on_the_page() -> None:
    study = open_study(prompts=8, generators=2, rater_share=0.25)
    anna = enrol(study)
    rate_all(anna)
    page = Client().post(links.personal_path(study, anna.rater), {"consent": "yes"})
    assert "One person may rate at most 25% of them" in page.content.decode()


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_many_windows_at_once_never_go_beyond_the_share() -> None:
    """4 raters with 5 windows each, all taking and handing in as fast as they can."""
    study = open_study(prompts=16, generators=2, rater_share=0.4, ratings_per_sample=3)  # 32 samples: 12 each
    raters = [enrol(study, f"rater-{number}") for number in range(4)]
    gate = threading.Barrier(20)

    def work(enrolment: Enrolment) -> None:
        gate.wait()
        try:
            for _ in range(6):
                with contextlib.suppress(AnnotationError):
                    rate_all(enrolment)
        finally:
            connection.close()

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(work, raters * 5))
    assert [given(enrolment) for enrolment in raters] == [12] * 4
