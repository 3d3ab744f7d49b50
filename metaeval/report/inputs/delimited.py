"""CSV and TSV, by Python's own reader: it knows quoted newlines, and its floats are exact."""

import csv
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import IO, TYPE_CHECKING

import numpy as np

from metaeval.report.inputs.columns import Coder, Table, parse_number, refuse_repeated
from metaeval.report.inputs.errors import InputError
from metaeval.stats.design import Floats, Ints

if TYPE_CHECKING:
    import _csv

# Rows that are held as lists of strings at once: few enough to stay in the processor's cache.
_BLOCK = 2_000


def read_delimited(
    stream: IO[str], file: str, *, delimiter: str, names: Collection[str], values: Collection[str]
) -> Table:
    reader = csv.reader(stream, delimiter=delimiter, strict=True)
    try:
        header = tuple(cell.strip() for cell in next(reader, []))
        refuse_repeated(file, header)
        return _read(reader, file, header, names=names, values=values)
    except csv.Error as error:
        raise InputError(f"{file}: line {reader.line_num}: expected CSV, found {error}") from None


def _read(
    reader: "_csv.Reader", file: str, header: tuple[str, ...], *, names: Collection[str], values: Collection[str]
) -> Table:
    coders = {name: Coder() for name in header if name in names}
    floats: dict[str, list[Floats]] = {name: [] for name in header if name in values}
    numbers: list[Ints] = []
    for lines, rows in _blocks(reader):
        _refuse_ragged(file, len(header), lines, rows)
        columns = list(zip(*rows, strict=True))
        for place, name in enumerate(header):
            if name in coders:
                coders[name].add(columns[place], len(rows))
            elif name in floats:
                floats[name].append(_parsed(columns[place], file, name, lines))
        numbers.append(lines)
    coded = {name: coder.names() for name, coder in coders.items()}
    return Table(
        file=file,
        place="line",
        numbers=np.concatenate(numbers) if numbers else np.empty(0, dtype=np.intp),
        header=header,
        names={name: column for name, (column, _) in coded.items()},
        values={name: np.concatenate(parts) if parts else np.empty(0) for name, parts in floats.items()},
        warnings=tuple(f"{file}: {name}: {remark}" for name, (_, remarks) in coded.items() for remark in remarks),
    )


def _blocks(reader: "_csv.Reader") -> Iterator[tuple[Ints, list[list[str]]]]:
    """Rows, and the line on which each starts: a quoted cell may span several."""
    start = reader.line_num + 1
    while rows := list(islice(reader, _BLOCK)):
        if reader.line_num + 1 - start == len(rows):
            lines = np.arange(start, start + len(rows), dtype=np.intp)
        else:
            spans = [1 + sum(map(_line_ends, row)) for row in rows]
            lines = start + np.cumsum([0, *spans[:-1]], dtype=np.intp)
        start = reader.line_num + 1
        if [] in rows:  # a blank line is no row
            lines, rows = lines[[bool(row) for row in rows]], [row for row in rows if row]
        if rows:
            yield lines, rows


def _line_ends(cell: str) -> int:
    return cell.count("\n") + cell.count("\r") - cell.count("\r\n")


def _refuse_ragged(file: str, width: int, lines: Ints, rows: Sequence[Sequence[str]]) -> None:
    if set(map(len, rows)) - {width}:
        place = next(place for place, row in enumerate(rows) if len(row) != width)
        raise InputError(f"{file}: line {lines[place]}: expected {width} cells, found {len(rows[place])}")


def _parsed(cells: Sequence[str], file: str, name: str, lines: Ints) -> Floats:
    try:
        parsed = np.array(list(map(float, cells)))
        if np.isfinite(parsed).all() and not any("_" in cell for cell in cells):
            return parsed
    except ValueError:
        pass
    # Somewhere there is an empty cell, or a fault: one by one, to say where.
    found = np.empty(len(cells))
    for place, cell in enumerate(cells):
        try:
            found[place] = parse_number(cell)
        except ValueError as error:
            raise InputError(f"{file}: line {lines[place]}: {name}: {error}") from None
    return found
