"""A rater does a whole HIT: by mouse, by keyboard, on a phone, and without JavaScript."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation import links
from annotation.models import Assignment, AssignmentState, Rating
from tests.e2e.small_study import ITEMS, SmallStudy, finish_clips, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 320, "height": 640}


def begin(page: Page, made: SmallStudy) -> str:
    link = links.personal_path(made.study, made.rater)
    page.goto(link)
    page.get_by_label("I agree to take part").check()
    page.get_by_role("button", name="Start").click()
    return link


def rate_by_mouse(page: Page) -> None:
    for position in range(1, ITEMS + 1):
        expect(page.get_by_text(f"{position} of {ITEMS}", exact=True)).to_be_visible()
        natural = page.get_by_role("group", name="How natural is the movement?")
        natural.get_by_text("Mostly", exact=True).click()
        faithful = page.get_by_role("group", name="How well does the movement match")
        faithful.get_by_text("Fully", exact=True).click()
        page.get_by_role("button", name="Next").click()


@pytest.mark.parametrize("javascript", [True, False])
def test_a_whole_hit_by_mouse_on_a_phone(open_page: Callable[..., Page], made: SmallStudy, javascript: bool) -> None:
    page = open_page(viewport=PHONE, java_script_enabled=javascript)
    begin(page, made)
    rate_by_mouse(page)
    expect(page.get_by_role("heading", name=f"All {ITEMS} clips are answered")).to_be_visible()
    page.get_by_label("Anything we should know?").fill("clear questions")
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_role("heading", name="Received")).to_be_visible()
    assignment = Assignment.objects.get()
    assert assignment.state == AssignmentState.SUBMITTED
    assert Rating.objects.count() == 2 * ITEMS
    expect(page.locator("#completion-code")).to_have_text(assignment.completion_code)
    expect(page.get_by_role("button", name="Copy code")).to_be_visible(visible=javascript)
    assert page.context.cookies() == []


def tab_to(page: Page, selector: str) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab never reached {selector}")


def test_a_whole_hit_by_keyboard(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page()
    page.goto(links.personal_path(made.study, made.rater))
    tab_to(page, "input[name=consent]")
    page.keyboard.press("Space")
    tab_to(page, "button[type=submit]")
    page.keyboard.press("Enter")
    for position in range(1, ITEMS + 1):
        expect(page.get_by_text(f"{position} of {ITEMS}", exact=True)).to_be_visible()
        tab_to(page, "input[name=naturalness]")
        page.keyboard.press("ArrowDown")  # from the first option to the second
        tab_to(page, "input[name=faithfulness]")
        page.keyboard.press("Space")
        tab_to(page, "button[type=submit]")
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="All 5 clips")).to_be_visible()
    tab_to(page, "button[type=submit]")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Received")).to_be_visible()
    assert set(Rating.objects.values_list("criterion__code", "value")) == {("naturalness", 1), ("faithfulness", 0)}


def test_the_clip_plays(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page()
    begin(page, made)
    # Playwright's wait_for_function evaluates strings in the page, which our policy rightly refuses.
    page.locator("video").evaluate(
        "video => video.currentTime > 0 || new Promise(go => video.addEventListener('timeupdate', go, {once: true}))"
    )
    assert page.evaluate("(v => [v.muted, v.loop, v.controls])(document.querySelector('video'))") == [True, False, True]


def test_less_motion_means_no_clip_starts_by_itself(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page(reduced_motion="reduce")
    begin(page, made)
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.querySelector('video').paused")


def test_a_reload_or_another_browser_goes_on_where_the_rater_was(
    open_page: Callable[..., Page], made: SmallStudy
) -> None:
    page = open_page()
    link = begin(page, made)
    page.locator("input[name=naturalness]").nth(2).check()
    page.locator("input[name=faithfulness]").nth(2).check()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("2 of 5", exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_text("2 of 5", exact=True)).to_be_visible()
    other = open_page()
    other.goto(link)
    other.get_by_role("link", name="Continue").click()
    expect(other.get_by_text("2 of 5", exact=True)).to_be_visible()
    other.get_by_role("link", name="Back").click()
    expect(other.locator("input[name=naturalness]").nth(2)).to_be_checked()


def test_the_code_can_be_copied(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    begin(page, made)
    rate_by_mouse(page)
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("button", name="Copy code").click()
    expect(page.get_by_text("Copied.")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == Assignment.objects.get().completion_code


def test_a_clip_that_is_being_made_appears_by_itself(
    open_page: Callable[..., Page], transactional_db: None, files: Path, video: bytes
) -> None:
    made = make_study(video=video, ready=False)
    page = open_page()
    begin(page, made)
    expect(page.get_by_text("This clip is being made.")).to_be_visible()
    finish_clips(made.study, video)
    expect(page.get_by_role("button", name="Next")).to_be_visible(timeout=10_000)
    assert page.locator("video").count() == 1
