"""Writes a table as a stream of bytes. Floats keep every digit; times are UTC."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from itertools import islice
from typing import Any

from config.bulk.formulas import neutralise, neutralise_name

CHUNK_ROWS = 500


class Kind(Enum):
    TEXT = auto()  # what people wrote
    NAME = auto()  # what joins one table to another
    PLAIN = auto()  # numbers, times, truth values: written by us, never a formula


@dataclass(frozen=True)
class Column:
    name: str
    kind: Kind = Kind.PLAIN


@dataclass(frozen=True)
class Table:
    """Rows as they come from the database; iterated once."""

    columns: Sequence[Column]
    rows: Iterable[Sequence[Any]]


def write_csv(table: Table) -> Iterator[bytes]:
    """RFC 4180, UTF-8. Text that a spreadsheet would run gets an apostrophe: see config.bulk.formulas."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    write_cell = [_CSV[column.kind] for column in table.columns]
    writer.writerow(column.name for column in table.columns)
    for rows in _chunks(table.rows):
        writer.writerows([write(value) for write, value in zip(write_cell, row, strict=True)] for row in rows)
        yield _take(buffer)
    if rest := _take(buffer):
        yield rest


def write_jsonl(table: Table) -> Iterator[bytes]:
    """One object a line, UTF-8."""
    names = [column.name for column in table.columns]
    for rows in _chunks(table.rows):
        objects = (dict(zip(names, row, strict=True)) for row in rows)
        lines = (json.dumps(each, ensure_ascii=False, default=_plain) for each in objects)
        yield ("\n".join(lines) + "\n").encode()


def _take(buffer: io.StringIO) -> bytes:
    written = buffer.getvalue().encode()
    buffer.seek(0)
    buffer.truncate()
    return written


def _chunks(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    iterator = iter(rows)
    while chunk := list(islice(iterator, CHUNK_ROWS)):
        yield chunk


def _plain(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return ""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False, default=_plain)
    return str(value)


_CSV: dict[Kind, Callable[[Any], str]] = {
    Kind.TEXT: lambda value: neutralise(_plain(value)),
    Kind.NAME: lambda value: neutralise_name(_plain(value)),
    Kind.PLAIN: _plain,
}
