"""Structured logs: one JSON object a line, with the request's and the task's id."""

import json
import logging
import re
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

request_id: ContextVar[str] = ContextVar("request_id", default="")
task_id: ContextVar[str] = ContextVar("task_id", default="")

# What every LogRecord has; anything else on one was passed by `extra=` and belongs in the line.
_STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "request_id", "task_id"}


# A rater's token is a credential: whoever logs an address, it stays out.
_TOKEN = re.compile(r"(/(?:r|clips)/)[^/\s\"'?#]+")


def without_tokens(text: str) -> str:
    return _TOKEN.sub(r"\1…", text)


class TokenFilter(logging.Filter):
    """Takes tokens out of every message, and whole requests (Django attaches them) out of the record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = without_tokens(record.getMessage()), ()
        vars(record).pop("request", None)
        return True


class IdsFilter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = request_id.get()
        record.task_id = task_id.get()
        return True


class JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        for name in ("request_id", "task_id"):
            if value := getattr(record, name, ""):
                line[name] = value
        line |= {key: value for key, value in vars(record).items() if key not in _STANDARD}
        if record.exc_info:
            line["exception"] = without_tokens(self.formatException(record.exc_info))
        return json.dumps(line, default=str, ensure_ascii=False)
