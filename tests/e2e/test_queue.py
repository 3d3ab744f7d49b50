"""The page of the render queue in a browser: every state in both themes, live, by one click, and without JavaScript."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from config.jobs.models import JobState
from config.jobs.services import job_claim, job_fail, job_heartbeat
from rendering.models import Clip, RenderJob
from tests.e2e.small_study import SmallStudy, finish_clips, make_study
from tests.e2e.test_every_page import LOOKS, check
from tests.factories import ManagerFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

QUEUE = "/manage/small/clips/"
ERROR = "the renderer ended with code 1: GLError: context lost /usr/lib/x86_64-linux-gnu/libEGL_mesa.so.0.0.0"


@pytest.fixture
def open_study(transactional_db: None, files: Any, video: bytes) -> SmallStudy:
    """Five clips, none of them made."""
    return make_study(video=video, ready=False)


def claim() -> RenderJob:
    job = job_claim(RenderJob)
    assert job is not None
    return job


def fail(*, retry: bool = False) -> RenderJob:
    job = claim()
    job_fail(job, error=ERROR, retry=retry)
    return job


def every_kind() -> None:
    """One failed, one cancelled, one running, one that pauses and one that waits."""
    fail()
    RenderJob.objects.filter(state=JobState.WAITING, pk=RenderJob.objects.latest("id").pk).update(
        state=JobState.CANCELLED, finished_at=timezone.now()
    )
    fail(retry=True)
    assert job_heartbeat(claim(), progress=0.4)


@pytest.mark.parametrize("look", LOOKS)
def test_the_queue_in_every_state(
    open_page: Callable[..., Page], open_study: SmallStudy, video: bytes, look: str
) -> None:
    page = open_page(user=ManagerFactory(), **LOOKS[look])
    check(page, QUEUE)
    RenderJob.objects.update(not_before=timezone.now() - timedelta(minutes=4))
    check(page, QUEUE)
    expect(page.get_by_text("No render worker has taken a job")).to_be_visible()
    every_kind()
    for path in (QUEUE, f"{QUEUE}ended/", f"{QUEUE}waiting/", f"{QUEUE}cancel-waiting/"):
        check(page, path)
    Clip.objects.all().delete()
    check(page, QUEUE)
    expect(page.get_by_role("button", name="Make 5 missing clips")).to_be_visible()
    page.get_by_role("button", name="Make 5 missing clips").click()
    expect(page.get_by_role("status")).to_contain_text("5 clips will be made")
    check(page, QUEUE)
    finish_clips(open_study.study, video)
    check(page, QUEUE)
    expect(page.get_by_text("5 of 5 clips made")).to_be_visible()


def test_the_queue_follows_by_itself_and_stops_when_nothing_is_open(
    open_page: Callable[..., Page], open_study: SmallStudy, video: bytes
) -> None:
    page = open_page(user=ManagerFactory())
    page.goto(QUEUE)
    page.evaluate("window.stayed = true")
    expect(page.locator("#queue-waiting tbody tr")).to_have_count(5)
    job = claim()
    job_heartbeat(job, progress=0.5)
    expect(page.get_by_text("drawing, 10 of 20 frames")).to_be_visible()
    expect(page.locator("#queue-waiting tbody tr")).to_have_count(4)
    job_fail(job, error=ERROR, retry=False)
    expect(page.locator("#queue-ended")).to_contain_text(ERROR)
    finish_clips(open_study.study, video)
    expect(page.get_by_text("5 of 5 clips made")).to_be_visible()
    expect(page.locator("#queue-now[hx-trigger]")).to_have_count(0)
    expect(page.locator("#queue-ended, #queue-waiting")).to_have_count(2)
    expect(page.locator("#queue-waiting")).to_be_hidden()
    expect(page.locator("#queue-ended")).to_be_hidden()
    assert page.evaluate("window.stayed")


def test_one_click_retries_without_a_reload(open_page: Callable[..., Page], open_study: SmallStudy) -> None:
    jobs = [fail(), fail()]
    page = open_page(user=ManagerFactory())
    page.goto(QUEUE)
    page.evaluate("window.stayed = true")
    page.locator(f"#retry-{jobs[0].pk}").click()
    expect(page.get_by_role("status")).to_have_text("1 clip will be tried again.")
    expect(page.get_by_role("status")).to_be_focused()
    expect(page.locator("#queue-ended tbody tr")).to_have_count(1)
    fail()
    page.reload()
    page.get_by_role("button", name="Retry all 2 failed").click()
    expect(page.get_by_role("status")).to_have_text("2 clips will be tried again.")
    expect(page.locator("#queue-ended")).to_be_hidden()
    page.locator("#queue-waiting button").first.click()
    expect(page.get_by_role("status")).to_have_text("1 clip was cancelled.")


def test_the_queue_works_without_javascript(open_page: Callable[..., Page], open_study: SmallStudy) -> None:
    job = fail()
    page = open_page(user=ManagerFactory(), java_script_enabled=False)
    page.goto("/manage/")
    page.get_by_role("link", name="clips failed to render").click()
    page.locator(f"#retry-{job.pk}").click()
    expect(page.get_by_text("1 clip will be tried again.")).to_be_visible()
    page.get_by_role("link", name="Cancel all 5 waiting").click()
    expect(page.get_by_role("heading", name="Cancel 5 waiting clips?")).to_be_visible()
    page.get_by_role("button", name="Cancel 5 clips").click()
    expect(page.get_by_text("5 clips cancelled.")).to_be_visible()
    page.get_by_role("button", name="Make 5 missing clips").click()
    expect(page.get_by_text("5 clips will be made")).to_be_visible()
