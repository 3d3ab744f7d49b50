"""The page that imports motions: what it says before, after a check and after an import."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from annotation.models import Sample, Study, StudyState
from annotation.services.prompts import prompt_create
from rendering.models import Clip
from tests.annotation.manifests import csv, joints, npy, pickled, zip_of
from tests.factories import ManagerFactory, ResearcherFactory, StudyFactory

pytestmark = pytest.mark.django_db

PAGE = "/manage/walks/motions/"
MANIFEST = csv("a.npy,walk,mdm", "b.npy,a <b>person</b> waves.,mdm")
MOTIONS = {"a.npy": npy(joints()), "b.npy": npy(joints(1))}


@pytest.fixture
def study(files: Path) -> Study:
    prompt_create(code="walk", text="a person walks.", actor="user:ada")
    return StudyFactory(code="walks")


@pytest.fixture
def manager(client: Client) -> Client:
    client.force_login(ManagerFactory())
    return client


def send(client: Client, do: str, content: bytes | None = None, *, manifest: str = MANIFEST, **more: Any) -> Any:
    form = {
        "do": do,
        "manifest": SimpleUploadedFile("manifest.csv", manifest.encode()),
        "files": SimpleUploadedFile("motions.zip", zip_of(MOTIONS) if content is None else content),
        "clips": "yes",
    }
    return client.post(PAGE, form, **more)


def test_strangers_sign_in_and_researchers_are_told_whose_page_it_is(client: Client, study: Study) -> None:
    assert client.get(PAGE)["Location"] == f"/accounts/login/?next={PAGE}"
    client.force_login(ResearcherFactory())
    assert client.get(PAGE).status_code == 403
    assert send(client, "import").status_code == 403
    assert not Sample.objects.exists()


def test_the_study_and_its_samples_lead_to_the_page(manager: Client, study: Study) -> None:
    for path in ("/manage/walks/", "/manage/walks/samples/"):
        assert f'href="{PAGE}"' in manager.get(path).content.decode()
    page = manager.get(PAGE).content.decode()
    assert "manifest.csv" in page
    assert page.count('class="button" type="submit"') == 1
    assert manager.get("/manage/nothing/motions/").status_code == 404


def test_a_check_counts_keeps_nothing_and_offers_the_import(manager: Client, study: Study) -> None:
    answer = send(manager, "check")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "No problem found. Nothing is kept yet." in page
    assert "Import 2 samples" in page
    assert "choose them again below" in page
    assert "a &lt;b&gt;person&lt;/b&gt; waves." in page
    assert page.count('class="button" type="submit"') == 1
    assert not Sample.objects.exists()


def test_with_htmx_nobody_is_asked_to_choose_files_again(manager: Client, study: Study) -> None:
    page = send(manager, "check", headers={"HX-Request": "true"}).content.decode()
    assert "Import 2 samples" in page
    assert "choose them again below" not in page


def test_an_import_says_what_came_in_and_leads_to_it(manager: Client, study: Study) -> None:
    page = send(manager, "import").content.decode()
    assert "2 samples have come into the study." in page
    assert 'href="/manage/walks/samples/">See the samples' in page
    assert study.samples.count() == Clip.objects.count() == 2
    again = send(manager, "check").content.decode()
    assert "Nothing to do: 2 samples are in the study already." in again
    assert 'value="import"' not in again


def test_clips_are_left_when_the_box_is_not_ticked(manager: Client, study: Study) -> None:
    form = {"do": "import", "files": SimpleUploadedFile("m.zip", zip_of({"manifest.csv": MANIFEST, **MOTIONS}))}
    page = manager.post(PAGE, form).content.decode()
    assert study.samples.count() == 2
    assert not Clip.objects.exists()
    assert 'name="clips" value="yes">' in page


def test_problems_stand_in_a_table_with_line_and_column(manager: Client, study: Study) -> None:
    answer = send(manager, "import", zip_of({"a.npy": pickled()}))
    page = answer.content.decode()
    assert answer.status_code == 400
    assert "2 problems. Nothing was kept." in page
    assert "pickled Python objects" in page
    assert "a file that is in the zip" in page
    assert not Sample.objects.exists()


def test_htmx_is_answered_in_a_way_that_it_shows(manager: Client, study: Study) -> None:
    assert send(manager, "check", b"no zip", headers={"HX-Request": "true"}).status_code == 200


@pytest.mark.parametrize("content", [b"no zip", b""])
def test_a_file_that_is_no_zip_is_said_and_nothing_is_kept(manager: Client, study: Study, content: bytes) -> None:
    answer = send(manager, "check", content)
    assert answer.status_code == 400
    assert "Nothing was kept." in answer.content.decode()


def test_a_form_without_files_says_what_it_needs(manager: Client, study: Study) -> None:
    assert "Expected a zip of motion files" in manager.post(PAGE, {"do": "check"}).content.decode()


def test_a_closed_study_shows_no_form_and_takes_nothing(manager: Client, study: Study) -> None:
    Study.objects.update(state=StudyState.CLOSED)
    page = manager.get(PAGE).content.decode()
    assert "This study is closed" in page
    assert "<form" not in page.split("<main")[1]
    assert send(manager, "import").status_code == 400
    assert not Sample.objects.exists()
