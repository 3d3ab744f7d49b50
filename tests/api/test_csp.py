"""The two pages of the API that others wrote obey our Content-Security-Policy, in a real browser."""

from typing import TYPE_CHECKING

import pytest
from django.test import Client

from tests.api.seeding import seed
from tests.factories.config import ManagerFactory

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from pytest_django.live_server_helper import LiveServer

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def complaints(page: "Page") -> list[str]:
    """What the browser says against the page, collected from now on."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("requestfailed", lambda request: said.append(f"failed: {request.url}"))
    page.on("response", lambda answer: said.append(f"{answer.status}: {answer.url}") if answer.status >= 400 else None)
    return said


def sign_in(page: "Page", server: "LiveServer") -> None:
    client = Client()
    client.force_login(ManagerFactory())
    page.context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": server.url}])


def test_swagger_ui_shows_the_schema_and_breaks_no_rule(page: "Page") -> None:
    said = complaints(page)
    page.goto("/api/v1/docs/")
    operation = page.locator("#operations-ratings-ratings_export_retrieve, [id*='ratings_export']").first
    operation.wait_for()
    operation.locator("button").first.click()
    page.get_by_role("button", name="Try it out").first.click()
    page.locator("button", has_text="Authorize").first.click()
    page.locator(".modal-ux").wait_for()
    assert said == []


@pytest.mark.parametrize(
    "path",
    [
        "",
        "prompts/",
        "generators/",
        "rubrics/",
        "render-jobs/",
        "audit-events/?ordering=-at",
        "prompts/walks-p1/",
    ],
)
def test_the_browsable_api_breaks_no_rule(page: "Page", live_server: "LiveServer", path: str) -> None:
    seed()
    sign_in(page, live_server)
    said = complaints(page)
    page.goto(f"/api/v1/{path}")
    page.locator(".response-info").wait_for()
    assert said == []


def test_the_browsable_apis_filters_open_and_filter(page: "Page", live_server: "LiveServer") -> None:
    seed()
    sign_in(page, live_server)
    said = complaints(page)
    page.goto("/api/v1/prompts/")
    page.get_by_role("button", name="Filters").click()
    page.locator("#filtersModal input[name=code]").fill("walks-p1")
    page.locator("#filtersModal button[type=submit]").click()
    page.wait_for_url("**code=walks-p1**")
    assert "walks-p1" in page.locator(".response-info").inner_text()
    assert said == []


def test_the_page_of_an_import_breaks_no_rule(page: "Page", live_server: "LiveServer") -> None:
    """It answers GET with 405, and still shows the form to send a file with."""
    sign_in(page, live_server)
    said = complaints(page)
    page.goto("/api/v1/prompts/import/")
    page.locator("form", has=page.locator("button", has_text="POST")).first.wait_for()
    assert [each for each in said if "405" not in each] == []
