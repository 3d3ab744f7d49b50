"""Reads a table row by row. A bad row is reported and left out; a file that makes no sense stops the reading."""

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from config.bulk.cells import Cell, CellError
from config.bulk.problems import Problems, shown

# Of one line, or of one CSV row whose quoted cells run over several lines: longer means that this is no such file.
LINE_LIMIT = 1_000_000


@dataclass(frozen=True)
class Row:
    """The cells that were in the file, checked; a column that the file does not have is not in `cells`."""

    line: int
    cells: Mapping[str, Any]


def read_csv(file: IO[bytes], columns: Sequence[Cell], problems: Problems) -> Iterator[Row]:
    lines = _Lines(file, problems)
    records = _csv_records(lines, problems)
    first = next(records, None)
    if first is None:
        problems.stop(1, "", expected=f"a header line: {_names(columns)}", found="an empty file")
    header = _header(first, columns, problems)
    for line, record in records:
        if len(record) != len(header):
            expected = f"{len(header)} cells, as in the header"
            problems.add(line, "", expected=expected, found=f"{len(record)}: {shown(','.join(record))}")
            continue
        readers = ((cell, cell.from_csv, text) for cell, text in zip(header, record, strict=True))
        cells = _checked(line, readers, problems)
        if cells is not None:
            yield Row(line, cells)


def read_jsonl(file: IO[bytes], columns: Sequence[Cell], problems: Problems) -> Iterator[Row]:
    lines = _Lines(file, problems)
    by_name = {cell.name: cell for cell in columns}
    empty = True
    for text in lines:
        lines.begin_row()
        if not text.strip():
            continue
        empty = False
        found = _json_object(lines.number, text, by_name, problems)
        if found is None:
            continue
        readers = ((by_name[name], by_name[name].from_json, value) for name, value in found.items())
        cells = _checked(lines.number, readers, problems)
        if cells is not None:
            yield Row(lines.number, cells)
    if empty:
        problems.stop(1, "", expected=f"one JSON object a line, with {_names(columns)}", found="an empty file")


READERS: dict[str, Callable[[IO[bytes], Sequence[Cell], Problems], Iterator[Row]]] = {
    "csv": read_csv,
    "jsonl": read_jsonl,
}


class _Lines:
    """The file's lines with their ends, decoded; bytes that are no UTF-8 come through as lone surrogates."""

    def __init__(self, file: IO[bytes], problems: Problems) -> None:
        # `utf-8-sig` takes off a byte order mark; newline="" leaves line ends inside quoted cells as they are.
        self._text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape", newline="")
        self._problems = problems
        self._row_length = 0
        self.number = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        line = self._text.readline(LINE_LIMIT + 1)
        if not line:
            self._text.detach()  # the file is its owner's to close
            raise StopIteration
        self.number += 1
        self._row_length += len(line)
        if self._row_length > LINE_LIMIT:
            expected = f"a line of at most {LINE_LIMIT:,} characters"
            self._problems.stop(self.number, "", expected=expected, found="a longer one, or a quote that never closes")
        if self.number == 1:
            self._refuse_other_files(line)
        return line

    def begin_row(self) -> None:
        self._row_length = 0

    def _refuse_other_files(self, line: str) -> None:
        if line.startswith(("\udcff\udcfe", "\udcfe\udcff")):
            self._problems.stop(1, "", expected="UTF-8", found="UTF-16")
        if line.startswith("PK\x03\x04"):
            self._problems.stop(1, "", expected="plain text", found="a zip archive, perhaps an Excel workbook")


def _csv_records(lines: _Lines, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """Each row that is not empty, with the line on which it begins."""
    reader = csv.reader(lines, strict=True)
    while True:
        line = lines.number + 1
        lines.begin_row()
        try:
            record = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problems.stop(line, "", expected='a CSV row, quotes closed and doubled inside ("")', found=str(error))
        if record:
            yield line, record


def _header(first: tuple[int, list[str]], columns: Sequence[Cell], problems: Problems) -> list[Cell]:
    line, names = first[0], [name.strip() for name in first[1]]
    by_name = {cell.name: cell for cell in columns}
    known = _names(columns)
    if not by_name.keys() & set(names):
        problems.stop(line, "", expected=f"a header line: {known}", found=shown(",".join(names)))
    _strange(line, "", names, problems)
    for name in names:
        if name not in by_name:
            problems.add(line, name, expected=f"a column among {known}", found=shown(name))
    for name in sorted({name for name in names if names.count(name) > 1}):
        problems.add(line, name, expected="each column once", found=f"{names.count(name)} columns {shown(name)}")
    for cell in columns:
        if cell.required and cell.name not in names:
            problems.add(line, cell.name, expected=f"a column {cell.name}", found=", ".join(names))
    if problems:
        problems.give_up(line)  # under a wrong header every row would be wrong
    return [by_name[name] for name in names]


def _json_object(line: int, text: str, by_name: Mapping[str, Cell], problems: Problems) -> dict[str, object] | None:
    if _strange(line, "", [text], problems):
        return None
    try:
        value = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        problems.add(line, "", expected="one JSON object", found=f"{shown(text.strip())}: {error}")
        return None
    if not isinstance(value, dict):
        problems.add(line, "", expected="one JSON object", found=shown(text.strip()))
        return None
    before = len(problems.found)
    for name in value.keys() - by_name.keys():
        problems.add(line, shown(name), expected=f"a key among {', '.join(by_name)}", found=shown(name))
    for cell in by_name.values():
        if cell.required and cell.name not in value:
            problems.add(line, cell.name, expected=cell_expectation(cell), found="no such key")
    return value if len(problems.found) == before else None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {shown(twice)} stands there twice")
    return found


def cell_expectation(cell: Cell) -> str:
    return str(getattr(cell, "expected", "a value"))


def _checked(
    line: int, readers: Iterator[tuple[Cell, Callable[[Any], Any], Any]], problems: Problems
) -> dict[str, Any] | None:
    cells: dict[str, Any] = {}
    good = True
    for cell, read, value in readers:
        if isinstance(value, str) and _strange(line, cell.name, [value], problems):
            good = False
            continue
        try:
            cells[cell.name] = read(value)
        except CellError as error:
            problems.add(line, cell.name, expected=error.expected, found=error.found)
            good = False
    return cells if good else None


def _strange(line: int, field: str, texts: Sequence[str], problems: Problems) -> bool:
    """Whether a text holds what no database takes: bytes that are not UTF-8, half characters, NUL."""
    for text in texts:
        if "\0" in text:
            problems.add(line, field, expected="text", found=f"a NUL byte in {shown(text)}")
            return True
        if not text.isascii() and (bad := next((sign for sign in text if "\ud800" <= sign <= "\udfff"), "")):
            problems.add(line, field, expected="UTF-8 text", found=_bad_sign(bad, text))
            return True
    return False


def _bad_sign(sign: str, text: str) -> str:
    code = ord(sign)
    if 0xDC80 <= code <= 0xDCFF:  # how surrogateescape writes the byte
        before = text[: text.index(sign)][-20:]
        return f"byte 0x{code - 0xDC00:02X} after {shown(before)}: perhaps Latin-1 or Windows-1252"
    return f"half a character, \\u{code:04x}"


def _names(columns: Sequence[Cell]) -> str:
    return ", ".join(cell.name for cell in columns)
