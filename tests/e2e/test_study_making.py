"""A manager makes a study, changes its questions, runs it and clones it: in a browser, with and without JavaScript."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Rating, Study
from tests.e2e.small_study import SmallStudy
from tests.factories import ManagerFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("scripted", [True, False])
def test_from_nothing_to_a_study_that_is_open(
    open_page: Callable[..., Page], transactional_db: None, files: Path, scripted: bool
) -> None:
    page = open_page(user=ManagerFactory(), java_script_enabled=scripted)
    page.goto("/manage/")
    page.get_by_role("link", name="New study").click()
    page.get_by_label("Title").fill("A first study")
    page.get_by_label("Rubric", exact=True).select_option(label="Faithful and natural, yes or no")
    page.get_by_role("button", name="Take it over as text").click()
    text = page.get_by_label("My own rubric", exact=True)
    text.fill(text.input_value().replace("name: binary", "name: Binary"))
    page.get_by_role("button", name="Show the questions").click()
    expect(page.get_by_role("heading", name="1 problem in the rubric. Nothing was kept.")).to_be_visible()
    text.fill(text.input_value().replace("name: Binary", "name: mine"))
    page.get_by_role("button", name="Show the questions").click()
    expect(page.get_by_text("Could a real person have moved like this?", exact=True)).to_be_visible()
    expect(page.locator(".as-rater input").first).to_be_disabled()
    page.get_by_role("button", name="Make the study", exact=True).click()
    expect(page.locator("#id_code_error")).to_have_text("This field is required.")
    page.get_by_label("Code").fill("first")
    page.get_by_label("Pay per HIT").fill("2.00")
    page.get_by_role("button", name="Make the study", exact=True).click()
    expect(page.get_by_text("The study first is made.")).to_be_visible()
    study = Study.objects.select_related("rubric").get()
    assert (str(study.rubric), str(study.pay_per_hit), study.state) == ("mine v1", "2.00", "draft")
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="Start the pilot").click()
    expect(page.get_by_role("heading", name="Pilot", exact=True)).to_be_visible()
    page.get_by_role("button", name="Go live without a pilot").click()
    expect(page.get_by_text("No HIT of the pilot was handed in yet.")).to_be_visible()
    page.get_by_role("button", name="Go live without a pilot").click()
    expect(page.get_by_role("heading", name="Live", exact=True)).to_be_visible()
    study.refresh_from_db()
    assert study.state == "live"


def test_the_page_as_a_rater_plays_the_clip_and_takes_no_answer(
    open_page: Callable[..., Page], made: SmallStudy
) -> None:
    page = open_page(user=ManagerFactory())
    page.goto("/manage/small/")
    page.get_by_role("link", name="View as rater").click()
    clip = page.locator("video.clip")
    clip.evaluate("video => video.played.length || new Promise(done => video.addEventListener('timeupdate', done))")
    expect(page.locator(".option input")).to_have_count(10)
    expect(page.locator("fieldset :enabled:not(fieldset)")).to_have_count(0)
    page.get_by_role("link", name="Next sample").click()
    expect(page.get_by_text("Sample 2 of 5")).to_be_visible()
    assert not Rating.objects.exists()


def test_a_clone_opens_with_its_settings(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page(user=ManagerFactory())
    page.goto("/manage/small/")
    page.get_by_role("link", name="Clone").click()
    page.get_by_label("Its 1 gold sample").uncheck()
    page.get_by_role("button", name="Clone").click()
    expect(page.get_by_text("Cloned with 5 samples and 0 gold.")).to_be_visible()
    page.get_by_label("Purpose").fill("Another purpose.")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Changed: Purpose.")).to_be_visible()
    assert Study.objects.get(code="small-2").purpose == "Another purpose."
