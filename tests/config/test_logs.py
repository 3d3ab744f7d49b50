"""A log line is one JSON object that carries the request's and the task's id."""

import json
import logging
import sys

import pytest

from config.celery import forget_the_task_in_logs, name_the_task_in_logs
from config.logs import IdsFilter, JsonFormatter, TokenFilter, request_id


def line_of(message: str, *args: object, **record: object) -> dict[str, object]:
    logger = logging.getLogger("touchstone.test")
    made = logger.makeRecord(logger.name, logging.INFO, __file__, 1, message, args, None, extra=record or None)
    assert IdsFilter().filter(made)
    text = JsonFormatter().format(made)
    assert "\n" not in text
    line: dict[str, object] = json.loads(text)
    return line


def test_a_line_says_when_how_bad_where_and_what() -> None:
    line = line_of("%d clips", 3)
    assert line.pop("at").endswith("+00:00")  # type: ignore[attr-defined]
    assert line == {"level": "INFO", "logger": "touchstone.test", "message": "3 clips"}


def test_a_line_carries_the_request_and_the_task() -> None:
    reset = request_id.set("request-1")
    name_the_task_in_logs(task_id="task-1")
    try:
        line = line_of("rendered")
    finally:
        request_id.reset(reset)
        forget_the_task_in_logs()
    assert (line["request_id"], line["task_id"]) == ("request-1", "task-1")
    assert {"request_id", "task_id"}.isdisjoint(line_of("later"))


def test_extra_facts_join_the_line() -> None:
    assert line_of("done", status=200, ms=1.5)["ms"] == 1.5


def test_a_hostile_message_stays_on_its_line() -> None:
    assert line_of('"}\n{"level": "forged')["message"] == '"}\n{"level": "forged'


def test_an_exception_is_in_the_line() -> None:
    try:
        raise ValueError("no such look")
    except ValueError:
        record = logging.makeLogRecord({"exc_info": sys.exc_info(), "msg": "failed"})
    assert "ValueError: no such look" in json.loads(JsonFormatter().format(record))["exception"]


@pytest.mark.parametrize("value", [object(), {1, 2}])
def test_what_json_cannot_say_is_written_as_text(value: object) -> None:
    assert line_of("odd", value=value)["value"] == str(value)


@pytest.mark.parametrize(
    "message", ["Not Found: /r/1-2.secret/rate/", 'GET "/clips/7.secret.mp4" 404', "http://host/r/1-2.secret?x=1"]
)
def test_a_raters_token_is_taken_out_whoever_logs_it(message: str) -> None:
    record = logging.makeLogRecord({"msg": "%s", "args": (message,), "request": object()})
    assert TokenFilter().filter(record)
    text = JsonFormatter().format(record)
    assert "secret" not in text
    assert "request" not in json.loads(text)
    assert "/…" in record.getMessage()
