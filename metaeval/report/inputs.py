"""Reading ratings and scores in long form from CSV, with errors that name the file, the line and the column."""

import csv
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


class InputError(ValueError):
    """A file that cannot be used."""


@dataclass(frozen=True)
class RatingRow:
    sample: str
    prompt: str
    generator: str
    rater: str
    criterion: str
    value: float


@dataclass(frozen=True)
class ScoreRow:
    sample: str
    generator: str
    metric: str
    value: float
    direction: str


def read_ratings(path: Path) -> list[RatingRow]:
    rows = [
        RatingRow(
            sample=row["sample"],
            prompt=row["prompt"],
            generator=row["generator"],
            rater=row["rater"],
            criterion=row["criterion"],
            value=_number(row["value"], path, line),
        )
        for line, row in _rows(path, ("sample", "prompt", "generator", "rater", "criterion", "value"))
    ]
    _refuse_twice(path, [(row.sample, row.rater, row.criterion) for row in rows])
    return rows


def read_scores(path: Path) -> list[ScoreRow]:
    """Rows without a value are undefined scores: they are left out, and n says so."""
    rows = [
        ScoreRow(
            sample=row["sample"],
            generator=row["generator"],
            metric=row["metric"],
            value=_number(row["value"], path, line),
            direction=row.get("direction") or "higher",
        )
        for line, row in _rows(path, ("sample", "generator", "metric", "value"))
        if row["value"] != ""
    ]
    _refuse_twice(path, [(row.sample, row.generator, row.metric) for row in rows])
    return rows


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        file = path.open(newline="", encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
    with file:
        reader = csv.DictReader(file)
        if missing := [name for name in columns if name not in (reader.fieldnames or ())]:
            found = ", ".join(reader.fieldnames or ()) or "nothing"
            raise InputError(f"{path.name}: line 1: expected the columns {', '.join(missing)}, found {found}")
        for row in reader:
            if None in row or None in row.values():
                raise InputError(f"{path.name}: line {reader.line_num}: expected {len(reader.fieldnames or ())} cells")
            yield reader.line_num, row


def _number(text: str, path: Path, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        raise InputError(f"{path.name}: line {line}: value: expected a number, found {text!r}") from None
    if not math.isfinite(value):
        raise InputError(f"{path.name}: line {line}: value: expected a finite number, found {text!r}")
    return value


def _refuse_twice(path: Path, keys: list[tuple[str, str, str]]) -> None:
    if not keys:
        raise InputError(f"{path.name}: no rows")
    seen: set[tuple[str, str, str]] = set()
    for number, key in enumerate(keys, start=2):
        if key in seen:
            raise InputError(f"{path.name}: row {number}: {', '.join(key)} is there twice")
        seen.add(key)
