"""Columns of a long table: names as codes, numbers as floats. Never an object per row.

Names are coded by a dict, which is several times faster than sorting arrays of objects (`np.unique`) and keeps the
order of the file.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.report.inputs.errors import InputError, shown
from metaeval.stats.design import Bools, Floats, Ints

NOTHING = -1


@dataclass(frozen=True)
class Names:
    """A column of names: `names[codes[row]]`; the code is -1 where the cell is empty."""

    names: tuple[str, ...]
    codes: Ints

    def at(self, row: int) -> str:
        """The name in a row, "" where there is none."""
        code = int(self.codes[row])
        return "" if code == NOTHING else self.names[code]

    def index(self) -> dict[str, int]:
        return {name: code for code, name in enumerate(self.names)}

    @property
    def is_empty(self) -> Bools:
        return np.equal(self.codes, NOTHING)


class Coder:
    """Collects the cells of one column, some rows at a time."""

    def __init__(self) -> None:
        self._codes: defaultdict[str, int] = defaultdict()
        self._codes.default_factory = self._codes.__len__
        self._parts: list[Ints] = []

    def add(self, cells: Iterable[str], count: int) -> None:
        self._parts.append(np.fromiter(map(self._codes.__getitem__, cells), dtype=np.intp, count=count))

    def names(self) -> tuple[Names, list[str]]:
        """The column, and a remark for each two spellings that became one name."""
        codes = np.concatenate(self._parts) if self._parts else np.empty(0, dtype=np.intp)
        return tidied(list(self._codes), codes)


def tidied(cells: list[str], codes: Ints) -> tuple[Names, list[str]]:
    """Without the spaces around names, which nobody sees and which would make two raters of one."""
    names: dict[str, int] = {}
    spelling: dict[str, str] = {}
    moved = np.full(len(cells) + 1, NOTHING, dtype=np.intp)  # the last place is for -1: empty stays empty
    remarks = []
    for code, cell in enumerate(cells):
        name = cell.strip()
        if not name:
            continue
        if name in names:
            remarks.append(f"{spelling[name]!r} and {cell!r} are read as one name")
        spelling.setdefault(name, cell)
        moved[code] = names.setdefault(name, len(names))
    return Names(tuple(names), moved[codes]), remarks


@dataclass(frozen=True)
class Table:
    """A file as it was read: the columns that we know, by the name in its header."""

    file: str
    place: str  # what `numbers` counts: lines, or rows where a file has no lines
    numbers: Ints
    header: tuple[str, ...]
    names: Mapping[str, Names]
    values: Mapping[str, Floats]  # NaN is an empty cell; a NaN in the file was refused
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.numbers)

    def where(self, row: int) -> str:
        return f"{self.file}: {self.place} {self.numbers[row]}"

    def fault(self, row: int, column: str, *, expected: str, found: str) -> InputError:
        return InputError(f"{self.where(row)}: {column}: expected {expected}, found {found}")


def refuse_repeated(file: str, header: Sequence[str]) -> None:
    """Of two columns with one name, neither is the right one."""
    if again := [name for place, name in enumerate(header) if name and name in header[:place]]:
        raise InputError(f"{file}: line 1: expected each column once, found {shown(again[0])} twice")


def first(mask: Bools) -> int | None:
    """The first row of a mask."""
    return int(np.argmax(mask)) if mask.any() else None


def combined(*parts: tuple[Ints, int]) -> Ints:
    """One integer key a row from several codes, each with how many codes there are; -1 is a code of its own."""
    key, size = np.zeros(len(parts[0][0]), dtype=np.int64), 1
    for codes, count in parts:
        size *= count + 1
        if size >= 2**62:  # too many combinations for 64 bits: number those that occur
            key = np.unique(key, return_inverse=True)[1].astype(np.int64)
            size = (len(key) + 1) * (count + 1)
        key = key * (count + 1) + (codes + 1)
    return key


def repeated(key: Ints) -> tuple[int, int] | None:
    """The first row whose key occurred before, and where it did."""
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(key[order][1:] == key[order][:-1])
    if not len(again):
        return None
    place = int(again[np.argmin(order[again + 1])])
    return int(order[place + 1]), int(order[place])


def owners(of: Ints, owner: Ints, count: int) -> Ints:
    """The owner that each of `count` codes has in its first row; -1 for those in no row or without an owner."""
    found = np.full(count, NOTHING, dtype=np.intp)
    rows = np.flatnonzero((of != NOTHING) & (owner != NOTHING))[::-1]  # backwards: of several rows the first stays
    found[of[rows]] = owner[rows]
    return found


def parse_number(text: str) -> float:
    """A finite number; ValueError says what is wrong. NaN for an empty cell."""
    if not text.strip():
        return float("nan")
    try:
        value = float(text.replace("_", "?"))  # Python reads 1_000; a spreadsheet does not
    except ValueError:
        raise ValueError(f"expected a number, found {shown(text)}") from None
    if value - value != 0:
        raise ValueError(f"expected a finite number, found {shown(text)}")
    return value
