"""A rater does a whole HIT: by mouse, by touch, by keyboard, offline in between, and without JavaScript."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Response, Route, expect

from annotation import links
from annotation.models import Assignment, AssignmentState, Item, Rating
from tests.e2e.small_study import ITEMS, SECRETS, SmallStudy, finish_clips, let_time_pass, make_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

PHONE = {"width": 320, "height": 640}


def begin(page: Page, made: SmallStudy) -> str:
    link = links.personal_path(made.study, made.rater)
    page.goto(link)
    page.get_by_label("I agree to take part").check()
    page.get_by_role("button", name="Start").click()
    return link


def unlock(page: Page, position: int) -> None:
    """Wait until the clip has been watched, as a rater does."""
    expect(page.get_by_text(f"{position} of {ITEMS}", exact=True)).to_be_visible()
    expect(page.locator("[data-part=watch]")).to_have_attribute("data-open", "yes")
    expect(page.locator("input[type=radio]").last).to_be_enabled()


def answer(page: Page) -> None:
    natural = page.get_by_role("group", name="How natural is the movement?")
    natural.get_by_text("Mostly", exact=True).click()
    faithful = page.get_by_role("group", name="How well does the movement match")
    faithful.get_by_text("Fully", exact=True).click()


def rate_by_mouse(page: Page, *, javascript: bool = True) -> None:
    for position in range(1, ITEMS + 1):
        if javascript:
            unlock(page, position)
        else:
            expect(page.get_by_text(f"{position} of {ITEMS}", exact=True)).to_be_visible()
            let_time_pass()
        answer(page)
        page.get_by_role("button", name="Next").click()


@pytest.mark.parametrize("javascript", [True, False])
def test_a_whole_hit_by_mouse_on_a_phone(open_page: Callable[..., Page], made: SmallStudy, javascript: bool) -> None:
    page = open_page(viewport=PHONE, java_script_enabled=javascript)
    begin(page, made)
    rate_by_mouse(page, javascript=javascript)
    expect(page.get_by_role("heading", name=f"All {ITEMS} clips are answered")).to_be_visible()
    page.get_by_label("Anything we should know?").fill("clear questions")
    page.get_by_role("button", name="Submit").click()

    expect(page.get_by_role("heading", name="Received")).to_be_visible()
    assignment = Assignment.objects.get()
    assert assignment.state == AssignmentState.SUBMITTED
    assert Rating.objects.count() == 2 * ITEMS
    assert {rating.coverage is not None and rating.coverage >= 0.95 for rating in Rating.objects.all()} == {javascript}
    assert set(Rating.objects.values_list("revision", "replays")) == {(1, 0)}
    expect(page.locator("#completion-code")).to_have_text(assignment.completion_code)
    expect(page.get_by_role("button", name="Copy code")).to_be_visible(visible=javascript)
    assert page.context.cookies() == []


def test_a_whole_hit_by_touch_on_a_phone(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    begin(page, made)
    for position in range(1, ITEMS + 1):
        unlock(page, position)
        for code in ("naturalness", "faithfulness"):
            page.locator("label.option", has=page.locator(f"input[name={code}][value='2']")).tap()
        page.get_by_role("button", name="Next").tap()
    expect(page.get_by_role("heading", name=f"All {ITEMS} clips")).to_be_visible()
    assert set(Rating.objects.values_list("value", "device")) == {
        (2, "desktop")
    }  # by its user agent, which is Chromium's


def tab_to(page: Page, selector: str) -> None:
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab never reached {selector}")


def start_by_keyboard(page: Page, made: SmallStudy) -> None:
    page.goto(links.personal_path(made.study, made.rater))
    tab_to(page, "input[name=consent]")
    page.keyboard.press("Space")
    tab_to(page, "button[type=submit]")
    page.keyboard.press("Enter")


def test_a_whole_hit_by_tab_arrows_space_and_enter(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page()
    start_by_keyboard(page, made)
    for position in range(1, ITEMS + 1):
        unlock(page, position)
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


def test_a_whole_hit_by_the_page_s_own_keys(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page()
    start_by_keyboard(page, made)
    for position in range(1, ITEMS + 1):
        unlock(page, position)
        page.keyboard.press("3")
        page.locator("body").dispatch_event("keydown", {"key": "4", "code": "Numpad4", "bubbles": True})
        page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="All 5 clips")).to_be_visible()
    assert set(Rating.objects.values_list("criterion__code", "value")) == {("naturalness", 3), ("faithfulness", 4)}


def is_paused(page: Page) -> bool:
    return bool(page.evaluate("document.querySelector('video').paused"))


def test_keys_play_replay_and_leave_the_browser_s_own_alone(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page()
    begin(page, made)
    page.keyboard.press("5")  # locked, and no such option
    unlock(page, 1)
    page.keyboard.press("Control+3")
    page.keyboard.press("Shift+3")
    page.keyboard.press("y")  # the questions are not of yes and no
    assert page.locator("input:checked").count() == 1  # the box in the legend
    expect(page.locator("video")).to_have_js_property("paused", True)
    page.keyboard.press("r")
    assert not is_paused(page)
    page.keyboard.press("Space")
    assert is_paused(page)
    page.get_by_text("Keys", exact=True).click()
    expect(page.get_by_text("play or pause")).to_be_visible()
    page.get_by_label("Use these keys").uncheck()
    page.locator("h1").click()
    page.keyboard.press("3")
    page.keyboard.press("r")
    assert page.locator("input[type=radio]:checked").count() == 0
    assert is_paused(page)


# --- The watch gate ---------------------------------------------------------------------------------------------------


def test_skipping_over_the_clip_does_not_unlock_the_answers(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page(reduced_motion="reduce")
    begin(page, made)
    let_time_pass()
    page.reload()
    page.locator("video").evaluate(
        "video => new Promise(go => {"
        " video.addEventListener('seeked', go, {once: true}); video.currentTime = 0.6 * video.duration; })"
    )
    page.locator("video").evaluate("video => video.play()")
    expect(page.locator("video")).to_have_js_property("ended", True)
    expect(page.locator("#why")).to_contain_text(
        re.compile(r"Watch the whole clip to unlock the answers: \d+% watched, not yet 0.0 to")
    )
    expect(page.locator("input[type=radio]").first).to_be_disabled()
    page.get_by_role("button", name="Next").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("watch the whole clip")
    page.get_by_role("button", name="Replay").click()
    unlock(page, 1)
    expect(page.locator("#why")).to_contain_text("Whole clip watched")
    assert not Rating.objects.exists()


def test_the_shortest_time_counts_too_and_a_reload_does_not_start_it_anew(
    open_page: Callable[..., Page], transactional_db: None, files: Path, video: bytes
) -> None:
    made = make_study(video=video, minimum_seconds=50)
    page = open_page()
    begin(page, made)
    expect(page.locator("#why")).to_contain_text("The answers unlock in")
    expect(page.locator("input[type=radio]").first).to_be_disabled()
    let_time_pass(48)
    page.reload()
    unlock(page, 1)


def test_half_speed_and_replays_are_played_and_counted(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page()
    begin(page, made)
    unlock(page, 1)
    expect(page.locator("video")).to_have_js_property("ended", True)
    page.get_by_role("button", name="Half speed").click()
    expect(page.get_by_role("button", name="Half speed")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Replay").click()
    expect(page.locator("video")).to_have_js_property("playbackRate", 0.5)
    answer(page)
    page.get_by_role("button", name="Next").click()
    unlock(page, 2)
    assert set(Rating.objects.values_list("replays", flat=True)) == {1}


def test_the_help_of_an_option_comes_by_hover_focus_and_tap(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page(viewport=PHONE)
    begin(page, made)
    help_text = page.get_by_text("sliding feet, shaking")
    expect(help_text).to_be_hidden()
    option = page.locator("label.option").nth(1)
    option.hover()
    expect(help_text).to_be_visible()
    page.mouse.move(0, 0)
    expect(help_text).to_be_hidden()
    option.dispatch_event("pointerup")  # a tap, while the answers are still locked
    expect(help_text).to_be_visible()
    page.locator("video").scroll_into_view_if_needed()  # out of sight it does not play
    unlock(page, 1)
    page.locator("label.option").nth(0).dispatch_event("pointerup")
    expect(help_text).to_be_hidden()
    page.locator("input[name=naturalness]").nth(1).focus()
    expect(help_text).to_be_visible()
    described = page.locator("input[name=naturalness]").nth(1).get_attribute("aria-describedby")
    assert described == "help-naturalness-1"


# --- Nothing is lost --------------------------------------------------------------------------------------------------


def test_each_answer_is_saved_as_it_is_given_and_changed_until_the_end(
    open_page: Callable[..., Page], made: SmallStudy
) -> None:
    page = open_page()
    begin(page, made)
    unlock(page, 1)
    page.keyboard.press("1")
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    assert list(Rating.objects.values_list("value", "revision")) == [(1, 1)]
    page.reload()
    expect(page.locator("input[name=naturalness]").nth(1)).to_be_checked()
    page.locator("input[name=naturalness]").nth(2).check()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    assert list(Rating.objects.values_list("value", "revision")) == [(2, 2)]


def test_a_cut_network_loses_nothing_and_the_next_clip_opens_when_it_is_back(
    open_page: Callable[..., Page], made: SmallStudy
) -> None:
    page = open_page()
    begin(page, made)
    unlock(page, 1)
    page.context.set_offline(True)
    answer(page)
    expect(page.get_by_text("Not sent yet, will be sent when you are back online")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("the next clip opens when you are back online")).to_be_visible()
    assert not Rating.objects.exists()
    page.context.set_offline(False)
    unlock(page, 2)
    assert set(Rating.objects.values_list("value", "revision")) == {(3, 1), (4, 1)}


def test_a_server_that_fails_is_asked_again(
    open_page: Callable[..., Page], made: SmallStudy, complaints: list[str]
) -> None:
    page = open_page()
    begin(page, made)
    unlock(page, 1)
    page.route("**/save/", lambda route: route.fulfill(status=503), times=1)
    page.keyboard.press("2")
    expect(page.get_by_text("Not sent yet")).to_be_visible()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    assert Rating.objects.get().value == 2
    assert all("503" in complaint for complaint in complaints)
    complaints.clear()


def test_an_answer_whose_receipt_was_lost_is_stored_once(
    open_page: Callable[..., Page], made: SmallStudy, complaints: list[str]
) -> None:
    page = open_page()
    begin(page, made)
    unlock(page, 1)

    def lose_the_receipt(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/save/", lose_the_receipt, times=1)
    page.keyboard.press("2")
    expect(page.get_by_text("Already received")).to_be_visible()
    assert list(Rating.objects.values_list("value", "revision")) == [(2, 1)]
    assert all("ERR_FAILED" in complaint for complaint in complaints)
    complaints.clear()


def test_a_reload_with_unsent_answers_shows_and_sends_them(
    open_page: Callable[..., Page], made: SmallStudy, complaints: list[str]
) -> None:
    page = open_page()
    begin(page, made)
    unlock(page, 1)
    page.route("**/save/", lambda route: route.abort())
    page.keyboard.press("3")
    expect(page.get_by_text("Not sent yet")).to_be_visible()
    page.unroute("**/save/")
    page.reload()
    expect(page.locator("input[name=naturalness]").nth(3)).to_be_checked()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    assert Rating.objects.get().value == 3
    unlock(page, 1)
    complaints.clear()


def test_what_was_watched_survives_a_reload(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page(reduced_motion="reduce")
    begin(page, made)
    page.get_by_role("button", name="Replay").click()
    unlock(page, 1)
    page.reload()  # and nothing plays by itself
    unlock(page, 1)


def test_two_windows_agree_on_the_later_answer(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page()
    begin(page, made)
    unlock(page, 1)
    other = page.context.new_page()
    other.goto(page.url)
    unlock(other, 1)
    page.keyboard.press("1")
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    other.keyboard.press("4")
    expect(other.get_by_text("Saved", exact=True)).to_be_visible()
    assert list(Rating.objects.values_list("value", "revision")) == [(4, 2)]


def test_a_double_click_sends_once_and_says_so(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page()
    begin(page, made)
    for position in range(1, ITEMS + 1):
        unlock(page, position)
        answer(page)
        page.get_by_role("button", name="Next").dblclick()
    page.get_by_role("button", name="Submit").dblclick()
    expect(page.get_by_role("heading", name="Received")).to_be_visible()
    assert Assignment.objects.get().state == AssignmentState.SUBMITTED
    assert set(Rating.objects.values_list("revision", flat=True)) == {1}
    assert Rating.objects.count() == 2 * ITEMS


def test_the_next_clip_is_loaded_ahead_and_not_opened(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page()
    loaded: list[str] = []
    page.on("requestfinished", lambda request: loaded.append(request.url))
    begin(page, made)
    unlock(page, 1)
    first, second = Item.objects.order_by("position")[:2]
    expect(page.locator("#item")).to_have_attribute("data-next", re.compile("mp4"))
    page.wait_for_load_state("networkidle")
    assert any(links.item_token(second) in url for url in loaded)
    assert (first.opened_at is None, second.opened_at) == (False, None)


def test_a_clip_that_will_not_play_is_let_go(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page()
    begin(page, made)
    page.get_by_role("button", name="This video won’t play").click()
    for position in range(2, ITEMS + 1):
        unlock(page, position)
        answer(page)
        page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("did not play: nothing to answer, and no loss of pay")).to_be_visible()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="Received")).to_be_visible()
    assert Item.objects.get(position=1).problem == "would not play in the rater's browser"


def test_no_barrier_while_locked_answered_and_offline(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page(viewport=PHONE, color_scheme="dark")
    begin(page, made)
    expect(page.get_by_role("button", name="Replay")).to_be_visible()
    assert serious(page) == []
    unlock(page, 1)
    page.get_by_text("Keys", exact=True).click()
    page.context.set_offline(True)
    page.locator("h1").click()
    page.keyboard.press("3")
    expect(page.get_by_text("Not sent yet")).to_be_visible()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("alert")).to_contain_text("One more answer")
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def serious(page: Page) -> list[str]:
    found = Axe().run(page).response["violations"]
    return [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")]


def test_nothing_that_the_browser_gets_or_keeps_tells_of_gold_or_generators(
    open_page: Callable[..., Page], made: SmallStudy
) -> None:
    page = open_page()
    seen: list[str] = []
    kinds: list[str] = []

    def note(response: Response) -> None:
        seen.append(f"{response.url} {response.all_headers()}")
        if "json" in response.headers.get("content-type", ""):
            seen.append(response.text())

    begin(page, made)
    page.on("requestfinished", lambda request: kinds.append(request.url.rsplit(".", 1)[-1]))
    responses: list[Response] = []
    page.on("response", lambda response: responses.append(response))
    for position in range(1, ITEMS + 1):
        unlock(page, position)
        page.keyboard.press("2")
        page.keyboard.press("2")
        expect(page.get_by_text("Saved", exact=True)).to_be_visible()
        seen.append(page.evaluate("JSON.stringify(localStorage) + document.documentElement.outerHTML"))
        for response in responses:
            if "/rate/" not in response.url:
                note(response)
        responses.clear()
        page.keyboard.press("Enter")
    everything = "\n".join(seen).lower()
    assert [secret for secret in SECRETS if secret in everything] == []
    assert page.context.cookies() == []
    assert "mp4" in kinds


# --- The rest ---------------------------------------------------------------------------------------------------------


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
    unlock(page, 1)
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
    unlock(page, 1)
