"""report.html as it is read: from disk, in a sandboxed frame, in both themes, on a phone, without scripts."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.metaeval.report.test_html import page as report_text

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LOOKS: dict[str, dict[str, Any]] = {
    "light phone": {"viewport": {"width": 390, "height": 844}, "color_scheme": "light"},
    "dark desktop": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "dark"},
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(report_text(), encoding="utf-8")
    return path


@pytest.fixture
def open_report(chromium: "Browser", report: Path) -> "Iterator[Any]":
    """Opens the report; whatever the browser complains of or asks for beyond the file fails the test."""
    complaints: list[str] = []
    contexts = []

    def open_it(**options: Any) -> "Page":
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: complaints.append(request.url) if request.url.startswith("http") else None)
        page.goto(report.as_uri())
        return page

    yield open_it
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.mark.parametrize("look", LOOKS)
def test_it_has_no_barriers_and_does_not_scroll_sideways(open_report: Any, look: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = open_report(**LOOKS[look])
    widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert widths[0] <= widths[1]
    found = Axe().run(page).response["violations"]
    assert [(rule["id"], [node["html"][:200] for node in rule["nodes"][:3]]) for rule in found] == []


def _column(page: "Page", table: str, place: int) -> list[str]:
    cells = page.locator(f"#{table} tbody tr:not([hidden]) > :nth-child({place})")
    return [text.strip() for text in cells.all_inner_texts()]


def test_tables_sort_by_click_and_by_keyboard_with_undefined_at_the_end(open_report: Any) -> None:
    page = open_report()
    head = page.locator("#main thead th").nth(2)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    falling = _column(page, "main", 3)
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    rising = _column(page, "main", 3)
    assert [text.split()[0] for text in falling[-2:]] == [text.split()[0] for text in rising[-2:]] == ["undefined"] * 2
    values = [float(text.split()[0].replace("−", "-")) for text in rising[:-2]]
    assert values == sorted(values)
    page.locator("#main thead th").nth(0).get_by_role("button").click()
    names = [name.lower() for name in _column(page, "main", 1)]
    assert names == sorted(names)


def test_rows_are_filtered_by_text(open_report: Any) -> None:
    page = open_report()
    page.locator("#ranking input[type=search]").fill("foot lower")
    assert _column(page, "main", 1) == ["foot_sliding"]
    assert "1 of 15 rows" in page.locator("#ranking output").inner_text()


def test_it_reads_without_scripts(open_report: Any) -> None:
    page = open_report(java_script_enabled=False)
    assert "MotionCritic" in page.locator("#main").inner_text()
    assert page.locator("#ranking input").count() == 0


def test_it_works_in_a_sandboxed_frame(chromium: "Browser", report: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.html"
    outside.write_text(f'<iframe sandbox="allow-scripts" src="{report.as_uri()}" width="900" height="600"></iframe>')
    page = chromium.new_page()
    page.goto(outside.as_uri())
    head = page.frame_locator("iframe").locator("#main thead th").nth(0)
    head.get_by_role("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    page.close()
