"""The watch gate, and answers saved as they are given: what is refused, and that nothing is stored then."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from annotation import links
from annotation.errors import AnsweredSince, BadAnswer, NotWatched, TooSoon
from annotation.models import Assignment, AssignmentState, Item, Rating
from annotation.services.assignments import assignment_take
from annotation.services.ratings import (
    answer_save,
    assignment_submit,
    item_open,
    item_report_unplayable,
    rating_save,
)
from annotation.services.watching import Playback
from config.audit.models import AuditEvent
from tests.annotation.campaign import GOOD, enrol, open_study, rate_all
from tests.e2e.small_study import ITEMS, SECRETS, SmallStudy, let_time_pass, make_study

pytestmark = pytest.mark.django_db

WATCHED = Playback(coverage=1.0, replays=1)
LONG_AGO = timezone.now() - timedelta(hours=1)


# --- The gate ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("minimum", "opens"), [(0, 3), (2, 3), (12, 12)])
def test_the_clips_length_or_the_minimum_must_pass_whichever_is_longer(minimum: int, opens: int) -> None:
    """Motions of the factory last three seconds."""
    anna = enrol(open_study(minimum_seconds=minimum))
    item = assignment_take(enrolment=anna).items.all()[0]
    item_open(item=item, at=LONG_AGO)
    early, late = (LONG_AGO + timedelta(seconds=opens - left) for left in (0.1, 0))
    with pytest.raises(TooSoon, match="1 more seconds") as refused:
        rating_save(item=item, enrolment=anna, answers=GOOD, playback=WATCHED, at=early)
    assert refused.value.wait == pytest.approx(0.1)
    assert not Rating.objects.exists()
    rating_save(item=item, enrolment=anna, answers=GOOD, playback=WATCHED, at=late)
    assert Rating.objects.count() == 2


def test_less_than_95_percent_played_is_refused_and_nothing_stored() -> None:
    anna = enrol(open_study())
    item = assignment_take(enrolment=anna).items.all()[0]
    item_open(item=item, at=LONG_AGO)
    with pytest.raises(NotWatched, match="94% of it was played"):
        rating_save(item=item, enrolment=anna, answers=GOOD, playback=Playback(coverage=0.9499))
    with pytest.raises(NotWatched):
        _answer(item, anna, playback=Playback(coverage=0.0))
    assert not Rating.objects.exists()
    rating_save(item=item, enrolment=anna, answers=GOOD, playback=Playback(coverage=0.95))
    assert set(Rating.objects.values_list("coverage", flat=True)) == {0.95}


def test_without_javascript_the_clock_decides_and_coverage_is_unknown() -> None:
    anna = enrol(open_study())
    item = assignment_take(enrolment=anna).items.all()[0]
    item_open(item=item, at=LONG_AGO)
    rating_save(item=item, enrolment=anna, answers=GOOD)
    assert set(Rating.objects.values_list("coverage", "replays")) == {(None, 0)}


def test_an_item_that_was_never_shown_takes_no_answer() -> None:
    anna = enrol(open_study())
    item = assignment_take(enrolment=anna).items.all()[0]
    with pytest.raises(TooSoon, match="Watch the clip first"):
        _answer(item, anna)
    assert not Rating.objects.exists()


# --- Answers as they are given ----------------------------------------------------------------------------------------


def _answer(item: Item, enrolment: Any, *, value: int = 2, revision: int = 1, playback: Playback = WATCHED) -> Any:
    return answer_save(
        item=item, enrolment=enrolment, criterion="naturalness", value=value, revision=revision, playback=playback
    )


def test_an_answer_sent_twice_is_stored_once() -> None:
    anna = enrol(open_study())
    item = assignment_take(enrolment=anna).items.all()[0]
    item_open(item=item, at=LONG_AGO)
    assert _answer(item, anna).is_new
    first = Rating.objects.get()
    again = _answer(item, anna, playback=Playback(coverage=1.0, replays=7))
    assert (again.is_new, again.revision) == (False, 1)
    stored = Rating.objects.get()
    assert (stored.answered_at, stored.replays, stored.coverage) == (first.answered_at, 1, 1.0)


def test_a_change_counts_its_revisions_even_if_one_never_arrived() -> None:
    anna = enrol(open_study())
    item = assignment_take(enrolment=anna).items.all()[0]
    item_open(item=item, at=LONG_AGO)
    _answer(item, anna, value=1)
    assert _answer(item, anna, value=4, revision=3, playback=Playback(coverage=None, replays=2)).is_new
    rating = Rating.objects.get()
    assert (rating.value, rating.revision, rating.replays, rating.coverage) == (4, 3, 2, 1.0)


def test_an_older_answer_that_arrives_late_changes_nothing() -> None:
    anna = enrol(open_study())
    item = assignment_take(enrolment=anna).items.all()[0]
    item_open(item=item, at=LONG_AGO)
    _answer(item, anna, value=4, revision=2)
    with pytest.raises(AnsweredSince) as refused:
        _answer(item, anna, value=1, revision=1)
    assert (refused.value.revision, refused.value.value) == (2, 4)
    assert Rating.objects.get().value == 4


# --- A clip that will not play ----------------------------------------------------------------------------------------


def test_a_clip_that_will_not_play_is_let_go_without_penalty() -> None:
    anna = enrol(open_study(gold=0))
    first, *rest = assignment_take(enrolment=anna).items.all()
    with pytest.raises(BadAnswer, match="not been shown"):
        item_report_unplayable(item=first, enrolment=anna)
    item_open(item=first)
    for _ in range(2):
        item_report_unplayable(item=first, enrolment=anna)
    assert AuditEvent.objects.filter(action="item.released").count() == 1
    with pytest.raises(BadAnswer, match="let go"):
        _answer(first, anna)
    for item in rest:
        item_open(item=item, at=LONG_AGO)
        rating_save(item=item, enrolment=anna, answers=GOOD)
    done = assignment_submit(assignment=first.assignment, enrolment=anna)
    assert (done.state, done.pay, done.use_data) == (AssignmentState.SUBMITTED, "yes", "yes")


def test_gold_that_would_not_play_is_not_held_against_the_rater() -> None:
    anna = enrol(open_study(gold=2))
    assignment = assignment_take(enrolment=anna)
    for item in assignment.items.all():
        item_open(item=item, at=LONG_AGO)
        if item.gold_id:
            item_report_unplayable(item=item, enrolment=anna)
        else:
            rating_save(item=item, enrolment=anna, answers=GOOD)
    done = assignment_submit(assignment=assignment, enrolment=anna)
    assert (done.pay, done.gold_failed) == ("yes", 0)


# --- Over HTTP --------------------------------------------------------------------------------------------------------


@pytest.fixture
def link(files: Path) -> str:
    made: SmallStudy = make_study()
    return links.personal_path(made.study, made.rater)


Send = Callable[..., Any]


@pytest.fixture
def send(client: Client, link: str) -> Send:
    """Sends an answer as the page does; the first item is open and its time has passed."""
    client.post(link, {"consent": "yes"})
    client.get(f"{link}rate/")
    let_time_pass()

    def sending(position: int = 1, **changes: Any) -> Any:
        body = {
            "item": links.item_token(Item.objects.filter(position=position)[0]),
            "criterion": "naturalness",
            "value": 3,
            "revision": 1,
            "coverage": 1,
            "replays": 0,
        }
        sent = json.dumps({name: value for name, value in (body | changes).items() if value != "left out"})
        return client.post(f"{link}save/", sent, content_type="application/json")

    return sending


def test_an_answer_is_acknowledged_and_a_repetition_too(send: Send) -> None:
    assert json.loads(send().content) == {"revision": 1, "value": 3, "already": False}
    assert json.loads(send().content) == {"revision": 1, "value": 3, "already": True}
    late = send(value=1)
    assert late.status_code == 409
    assert json.loads(late.content)["revision"] == 1
    assert Rating.objects.get().value == 3


@pytest.mark.parametrize(
    ("forged", "status", "message"),
    [
        ({"coverage": 0.5}, 422, "50% of it was played"),
        ({"coverage": 1.5}, 422, "expected a number from 0 to 1"),
        ({"coverage": "NaN"}, 422, "expected a number from 0 to 1"),
        ({"coverage": [1]}, 422, "expected a number from 0 to 1"),
        ({"coverage": True}, 422, "expected a number from 0 to 1"),
        ({"position": 2}, 422, "Watch the clip first"),
        ({"item": "1.forged"}, 410, "closed"),
        ({"item": None}, 422, "item: expected text"),
        ({"criterion": "beauty"}, 422, "no question called beauty"),
        ({"criterion": "left out"}, 422, "criterion: expected text"),
        ({"value": 9}, 422, "expected one of 0, 1, 2, 3, 4"),
        ({"value": "3"}, 422, "value: expected a whole number"),
        ({"value": True}, 422, "value: expected a whole number"),
        ({"revision": 0}, 422, "revision: expected 1 to"),
        ({"revision": 10**9}, 422, "revision: expected 1 to"),
    ],
)
def test_a_forged_answer_is_refused_in_words_and_nothing_stored(
    send: Send, forged: dict[str, Any], status: int, message: str
) -> None:
    answer = send(**forged)
    assert answer.status_code == status
    assert message in json.loads(answer.content)["message"]
    assert not Rating.objects.exists()


def test_an_answer_before_its_time_is_told_how_long_to_wait(client: Client, files: Path) -> None:
    made = make_study(minimum_seconds=60)
    link = links.personal_path(made.study, made.rater)
    client.post(link, {"consent": "yes"})
    client.get(f"{link}rate/")
    item = links.item_token(Item.objects.get(position=1))
    body = {"item": item, "criterion": "naturalness", "value": 3, "revision": 1, "coverage": 1, "replays": 0}
    answer = client.post(f"{link}save/", body, content_type="application/json")
    assert answer.status_code == 422
    assert 50 < answer.json()["wait"] <= 60
    assert not Rating.objects.exists()


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b"[" * 100_000, b'{"item": 1}'])
def test_what_is_no_answer_at_all_is_refused(client: Client, link: str, send: Send, body: bytes) -> None:
    assert client.post(f"{link}save/", body, content_type="application/json").status_code == 422


def test_another_raters_item_takes_no_answer_from_here(send: Send) -> None:
    other = rate_all(enrol(open_study(), "ben"))
    before = Rating.objects.count()
    assert send(item=links.item_token(other.items.all()[0]), value=0, revision=9).status_code == 410
    assert Rating.objects.count() == before
    assert not Rating.objects.filter(value=0).exists()


def test_what_comes_after_handing_in_is_refused_and_says_so(client: Client, link: str, send: Send) -> None:
    Assignment.objects.update(state=AssignmentState.SUBMITTED, submitted_at=timezone.now(), lease_until=None)
    answer = send()
    assert answer.status_code == 410
    assert "closed" in json.loads(answer.content)["message"]


def test_the_form_refuses_too_little_coverage_and_keeps_what_was_chosen(client: Client, link: str, send: Send) -> None:
    form = {"item": "1", "naturalness": "4", "faithfulness": "4", "seen.coverage": "0.2", "seen.replays": "0"}
    page = client.post(f"{link}rate/", form)
    assert page.status_code == 422
    assert page.content.decode().count("required checked") == 2
    said = client.post(f"{link}rate/", form, headers={"accept": "application/json"})
    assert (said.status_code, "20%" in said.json()["message"]) == (422, True)
    assert not Rating.objects.exists()


def test_only_showing_an_item_opens_it(client: Client, link: str) -> None:
    client.post(link, {"consent": "yes"})
    client.head(f"{link}rate/")
    client.get(f"{link}rate/", headers={"sec-purpose": "prefetch;prerender"})
    for item in Item.objects.all():
        token = links.item_token(item)
        assert client.get(f"/clips/{token}.mp4").status_code == 200
    assert not Item.objects.filter(opened_at__isnull=False).exists()
    client.get(f"{link}rate/")
    assert [item.position for item in Item.objects.filter(opened_at__isnull=False)] == [1]


def test_no_answer_of_the_server_marks_gold_or_names_a_generator(client: Client, link: str) -> None:
    """Gold and other items differ in their numbers alone, in pages and in what the script reads."""
    client.post(link, {"consent": "yes"})
    shapes = set()
    for position in range(1, ITEMS + 1):
        page = client.get(f"{link}rate/")
        let_time_pass()
        item = Item.objects.get(position=position)
        body = {"item": links.item_token(item), "criterion": "naturalness", "value": 3, "revision": 1, "coverage": 1}
        said = client.post(f"{link}save/", body, content_type="application/json")
        done = client.post(
            f"{link}rate/",
            {"item": str(position), "naturalness": "3", "faithfulness": "3"},
            headers={"accept": "application/json"},
        )
        shapes.add((tuple(sorted(page.headers)), said.content, tuple(sorted(said.headers)), done.content))
        for answer in (page, said, done):
            seen = f"{answer.content.decode()} {answer.headers} {answer.cookies}".lower()
            assert [secret for secret in SECRETS if secret in seen] == []
            assert item.clip is not None
            assert item.clip.key not in seen
            assert item.sample.motion.content_hash not in seen
    assert len(shapes) == 1
