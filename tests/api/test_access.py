"""Who may read and write."""

import pytest
from django.test import Client
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from annotation.models import Generator, Prompt
from config.api.urls import RESOURCES
from tests.api.conftest import client_of
from tests.api.seeding import COMPLETION_CODE, Seed
from tests.factories.config import PASSWORD, ManagerFactory, ResearcherFactory, UserFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

NEW_PROMPT = {"code": "jump", "text": "a person jumps"}


@pytest.mark.parametrize("noun", RESOURCES)
def test_strangers_read_nothing(noun: str) -> None:
    answer = APIClient().get(f"/api/v1/{noun}/")
    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Token"


@pytest.mark.parametrize("noun", RESOURCES)
def test_an_account_without_a_role_reads_nothing(noun: str) -> None:
    assert client_of(UserFactory()).get(f"/api/v1/{noun}/").status_code == 403


def test_a_wrong_token_is_refused() -> None:
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION="Token 0000")
    assert client.get("/api/v1/prompts/").status_code == 401


def test_a_session_reads_and_needs_a_csrf_token_to_write() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(ManagerFactory())
    assert client.get("/api/v1/prompts/").status_code == 200
    assert client.post("/api/v1/prompts/", NEW_PROMPT, content_type="application/json").status_code == 403
    assert client.post("/api/v1/prompts/import/", b"code,text\n", content_type="text/csv").status_code == 403
    assert not Prompt.objects.exists()


def test_a_name_and_a_password_give_a_token_that_works() -> None:
    user = ResearcherFactory()
    answer = APIClient().post("/api/v1/token/", {"username": user.username, "password": PASSWORD})
    assert answer.status_code == 200
    assert answer.json() == {"token": Token.objects.get(user=user).key}
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {answer.json()['token']}")
    assert client.get("/api/v1/prompts/").status_code == 200


def test_guessing_passwords_of_one_account_is_slowed_down_whatever_address_is_claimed() -> None:
    user = ManagerFactory()
    codes = [
        APIClient()
        .post(
            "/api/v1/token/",
            {"username": user.username, "password": str(attempt)},
            headers={"X-Forwarded-For": f"10.0.0.{attempt}"},
        )
        .status_code
        for attempt in range(12)
    ]
    assert codes == [400] * 10 + [429] * 2


@pytest.mark.parametrize("noun", RESOURCES)
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_researchers_write_none_of_the_lists_but_their_own(researcher: APIClient, noun: str, method: str) -> None:
    its_own = (noun, method) in (("analyses", "post"), ("preregistrations", "post"))
    expected = (400,) if its_own else (403, 405)
    assert getattr(researcher, method)(f"/api/v1/{noun}/", {}, format="json").status_code in expected


@pytest.mark.parametrize("noun", ["analyses", "preregistrations"])
def test_managers_start_no_analyses(manager: APIClient, noun: str) -> None:
    assert manager.post(f"/api/v1/{noun}/", {}, format="json").status_code == 403


def test_managers_create_prompts_and_generators(manager: APIClient) -> None:
    answer = manager.post("/api/v1/prompts/", NEW_PROMPT, format="json")
    assert answer.status_code == 201
    assert answer.json()["code"] == "jump"
    answer = manager.post("/api/v1/generators/", {"name": "mdm", "title": "MDM"}, format="json")
    assert answer.status_code == 201
    assert Prompt.objects.get().text == "a person jumps"
    assert Generator.objects.get().title == "MDM"


def test_what_exists_already_is_refused_with_the_reason(manager: APIClient) -> None:
    manager.post("/api/v1/prompts/", NEW_PROMPT, format="json")
    manager.post("/api/v1/generators/", {"name": "mdm"}, format="json")
    same_code = manager.post("/api/v1/prompts/", {"code": "jump", "text": "another"}, format="json")
    assert same_code.status_code == 400
    assert "code" in same_code.json()
    same_text = manager.post("/api/v1/prompts/", {**NEW_PROMPT, "code": "leap"}, format="json")
    assert same_text.status_code == 400
    assert "jump" in same_text.json()["text"][0]
    assert manager.post("/api/v1/generators/", {"name": "mdm"}, format="json").status_code == 400


@pytest.mark.parametrize("code", ["import", "export", "two words", ""])
def test_a_prompt_code_that_makes_no_address_is_refused(manager: APIClient, code: str) -> None:
    answer = manager.post("/api/v1/prompts/", {"code": code, "text": "a person jumps"}, format="json")
    assert answer.status_code == 400
    assert "code" in answer.json()


def test_researchers_import_scores_but_not_prompts(researcher: APIClient) -> None:
    prompts = researcher.post("/api/v1/prompts/import/", b"code,text\n", content_type="text/csv")
    scores = researcher.post("/api/v1/scores/import/", b"metric,sample,value\n", content_type="text/csv")
    assert (prompts.status_code, scores.status_code) == (403, 200)


def test_completion_codes_are_for_managers(seeded: Seed, manager: APIClient, researcher: APIClient) -> None:
    assert COMPLETION_CODE in manager.get("/api/v1/assignments/").content.decode()
    answer = researcher.get("/api/v1/assignments/")
    assert COMPLETION_CODE not in answer.content.decode()
    assert all("completion_code" not in row for row in answer.json()["results"])
