"""JSONL: an object a line."""

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import IO, Any

import numpy as np

from metaeval.report.inputs.columns import Coder, Table, parse_number
from metaeval.report.inputs.errors import InputError, shown
from metaeval.stats.design import Floats, Ints

_BLOCK = 2_000


def read_json_lines(stream: IO[str], file: str, *, names: Collection[str], values: Collection[str]) -> Table:
    coders = {name: Coder() for name in names}
    floats: dict[str, list[Floats]] = {name: [] for name in values}
    header: dict[str, None] = {}
    numbers: list[Ints] = []
    for lines, rows in _blocks(stream, file):
        present = dict.fromkeys(key for keys in dict.fromkeys(map(tuple, rows)) for key in keys)
        header.update(present)
        for name, coder in coders.items():
            cells = [row.get(name) for row in rows] if name in present else [""] * len(rows)
            coder.add(_texts(cells, file, name, lines), len(rows))
        for name, parts in floats.items():
            cells = [row.get(name) for row in rows] if name in present else []
            parts.append(_numbers(cells, file, name, lines) if cells else np.full(len(rows), np.nan))
        numbers.append(lines)
    coded = {name: coder.names() for name, coder in coders.items() if name in header}
    return Table(
        file=file,
        place="line",
        numbers=np.concatenate(numbers) if numbers else np.empty(0, dtype=np.intp),
        header=tuple(header),
        names={name: column for name, (column, _) in coded.items()},
        values={name: np.concatenate(parts) for name, parts in floats.items() if name in header},
        warnings=tuple(f"{file}: {name}: {remark}" for name, (_, remarks) in coded.items() for remark in remarks),
    )


def _blocks(stream: IO[str], file: str) -> Iterator[tuple[Ints, list[dict[str, Any]]]]:
    numbered = enumerate(stream, start=1)
    while block := list(islice(numbered, _BLOCK)):
        found = [(number, line) for number, line in block if not line.isspace()]
        if found:
            numbers, lines = zip(*found, strict=True)
            yield np.array(numbers, dtype=np.intp), _rows(lines, file, numbers)


def _rows(lines: Sequence[str], file: str, numbers: Sequence[int]) -> list[dict[str, Any]]:
    """All lines as one array, which takes half the time; one by one where that fails, to say which line it is."""
    rows: list[dict[str, Any]] = []
    with suppress(ValueError, RecursionError):
        rows = json.loads(f"[{','.join(lines)}]")
    if len(rows) != len(lines) or set(map(type, rows)) != {dict}:
        rows = [_row(line, file, number) for line, number in zip(lines, numbers, strict=True)]
    if all(key == key.strip() for keys in set(map(tuple, rows)) for key in keys):
        return rows
    return [{key.strip(): value for key, value in row.items()} for row in rows]


def _row(line: str, file: str, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else type(error).__name__
        found = f"{shown(line.strip())}: {reason}"
        raise InputError(f"{file}: line {number}: expected a JSON object, found {found}") from None
    if not isinstance(row, dict):
        raise InputError(f"{file}: line {number}: expected a JSON object, found {shown(line.strip())}")
    return row


def _texts(cells: Sequence[Any], file: str, name: str, lines: Ints) -> Sequence[str]:
    if set(map(type, cells)) == {str}:
        return cells
    return [_text(cell, file, name, lines, place) for place, cell in enumerate(cells)]


def _text(cell: Any, file: str, name: str, lines: Ints, place: int) -> str:
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, int) or (isinstance(cell, float) and cell.is_integer()):
        return str(int(cell))
    raise InputError(f"{file}: line {lines[place]}: {name}: expected text, found {shown(cell)}")


def _numbers(cells: Sequence[Any], file: str, name: str, lines: Ints) -> Floats:
    if set(map(type, cells)) <= {float, int}:
        try:
            found = np.array(cells, dtype=np.float64)
        except OverflowError:
            found = np.array([np.inf])
        if np.isfinite(found).all():
            return found
    return np.array([_number(cell, file, name, lines, place) for place, cell in enumerate(cells)])


def _number(cell: Any, file: str, name: str, lines: Ints, place: int) -> float:
    if cell is None:
        return float("nan")
    if isinstance(cell, bool):
        return float(cell)
    try:
        return parse_number(cell if isinstance(cell, str) else repr(cell))
    except ValueError as error:
        raise InputError(f"{file}: line {lines[place]}: {name}: {error}") from None
