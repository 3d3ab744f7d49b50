"""The site in a real Chromium: pages load under our content security policy, and a person can sign in."""

from typing import TYPE_CHECKING

import pytest

from tests.factories import PASSWORD, ManagerFactory

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_manager_signs_in_to_the_admin_without_a_complaint_from_the_browser(page: "Page") -> None:
    ManagerFactory(username="ada", is_staff=True)
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(f"{message.text} {message.location['url']}"))
    page.on("pageerror", lambda error: complaints.append(str(error)))

    page.goto("/admin/")
    page.get_by_label("Username").fill("ada")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()

    page.get_by_text("Welcome").wait_for()
    assert [text for text in complaints if not text.endswith("/favicon.ico")] == []
