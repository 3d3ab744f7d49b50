"""`POST studies/<code>/motions/`: a manifest and a zip, or a zip with both."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from rest_framework.test import APIClient

from annotation.models import Sample, Study, StudyState
from annotation.services.motion_import import importing
from annotation.services.prompts import prompt_create
from config.audit.models import AuditEvent
from rendering.models import Clip
from tests.annotation.manifests import csv, joints, npy, pickled, zip_of
from tests.factories import StudyFactory

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/studies/walks/motions/"
MANIFEST = csv("a.npy,walk,mdm", "b.npy,a person waves.,mdm")
MOTIONS = {"a.npy": npy(joints()), "b.npy": npy(joints(1))}


@pytest.fixture
def study(files: Path) -> Study:
    prompt_create(code="walk", text="a person walks.", actor="user:ada")
    return StudyFactory(code="walks")


def send(client: APIClient, query: str = "", *, manifest: str | None = MANIFEST, content: bytes | None = None) -> Any:
    form = {"files": SimpleUploadedFile("motions.zip", zip_of(MOTIONS) if content is None else content)}
    if manifest is not None:
        form["manifest"] = SimpleUploadedFile("manifest.csv", manifest.encode())
    return client.post(f"{ADDRESS}{query}", form, format="multipart")


def test_a_manifest_and_a_zip_become_samples(manager: APIClient, study: Study) -> None:
    answer = send(manager)
    assert answer.status_code == 200
    assert answer.json() == {
        "created": 2, "placed": 0, "unchanged": 0, "prompts": 1, "generators": 1, "motions": 2,
        "new_prompts": ["a person waves."], "new_generators": ["mdm"], "clips_waiting": 2, "notes": [],
        "errors": 0, "dry_run": False, "stopped_at": None, "details": [],
    }  # fmt: skip
    assert study.samples.count() == Clip.objects.count() == 2
    assert AuditEvent.objects.get(action="study.motions_imported").actor.startswith("user:")
    assert send(manager).json()["unchanged"] == 2


def test_a_zip_may_hold_the_manifest(manager: APIClient, study: Study) -> None:
    content = zip_of({"study/manifest.csv": MANIFEST} | {f"study/{name}": each for name, each in MOTIONS.items()})
    assert send(manager, manifest=None, content=content).json()["created"] == 2


def test_a_dry_run_keeps_nothing(manager: APIClient, study: Study) -> None:
    answer = send(manager, "?dry_run=true").json()
    assert (answer["created"], answer["dry_run"], answer["clips_waiting"]) == (2, True, None)
    assert not Sample.objects.exists()


def test_clips_are_left_when_told_so(manager: APIClient, study: Study) -> None:
    assert send(manager, "?clips=0").json()["clips_waiting"] is None
    assert not Clip.objects.exists()


def test_each_error_has_its_line_and_column(manager: APIClient, study: Study) -> None:
    answer = send(manager, content=zip_of({"a.npy": pickled()}))
    assert answer.status_code == 400
    body = answer.json()
    assert (body["created"], body["errors"]) == (0, 2)
    assert [(each["line"], each["field"]) for each in body["details"]] == [(2, "file"), (3, "file")]
    assert set(body["details"][0]) == {"line", "field", "expected", "found"}
    assert not Sample.objects.exists()


def test_an_upload_that_cannot_be_opened_is_an_error_of_its_field(manager: APIClient, study: Study) -> None:
    assert "this is none" in send(manager, content=b"no zip").json()["files"][0]
    assert "found none" in send(manager, manifest=None).json()["manifest"][0]
    answer = manager.post(ADDRESS, {}, format="multipart")
    assert (answer.status_code, list(answer.json())) == (400, ["files"])


@pytest.mark.parametrize("query", ["?dry-run=1", "?dry_run=maybe", "?clips=some"])
def test_a_mistyped_parameter_imports_nothing(manager: APIClient, study: Study, query: str) -> None:
    assert send(manager, query).status_code == 400
    assert not Sample.objects.exists()


def test_a_closed_study_answers_conflict(manager: APIClient, study: Study) -> None:
    Study.objects.update(state=StudyState.CLOSED)
    answer = send(manager)
    assert answer.status_code == 409
    assert "is closed" in answer.json()["detail"]


def test_being_overtaken_answers_conflict(manager: APIClient, study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    def overtaken(*_: object) -> None:
        raise importing.ImportOvertaken("Somebody else wrote. Nothing was kept.")

    monkeypatch.setattr(importing, "_keep", overtaken)
    answer = send(manager)
    assert (answer.status_code, answer.json()["detail"]) == (409, "Somebody else wrote. Nothing was kept.")


def test_only_managers_import(manager: APIClient, researcher: APIClient, study: Study) -> None:
    assert send(researcher).status_code == 403
    assert send(APIClient()).status_code == 401
    assert Client().post(ADDRESS).status_code == 401
    assert manager.post("/api/v1/studies/nothing/motions/").status_code == 404
    assert manager.get(ADDRESS).status_code == 405
    assert manager.post(ADDRESS, b"x", content_type="text/csv").status_code == 415


def test_the_schema_tells_how(client: Client) -> None:
    post = client.get("/api/v1/schema/?format=json").json()["paths"]["/api/v1/studies/{code}/motions/"]["post"]
    form = post["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert set(form["properties"]) == {"manifest", "files"}
    assert {each["name"] for each in post["parameters"]} == {"code", "dry_run", "clips"}
    assert set(post["responses"]) == {"200", "400", "409"}
