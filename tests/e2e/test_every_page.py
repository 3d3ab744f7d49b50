"""Every page, in both themes and on the smallest phone: no sideways scrolling, no barrier, no breach of the CSP."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from django.urls import Resolver404, resolve
from django.utils import timezone
from playwright.sync_api import Page, expect

from annotation import links
from annotation.models import Platform
from annotation.services.assignments import assignment_take
from annotation.services.labels import label_set_freeze
from annotation.services.raters import rater_enrol, rater_identify
from config.jobs.models import JobState
from rendering.models import Clip
from tests.e2e.results import RESULTS
from tests.e2e.small_study import ITEMS, SmallStudy, finish_clips, let_time_pass, make_study
from tests.factories import (
    AnalysisFactory,
    ManagerFactory,
    MetricFactory,
    ReportFactory,
    ResearcherFactory,
    ScoreFactory,
    UserFactory,
)

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LOOKS = {
    "light phone": {"viewport": {"width": 320, "height": 640}, "color_scheme": "light"},
    "dark desktop": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
}


@pytest.fixture(params=LOOKS)
def look(request: pytest.FixtureRequest) -> dict[str, Any]:
    return LOOKS[request.param]


def check(page: Page, path: str) -> None:
    page.goto(path)
    page.wait_for_load_state("load")
    widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert widths[0] <= widths[1], f"{path} scrolls sideways: {widths}"
    found = Axe().run(page).response["violations"]
    serious = [
        (rule["id"], rule["impact"], [node["html"][:200] for node in rule["nodes"]])
        for rule in found
        if rule["impact"] in ("serious", "critical")
    ]
    assert serious == [], f"{path}: {serious}"


def rate_everything(made: SmallStudy) -> None:
    client, link = Client(), links.personal_path(made.study, made.rater)
    client.post(link, {"consent": "yes"})
    for position in range(1, ITEMS + 1):
        client.get(f"{link}rate/")
        let_time_pass()
        client.post(f"{link}rate/", {"item": str(position), "naturalness": "4", "faithfulness": "3"})


def test_pages_for_anyone(open_page: Callable[..., Page], made: SmallStudy, look: dict[str, Any]) -> None:
    page = open_page(**look)
    for path in ("/", "/accounts/login/", "/nothing-here/", "/r/forged/", links.open_path(made.study)):
        check(page, path)
    check(page, f"{links.open_path(made.study)}?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")


def test_a_rejected_sign_in(open_page: Callable[..., Page], made: SmallStudy, look: dict[str, Any]) -> None:
    page = open_page(**look)
    page.goto("/accounts/login/?next=/manage/")
    page.get_by_label("Name").fill("ada")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("That did not work.")).to_be_visible()
    assert Axe().run(page).violations_count == 0


def test_pages_of_a_rater(open_page: Callable[..., Page], made: SmallStudy, look: dict[str, Any]) -> None:
    link = links.personal_path(made.study, made.rater)
    page = open_page(**look)
    check(page, link)
    assignment_take(enrolment=rater_enrol(study=made.study, rater=made.rater))
    check(page, f"{link}rate/")
    page.locator("form.questions").evaluate("form => { form.noValidate = true; form.requestSubmit(); }")
    expect(page.get_by_role("alert")).to_be_visible()
    assert Axe().run(page).violations_count == 0
    rate_everything(made)
    check(page, link)
    check(page, f"{link}review/")
    Client().post(f"{link}review/")
    check(page, f"{link}done/")
    check(page, link)


def test_pages_of_a_manager(open_page: Callable[..., Page], made: SmallStudy, look: dict[str, Any]) -> None:
    rate_everything(made)
    Client().post(f"{links.personal_path(made.study, made.rater)}review/")
    page = open_page(user=ManagerFactory(), **look)
    for path in ("/manage/", "/manage/small/", "/manage/small/samples/", "/manage/small/raters/", "/research/"):
        check(page, path)
    for path in ("/manage/small/gold/", "/manage/small/batches/", "/manage/small/batches/new/"):
        check(page, path)
    for path in ("/manage/small/motions/", "/manage/small/clips/"):
        check(page, path)


def test_pages_that_make_and_run_a_study(
    open_page: Callable[..., Page], made: SmallStudy, look: dict[str, Any]
) -> None:
    rate_everything(made)
    page = open_page(user=ManagerFactory(), **look)
    for path in ("settings", "rubric", "state", "clone", "as-rater"):
        check(page, f"/manage/small/{path}/")
    check(page, "/manage/new/")
    page.get_by_role("button", name="Show the questions").click()
    expect(page.get_by_text("How natural is the movement?")).to_be_visible()
    assert Axe().run(page).violations_count == 0
    page.get_by_role("button", name="Make the study", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert Axe().run(page).violations_count == 0
    page.goto("/manage/small/state/")
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("heading", name="Close with 10 ratings?")).to_be_visible()
    assert Axe().run(page).violations_count == 0


def test_pages_of_a_researcher(open_page: Callable[..., Page], made: SmallStudy, look: dict[str, Any]) -> None:
    rate_everything(made)
    Client().post(f"{links.personal_path(made.study, made.rater)}review/")
    label_set = label_set_freeze(study=made.study, actor="user:test")
    for sample in made.samples:
        ScoreFactory(sample=sample, metric=MetricFactory(name=f"m{sample.pk}", title="A metric"))
    now = timezone.now()
    done = AnalysisFactory(label_set=label_set, state=JobState.DONE, finished_at=now)
    ReportFactory(analysis=done, results=RESULTS, provenance={"inputs": {"ratings.csv": "a" * 64}})
    failed = AnalysisFactory(label_set=label_set, state=JobState.FAILED, error="broke", finished_at=now)
    waiting = AnalysisFactory(label_set=label_set)
    page = open_page(user=ResearcherFactory(), **look)
    for path in ("/research/", "/research/small/", f"/research/samples/{made.samples[0].pk}/", "/manage/"):
        check(page, path)
    for analysis in (done, failed, waiting):
        check(page, f"/research/analyses/{analysis.pk}/")


def test_a_breach_of_the_policy_would_be_noticed(
    open_page: Callable[..., Page], made: SmallStudy, complaints: list[str]
) -> None:
    page = open_page()
    page.goto("/")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">x</p>')")
    page.evaluate("new Promise(resolve => setTimeout(resolve, 200))")
    assert any("CSP violation: style-src" in complaint for complaint in complaints)
    complaints.clear()


def test_back_office_and_api_pages_keep_to_the_policy(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page(user=UserFactory(is_staff=True, is_superuser=True))
    for path in ("/admin/", "/admin/annotation/study/", "/api/v1/docs/"):
        try:
            resolve(path)
        except Resolver404:
            continue
        page.goto(path)
        page.wait_for_load_state("networkidle")


# --- htmx -------------------------------------------------------------------------------------------------------------


def test_the_samples_table_filters_sorts_and_plays_without_a_reload(
    open_page: Callable[..., Page], made: SmallStudy
) -> None:
    page = open_page(user=ManagerFactory())
    page.goto("/manage/small/")
    page.evaluate("window.stayed = true")
    page.get_by_label("Prompt contains").press_sequentially("four")
    expect(page.locator("#samples tbody tr")).to_have_count(1)
    page.get_by_label("Prompt contains").fill("")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#samples tbody tr")).to_have_count(5)
    page.get_by_label("Generator").select_option("mocap-truth")
    expect(page.locator("#samples tbody tr")).to_have_count(2)
    page.get_by_role("link", name="Prompt").click()
    expect(page.locator("#samples th[aria-sort=descending]")).to_have_count(1)
    page.locator("#samples a.thumb").first.click()
    expect(page.locator("#samples video")).to_be_visible()
    assert page.evaluate("window.stayed")


def test_the_samples_table_works_without_javascript(open_page: Callable[..., Page], made: SmallStudy) -> None:
    page = open_page(user=ManagerFactory(), java_script_enabled=False)
    page.goto("/manage/small/")
    page.get_by_label("Prompt contains").fill("four")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator("#samples tbody tr")).to_have_count(1)
    page.get_by_role("link", name="Generator").click()
    expect(page.locator("#samples th[aria-sort=ascending]")).to_have_text("Generator ↑")


def test_the_count_of_clips_follows_and_stops_when_all_are_ready(
    open_page: Callable[..., Page], transactional_db: None, files: Any, video: bytes
) -> None:
    made = make_study(video=video, ready=False)
    rater_identify(platform=Platform.DEMO, platform_id="careful-02")
    page = open_page(user=ManagerFactory())
    page.goto("/manage/small/")
    clips = page.locator(".stage", has_text="Clips")
    expect(clips).to_contain_text("0 of 5")
    finish_clips(made.study, video)
    expect(clips).to_contain_text("5 of 5", timeout=10_000)
    expect(page.locator("#stages[hx-trigger]")).to_have_count(0)
    assert Clip.objects.filter(state="ready").count() == 5
