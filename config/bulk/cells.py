"""What a cell of an imported table may hold."""

import math
import re
from dataclasses import dataclass, field
from typing import Any, Protocol

from config.bulk.formulas import restore
from config.bulk.problems import shown

# Beyond this the databases' "is finite" rule cannot tell a number from infinity.
LARGEST = 1.7e308
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


class CellError(Exception):
    def __init__(self, *, expected: str, found: str) -> None:
        self.expected, self.found = expected, found
        super().__init__(f"expected {expected}, found {found}")


class Cell(Protocol):
    """A column by name: how its cells are read from CSV text and from JSON values."""

    @property
    def name(self) -> str: ...

    @property
    def required(self) -> bool: ...

    def from_csv(self, text: str) -> Any: ...

    def from_json(self, value: object) -> Any: ...


@dataclass(frozen=True)
class TextCell:
    """Text, kept letter by letter. A required one has to have something in it."""

    name: str
    required: bool = False
    max_length: int | None = None
    pattern: re.Pattern[str] | None = None
    expected: str = "text"
    reserved: frozenset[str] = field(default_factory=frozenset)

    def from_csv(self, text: str) -> str:
        return self._checked(restore(text))

    def from_json(self, value: object) -> str:
        if value is None:
            return self._checked("")
        if not isinstance(value, str):
            raise CellError(expected=f"{self.expected}, in quotes", found=shown(value))
        return self._checked(value)

    def _checked(self, text: str) -> str:
        if not text.strip():
            if self.required:
                raise CellError(expected=self.expected, found="nothing" if not text else "only blanks")
            return ""
        if self.max_length is not None and len(text) > self.max_length:
            raise CellError(expected=f"at most {self.max_length} characters", found=f"{len(text)}: {shown(text)}")
        if self.pattern is not None and not self.pattern.fullmatch(text):
            raise CellError(expected=self.expected, found=shown(text))
        if text in self.reserved:
            raise CellError(expected=f"a name other than {', '.join(sorted(self.reserved))}", found=shown(text))
        return text


@dataclass(frozen=True)
class NumberCell:
    """A finite number at full precision, or None for an empty cell."""

    name: str
    required: bool = False
    expected: str = "a finite number, such as 0.25 or 1e-3"

    def from_csv(self, text: str) -> float | None:
        text = text.strip()
        if not text:
            return self._checked(None, "nothing")
        if not _NUMBER.fullmatch(text):
            raise CellError(expected=self.expected, found=shown(text))
        return self._checked(float(text), shown(text))

    def from_json(self, value: object) -> float | None:
        if value is None:
            return self._checked(None, "null")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise CellError(expected=self.expected, found=shown(value))
        try:
            return self._checked(float(value), shown(value))
        except OverflowError:  # a whole number of more than 308 digits
            raise CellError(expected=self.expected, found=shown(value)) from None

    def _checked(self, number: float | None, found: str) -> float | None:
        if number is None:
            if self.required:
                raise CellError(expected=self.expected, found=found)
        elif not math.isfinite(number) or abs(number) >= LARGEST:
            raise CellError(expected=self.expected, found=found)
        return number
