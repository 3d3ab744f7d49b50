"""A manager imports motions in a browser: check, mend, check again, import; with and without JavaScript."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Sample, Study
from annotation.services.prompts import prompt_create
from tests.annotation.manifests import csv, joints, npy, zip_of
from tests.factories import ManagerFactory, StudyFactory

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MANIFEST = csv("mdm/a.npy,walk,mdm", "mdm/b.npy,a person waves.,mdm")
MOTIONS = {"mdm/a.npy": npy(joints()), "mdm/b.npy": npy(joints(1))}


@pytest.fixture
def study(transactional_db: None, files: Path) -> Study:
    prompt_create(code="walk", text="a person walks.", actor="user:ada")
    return StudyFactory(code="small", title="A small study")


def choose(page: Page, folder: Path, manifest: str, motions: Mapping[str, bytes] = MOTIONS) -> None:
    (folder / "manifest.csv").write_text(manifest)
    (folder / "motions.zip").write_bytes(zip_of(motions))
    page.get_by_label("Manifest", exact=True).set_input_files(folder / "manifest.csv")
    page.get_by_label("Motions", exact=True).set_input_files(folder / "motions.zip")


def test_a_check_then_an_import_without_choosing_files_again(
    open_page: Callable[..., Page], study: Study, tmp_path: Path
) -> None:
    page = open_page(user=ManagerFactory())
    page.goto("/manage/small/")
    page.get_by_role("link", name="Import motions").click()
    page.evaluate("window.stayed = true")
    choose(page, tmp_path, MANIFEST.replace("walk,", "wlak,"))
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("heading", name="1 problem. Nothing was kept.")).to_be_visible()
    expect(page.locator("#outcome tbody tr")).to_contain_text("close to it: walk")
    expect(page.locator("#outcome")).to_be_focused()
    choose(page, tmp_path, MANIFEST)
    page.get_by_role("button", name="Check again").click()
    expect(page.get_by_text("No problem found. Nothing is kept yet.")).to_be_visible()
    assert Sample.objects.count() == 0
    page.get_by_role("button", name="Import 2 samples").click()
    expect(page.get_by_text("2 samples have come into the study.")).to_be_visible()
    expect(page.locator("#sending")).to_be_hidden()
    assert page.evaluate("window.stayed")
    assert study.samples.count() == 2
    page.get_by_role("link", name="See the samples").click()
    expect(page.locator("#samples tbody tr")).to_have_count(2)


def test_it_works_without_javascript(open_page: Callable[..., Page], study: Study, tmp_path: Path) -> None:
    page = open_page(user=ManagerFactory(), java_script_enabled=False)
    page.goto("/manage/small/motions/")
    choose(page, tmp_path, MANIFEST)
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_text("choose them again below")).to_be_visible()
    choose(page, tmp_path, MANIFEST)
    page.get_by_role("button", name="Import 2 samples").click()
    expect(page.get_by_text("2 samples have come into the study.")).to_be_visible()
    assert study.samples.count() == 2


def test_when_no_answer_comes_the_page_says_what_is_safe_and_goes_on(
    open_page: Callable[..., Page], study: Study, tmp_path: Path, complaints: list[str]
) -> None:
    """As when a file was changed after it was chosen: Chromium then sends nothing."""
    page = open_page(user=ManagerFactory())
    page.goto("/manage/small/motions/")
    choose(page, tmp_path, MANIFEST)
    page.route("**/motions/", lambda route: route.abort())
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("alert").filter(has_text="Choose the files again")).to_be_visible()
    expect(page.locator("#sending")).to_be_hidden()
    assert complaints
    complaints.clear()  # that is what Chromium says of it
    page.unroute("**/motions/")
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_role("button", name="Import 2 samples")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_sending_can_be_stopped(
    open_page: Callable[..., Page], study: Study, tmp_path: Path, complaints: list[str]
) -> None:
    page = open_page(user=ManagerFactory())
    page.goto("/manage/small/motions/")
    choose(page, tmp_path, MANIFEST)
    page.route("**/motions/", lambda route: None)  # it stays under way
    page.get_by_role("button", name="Check", exact=True).click()
    expect(page.get_by_text("Sending the files")).to_be_visible()
    expect(page.get_by_role("button", name="Check", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("You stopped it before everything was sent.")).to_be_visible()
    expect(page.get_by_role("button", name="Check", exact=True)).to_be_enabled()
    assert all("htmx:" in complaint for complaint in complaints), complaints
    complaints.clear()  # htmx logs whatever ends without an answer
