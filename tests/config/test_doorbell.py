"""Doorbells: recorded in ordinary tests, carried by a real Redis in the tests of servers."""

import logging

import pytest
import redis
from celery import Celery
from django.conf import settings

from config.jobs.doorbell import MOST, ring
from tests.conftest import Doorbell

TASK = "rendering.tasks.made_up"
QUEUE = "render"  # where CELERY_TASK_ROUTES sends rendering.*


def test_a_few_doorbells_are_enough(doorbells: list[Doorbell]) -> None:
    ring(TASK, waiting=100)
    assert [doorbell.task for doorbell in doorbells] == [TASK] * MOST


def test_a_doorbell_that_nobody_heard_before_the_next_sweep_is_not_kept(doorbells: list[Doorbell]) -> None:
    ring(TASK, waiting=1)
    assert doorbells[0].options["expires"] == 2 * settings.SWEEP_SECONDS


def test_nothing_to_do_rings_nobody(doorbells: list[Doorbell]) -> None:
    ring(TASK, waiting=0)
    assert doorbells == []


def test_a_broker_that_is_down_is_logged_not_raised(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ConnectionRefusedError("no broker")

    monkeypatch.setattr(Celery, "send_task", refuse)
    with caplog.at_level(logging.WARNING):
        ring(TASK, waiting=1)
    assert "could not ring" in caplog.text


@pytest.mark.servers
def test_a_doorbell_reaches_the_render_workers_queue() -> None:
    client = redis.Redis.from_url(settings.BROKER_URL)
    before = client.llen(QUEUE)
    ring(TASK, waiting=2)
    try:
        assert client.llen(QUEUE) == before + 2
    finally:
        client.lpop(QUEUE, 2)  # kombu pushes on the left
