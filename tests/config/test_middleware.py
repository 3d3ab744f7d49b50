"""Every request has an id; nothing secret reaches the log."""

import logging

import pytest
from django.test import Client

LOGGER = "touchstone.request"


def test_the_callers_id_comes_back(client: Client) -> None:
    answer = client.get("/healthz", headers={"X-Request-ID": "proxy-0123.abc"})
    assert answer["X-Request-ID"] == "proxy-0123.abc"


@pytest.mark.parametrize("offered", ["", "short", "x" * 65, "a" * 20 + '"}', "id-with space", "id\u2028line-1234"])
def test_a_hostile_or_missing_id_is_replaced(client: Client, offered: str) -> None:
    answer = client.get("/healthz", headers={"X-Request-ID": offered})
    assert answer["X-Request-ID"] != offered
    assert len(answer["X-Request-ID"]) == 32


def test_two_requests_have_two_ids(client: Client) -> None:
    assert client.get("/healthz")["X-Request-ID"] != client.get("/healthz")["X-Request-ID"]


def test_the_request_is_logged_with_status_and_time(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger=LOGGER):
        client.get("/healthz")
    (record,) = [record for record in caplog.records if record.name == LOGGER]
    assert record.getMessage() == "GET /healthz 200"
    assert record.status == 200  # type: ignore[attr-defined]
    assert record.ms >= 0  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", ["/r/{}", "/r/{}/item/3", "/clips/{}", "/clips/{}/poster"])
def test_a_raters_token_is_not_in_the_log(client: Client, caplog: pytest.LogCaptureFixture, path: str) -> None:
    token = "eyJhIjo0Mn0:1uAbCd:secret-signature"
    with caplog.at_level(logging.DEBUG):
        client.get(path.format(token) + f"?token={token}", headers={"Authorization": f"Bearer {token}"})
    assert caplog.records
    assert "secret-signature" not in caplog.text
