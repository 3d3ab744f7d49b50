"""Making and running a study through the API."""

from typing import Any

import pytest
from rest_framework.test import APIClient

from annotation.models import Rubric, Study, StudyState
from annotation.rubric_presets import BINARY
from annotation.rubric_text import rubric_write
from config.audit.models import AuditEvent
from tests.factories import StudyFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

NEW = {"code": "first", "title": "A first study", "rubric": "likert-0-4"}


def make(client: APIClient, **changes: Any) -> Any:
    data = {name: value for name, value in (NEW | changes).items() if value is not None}
    return client.post("/api/v1/studies/", data, format="json")


def test_a_manager_makes_a_draft_with_a_preset(manager: APIClient) -> None:
    answer = make(manager, pay_per_hit="2.00", samples_per_hit=10, look="vemo", view="own", backend="gl")
    assert answer.status_code == 201
    body = answer.json()
    assert (body["state"], body["rubric"], body["rubric_version"], body["pay_per_hit"]) == (
        "draft",
        "likert-0-4",
        1,
        "2.00",
    )
    assert manager.get("/api/v1/studies/first/").json() == body
    assert "salt" not in body
    assert AuditEvent.objects.filter(action="study.created").count() == 1


def test_a_rubric_of_ones_own_comes_as_text_and_is_named_afterwards(manager: APIClient) -> None:
    text = rubric_write(BINARY).replace("name: binary", "name: mine")
    assert make(manager, rubric=None, rubric_text=text).status_code == 201
    assert make(manager, code="second", rubric="mine").status_code == 201
    assert Rubric.objects.filter(name="mine").count() == 1


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"code": "new"}, "code"),
        ({"code": "two words"}, "code"),
        ({"title": ""}, "title"),
        ({"rubric": "nothing"}, "rubric"),
        ({"rubric": None}, "rubric"),
        ({"rubric_text": "name: x"}, "rubric"),
        ({"rubric": None, "rubric_text": "name: x"}, "rubric_text"),
        ({"look": "vemo", "backend": "stick"}, "backend"),
        ({"look": "oil"}, "look"),
        ({"pixels": 33}, "pixels"),
        ({"view": "sideways"}, "view"),
        ({"ratings_per_sample": 0}, "ratings_per_sample"),
        ({"lease_minutes": 0}, "lease_minutes"),
        ({"gold_per_hit": 2, "gold_failures_allowed": 2}, "gold_failures_allowed"),
        ({"rater_share": 0}, "rater_share"),
        ({"currency": "usd"}, "currency"),
        ({"pay_per_hit": "-1"}, "pay_per_hit"),
        ({"seed": -1}, "seed"),
        ({"gold_counting": "both"}, "gold_counting"),
    ],
)
def test_what_cannot_be_is_said_by_field_and_nothing_is_made(
    manager: APIClient, changes: dict[str, Any], field: str
) -> None:
    answer = make(manager, **changes)
    assert answer.status_code == 400
    assert list(answer.json()) == [field]
    assert not Study.objects.exists()
    assert not Rubric.objects.exists()


def test_a_code_that_is_taken_is_refused(manager: APIClient) -> None:
    make(manager)
    assert list(make(manager).json()) == ["code"]


def test_a_study_is_moved_on_and_what_is_not_allowed_is_a_conflict(manager: APIClient) -> None:
    make(manager)
    answer = manager.post("/api/v1/studies/first/state/", {"state": "pilot"}, format="json")
    assert (answer.status_code, answer.json()["state"]) == (200, "pilot")
    assert manager.post("/api/v1/studies/first/state/", {"state": "live"}, format="json").json()["went_live_at"]
    refused = manager.post("/api/v1/studies/first/state/", {"state": "pilot"}, format="json")
    assert refused.status_code == 409
    assert "possible: closed, paused" in refused.json()["detail"]
    assert manager.post("/api/v1/studies/first/state/", {"state": "gone"}, format="json").status_code == 400
    assert Study.objects.get().state == StudyState.LIVE


def test_researchers_read_the_codebook_and_move_nothing(researcher: APIClient) -> None:
    study = StudyFactory(code="first")
    assert researcher.get("/api/v1/studies/first/codebook/").json()["study"] == "first"
    assert make(researcher, code="second").status_code == 403
    assert researcher.post("/api/v1/studies/first/state/", {"state": "live"}, format="json").status_code == 403
    study.refresh_from_db()
    assert study.state == StudyState.DRAFT
