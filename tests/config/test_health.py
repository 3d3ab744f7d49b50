"""`/healthz` says that the process answers, `/readyz` which of the things it needs is missing."""

import pytest
from celery import Celery
from django.test import Client

from config import health


def test_healthz_asks_nobody(client: Client) -> None:
    """No database mark: a query would fail the test."""
    answer = client.get("/healthz")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.django_db
def test_readyz_names_everything_that_it_reached(client: Client) -> None:
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "checks": {"database": "ok", "migrations": "ok", "broker": "ok", "files": "ok"},
    }


@pytest.mark.django_db
@pytest.mark.slow
def test_readyz_names_a_broker_that_is_not_there(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        health, "app", Celery("unreachable", broker="redis://:hush@127.0.0.1:1/0", set_as_current=False)
    )
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["status"] == "failed"
    assert answer.json()["checks"]["broker"].startswith("failed: ")
    assert answer.json()["checks"]["database"] == "ok"
    assert "hush" not in answer.content.decode()


@pytest.mark.django_db
def test_readyz_names_storage_that_cannot_be_written(
    client: Client, monkeypatch: pytest.MonkeyPatch, files: object
) -> None:
    def refuse(*_: object) -> str:
        raise PermissionError("/secret/place")

    monkeypatch.setattr("django.core.files.storage.FileSystemStorage.save", refuse)
    answer = client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["files"] == "failed: PermissionError"
    assert "secret" not in answer.content.decode()


@pytest.mark.django_db
def test_readyz_leaves_no_file_behind(client: Client, files: object) -> None:
    from django.core.files.storage import default_storage

    client.get("/readyz")
    assert default_storage.listdir("")[1] == []
