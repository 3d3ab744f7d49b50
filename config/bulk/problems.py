"""What is wrong with a file, collected cell by cell."""

from dataclasses import dataclass
from typing import NoReturn

LIMIT = 100
_SHOWN = 80


def shown(value: object) -> str:
    """A value as an error message quotes it: never longer than a line."""
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def _sendable(text: str) -> str:
    """Bytes that were no UTF-8 stand in a text as lone surrogates; nobody could encode an answer with them."""
    return text.encode("utf-8", "backslashreplace").decode()


@dataclass(frozen=True)
class Problem:
    line: int
    field: str
    expected: str
    found: str


class ReadingStopped(Exception):
    """There is no point in reading on; the reason is the last of the problems."""


class Problems:
    """Up to 100 problems. Then, and where the file cannot be understood any further, reading stops."""

    def __init__(self) -> None:
        self.found: list[Problem] = []
        self.stopped_at: int | None = None

    def __bool__(self) -> bool:
        return bool(self.found)

    def add(self, line: int, field: str, *, expected: str, found: str) -> None:
        self._keep(line, field, expected, found)
        if len(self.found) >= LIMIT:
            self.give_up(line)

    def stop(self, line: int, field: str, *, expected: str, found: str) -> NoReturn:
        self._keep(line, field, expected, found)
        self.give_up(line)

    def _keep(self, line: int, field: str, expected: str, found: str) -> None:
        self.found.append(Problem(line, _sendable(field), _sendable(expected), _sendable(found)))

    def give_up(self, line: int) -> NoReturn:
        self.stopped_at = line
        raise ReadingStopped
