"""The rater's pages, without a browser: what they accept, refuse, keep and hide."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.test.utils import override_settings
from django.utils import timezone

from annotation import links
from annotation.models import Assignment, AssignmentState, Enrolment, Item, Platform, PlatformIdentity, Rating
from tests.e2e.small_study import ITEMS, SECRETS, SmallStudy, let_time_pass, make_study
from tests.factories import ItemFactory, RaterFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

ANSWERS = {"naturalness": "4", "faithfulness": "4"}


@pytest.fixture
def made(files: Path) -> SmallStudy:
    return make_study()


@pytest.fixture
def link(made: SmallStudy) -> str:
    return links.personal_path(made.study, made.rater)


def start(client: Client, link: str) -> None:
    assert client.post(link, {"consent": "yes"}).status_code == 302


def heading(page: str) -> str:
    return page.split("<h1")[1].split("</h1>")[0]


def watch(client: Client, link: str, query: str = "") -> Any:
    """Open the item and let its clip play to the end."""
    page = client.get(f"{link}rate/{query}")
    let_time_pass()
    return page


def answer_all(client: Client, link: str) -> None:
    start(client, link)
    for position in range(1, ITEMS + 1):
        watch(client, link)
        assert client.post(f"{link}rate/", {"item": str(position), **ANSWERS}).status_code == 302


def test_the_landing_page_says_what_minutes_pay_and_consent(client: Client, link: str) -> None:
    page = client.get(link).content.decode()
    for words in ("To see whether the pages work.", "about 1 min", "1.25 USD", "You will watch clips.", "/clips/"):
        assert words in page


def test_nobody_starts_without_consent(client: Client, link: str) -> None:
    response = client.post(link)
    assert response.status_code == 422
    assert "tick the box" in response.content.decode()
    assert not Enrolment.objects.exists()


def test_consent_is_recorded_once_and_a_seat_is_taken(client: Client, link: str) -> None:
    start(client, link)
    start(client, link)
    assert Enrolment.objects.count() == 1
    assert Assignment.objects.count() == 1


def test_no_page_sets_a_cookie_or_wants_one(client: Client, link: str) -> None:
    strict = Client(enforce_csrf_checks=True)
    answer_all(strict, link)
    for path in (link, f"{link}rate/", f"{link}review/", f"{link}done/", "/r/bad/"):
        strict.get(path)
    assert strict.post(f"{link}review/").status_code == 302
    strict.get(f"{link}done/")
    assert not strict.cookies


def test_items_come_one_at_a_time_and_reloading_shows_the_same(client: Client, link: str) -> None:
    start(client, link)
    first = watch(client, link).content.decode()
    assert "1 of 5" in first
    assert heading(first) == heading(client.get(f"{link}rate/").content.decode())
    client.post(f"{link}rate/", {"item": "1", **ANSWERS})
    assert "2 of 5" in client.get(f"{link}rate/").content.decode()


def test_an_earlier_item_can_be_changed_and_a_later_one_not_reached(client: Client, link: str) -> None:
    start(client, link)
    watch(client, link)
    client.post(f"{link}rate/", {"item": "1", **ANSWERS})
    assert "1 of 5" in client.get(f"{link}rate/?item=1").content.decode()
    assert "2 of 5" in client.get(f"{link}rate/?item=4").content.decode()
    client.post(f"{link}rate/", {"item": "1", "naturalness": "0", "faithfulness": "4"})
    assert Rating.objects.get(item__position=1, criterion__code="naturalness").value == 0
    client.post(f"{link}rate/", {"item": "4", **ANSWERS})
    assert not Rating.objects.filter(item__position=4).exists()


def test_a_missing_answer_is_asked_for_and_the_other_is_kept(client: Client, link: str) -> None:
    start(client, link)
    watch(client, link)
    response = client.post(f"{link}rate/", {"item": "1", "naturalness": "3"})
    page = response.content.decode()
    assert response.status_code == 422
    assert "every question needs one" in page
    assert 'name="naturalness" value="3" required checked' in page
    assert not Rating.objects.exists()


@pytest.mark.parametrize("extra", [{"naturalness": "9"}, {"naturalness": "x"}, {"beauty": "1"}])
def test_an_answer_that_was_not_offered_is_refused(client: Client, link: str, extra: dict[str, str]) -> None:
    start(client, link)
    watch(client, link)
    assert client.post(f"{link}rate/", {"item": "1", **ANSWERS, **extra}).status_code == 422
    assert not Rating.objects.exists()


def test_answering_too_soon_is_said_calmly_and_keeps_the_answers(client: Client, files: Path) -> None:
    made = make_study(minimum_seconds=60)
    link = links.personal_path(made.study, made.rater)
    start(client, link)
    client.get(f"{link}rate/")
    response = client.post(f"{link}rate/", {"item": "1", **ANSWERS})
    page = response.content.decode()
    assert response.status_code == 422
    assert "watch the whole clip" in page
    assert page.count("required checked") == 2
    assert not Rating.objects.exists()


def test_showing_an_item_starts_its_clock_once(client: Client, link: str) -> None:
    start(client, link)
    client.get(f"{link}rate/")
    opened = Item.objects.get(position=1).opened_at
    client.get(f"{link}rate/")
    assert opened is not None
    assert Item.objects.get(position=1).opened_at == opened


def test_a_clip_that_is_being_made_shows_no_questions_and_starts_no_clock(client: Client, files: Path) -> None:
    made = make_study(ready=False)
    link = links.personal_path(made.study, made.rater)
    start(client, link)
    page = client.get(f"{link}rate/").content.decode()
    assert "This clip is being made" in page
    assert 'type="radio"' not in page
    assert 'hx-trigger="every 3s"' in page
    assert Item.objects.get(position=1).opened_at is None
    assert client.post(f"{link}rate/", {"item": "1", **ANSWERS}).status_code == 422


def test_handing_in_gives_a_receipt_and_a_second_click_the_same_one(client: Client, link: str) -> None:
    answer_all(client, link)
    assert client.get(f"{link}rate/")["Location"] == f"{link}review/"
    assert client.post(f"{link}review/", {"comment": "nice"})["Location"] == f"{link}done/"
    again = client.post(f"{link}review/", follow=True)
    assert again.status_code == 200
    assert "Already received" in again.content.decode()
    assignment = Assignment.objects.get()
    assert assignment.state == AssignmentState.SUBMITTED
    assert assignment.comment == "nice"
    assert assignment.completion_code in client.get(f"{link}done/").content.decode()


def test_an_unfinished_set_cannot_be_handed_in(client: Client, link: str) -> None:
    start(client, link)
    assert client.get(f"{link}review/")["Location"] == f"{link}rate/"
    response = client.post(f"{link}review/")
    assert response.status_code == 422
    assert "not fully answered" in response.content.decode()
    assert client.get(f"{link}done/")["Location"] == link


def test_pages_before_the_start_lead_to_the_landing_page(client: Client, link: str) -> None:
    for page in ("rate/", "review/", "done/"):
        assert client.get(f"{link}{page}")["Location"] == link


def test_who_comes_back_late_goes_on_where_they_were(client: Client, link: str) -> None:
    start(client, link)
    Assignment.objects.update(state=AssignmentState.EXPIRED, holds_seat=False, lease_until=None)
    assert client.get(f"{link}rate/").status_code == 200
    client.post(link)
    assert Assignment.objects.get().state == AssignmentState.ACTIVE


def test_nothing_left_is_said_in_words(client: Client, made: SmallStudy, link: str) -> None:
    answer_all(client, link)
    client.post(f"{link}review/")
    other = links.personal_path(made.study, RaterFactory())
    assert "nothing left to rate" in client.get(other).content.decode()
    assert "nothing left" in client.post(other, {"consent": "yes"}).content.decode()


def test_no_generator_gold_or_sample_name_is_in_any_page(client: Client, link: str) -> None:
    pages = [client.get(link)]
    start(client, link)
    for position in range(1, ITEMS + 1):
        pages.append(watch(client, link))
        client.post(f"{link}rate/", {"item": str(position), **ANSWERS})
    pages.append(client.get(f"{link}review/"))
    client.post(f"{link}review/")
    pages += [client.get(link), client.get(f"{link}done/")]
    for page in pages:
        assert page.status_code == 200
        text = page.content.decode().lower()
        assert [secret for secret in SECRETS if secret in text] == []


def test_a_forged_or_cut_token_is_a_page_in_words(client: Client, link: str) -> None:
    for bad in (link[:-2] + "/", "/r/1-1.forged/", "/r/x/"):
        for page in ("", "rate/", "review/", "done/"):
            response = client.get(f"{bad}{page}")
            assert response.status_code == 404
            assert "does not open anything" in response.content.decode()


def test_another_raters_items_cannot_be_reached(client: Client, made: SmallStudy, link: str) -> None:
    start(client, link)
    theirs = ItemFactory(position=77)
    client.post(f"{link}rate/", {"item": "77", **ANSWERS})
    assert not Rating.objects.exists()
    assert str(theirs.sample.prompt.text) not in client.get(f"{link}rate/?item=77").content.decode()


# --- Open links -------------------------------------------------------------------------------------------------------


def test_a_platforms_worker_gets_a_link_of_their_own(client: Client, made: SmallStudy) -> None:
    address = links.open_path(made.study)
    first = client.get(f"{address}?workerId=W1&assignmentId=A1&hitId=H1")
    again = client.get(f"{address}?workerId=W1&assignmentId=A2&hitId=H2")
    other = client.get(f"{address}?PROLIFIC_PID=P1")
    assert first.status_code == 302
    assert first["Location"] == again["Location"] != other["Location"]
    assert PlatformIdentity.objects.filter(platform=Platform.MTURK).count() == 1
    assert "W1" not in first["Location"]


def test_the_preview_shows_the_task_and_no_button(client: Client, made: SmallStudy) -> None:
    page = client.get(f"{links.open_path(made.study)}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE").content.decode()
    assert "preview" in page
    assert "<form" not in page


def test_an_open_link_without_an_id_says_what_to_do(client: Client, made: SmallStudy) -> None:
    response = client.get(links.open_path(made.study))
    assert response.status_code == 400
    assert "through your platform" in response.content.decode()


# --- Frames -----------------------------------------------------------------------------------------------------------


def test_pages_refuse_to_be_framed_by_default(client: Client, link: str) -> None:
    response = client.get(link)
    assert "frame-ancestors 'none'" in response["Content-Security-Policy"]
    assert response["X-Frame-Options"] == "DENY"


def test_the_named_platform_may_frame_raters_pages_only(client: Client, link: str) -> None:
    with override_settings(RATER_FRAME_ANCESTORS=["https://www.mturk.com"]):
        response = client.get(link)
        home = client.get("/")
    assert "frame-ancestors https://www.mturk.com" in response["Content-Security-Policy"]
    assert "X-Frame-Options" not in response
    assert home["X-Frame-Options"] == "DENY"


def test_a_slow_rater_keeps_the_seat_by_answering(client: Client, link: str) -> None:
    start(client, link)
    Assignment.objects.update(lease_until=timezone.now() + timedelta(seconds=5))
    watch(client, link)
    client.post(f"{link}rate/", {"item": "1", **ANSWERS})
    lease = Assignment.objects.get().lease_until
    assert lease is not None
    assert lease > timezone.now() + timedelta(minutes=20)
