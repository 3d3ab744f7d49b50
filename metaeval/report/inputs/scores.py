"""Scores in long form: what each metric says of each sample, or of a whole generator."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metaeval.report.inputs.cells import required_names, truths
from metaeval.report.inputs.columns import NOTHING, Names, Table, combined, first, owners, repeated
from metaeval.report.inputs.errors import InputError, shown
from metaeval.report.inputs.formats import read_table
from metaeval.report.inputs.header import resolved, with_synonyms
from metaeval.report.inputs.samples import crossed
from metaeval.stats.design import Bools, Floats, Ints

_NAMES = ("sample", "prompt", "generator", "metric", "direction", "subset", "reference_based")
_VALUES = ("value",)
_DIRECTIONS = ("higher", "lower", "target")


class ScoreRow(NamedTuple):
    sample: str
    generator: str
    metric: str
    value: float
    direction: str


@dataclass(frozen=True)
class ScoreRows:
    """The scores of a file by column; one entry a row everywhere."""

    table: Table  # for messages: the file and the line of each row
    sample: Names  # none: a score of the whole generator
    prompt: Names
    generator: Names
    metric: Names
    value: Floats  # NaN where the metric gave none
    subset: Names
    has_sample_column: bool
    direction_of: tuple[str, ...]  # metric -> higher, lower, target; "" where the file does not say
    reference_based_of: Ints  # metric -> 1, 0; -1 where the file does not say
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[ScoreRow]:
        """Row by row, those that have a value, for small tables."""
        for row in np.flatnonzero(~np.isnan(self.value)).tolist():
            direction = self.direction_of[self.metric.codes[row]] or "higher"
            names = (self.sample.at(row), self.generator.at(row), self.metric.at(row))
            yield ScoreRow(*names, float(self.value[row]), direction)


def read_scores(path: Path) -> ScoreRows:
    """The file, checked in itself: every cell, no score twice, one direction a metric."""
    table = read_table(path, names=with_synonyms(_NAMES), values=with_synonyms(_VALUES))
    has_sample = "sample" in table.header or not {"prompt", "item"} & set(table.header)
    table = resolved(
        table,
        required=("sample" if has_sample else "prompt", "generator", "metric", "value"),
        optional=("sample", "prompt", "direction", "subset", "reference_based"),
    )
    nothing = Names((), np.full(len(table), NOTHING, dtype=np.intp))
    prompt, generator = table.names.get("prompt", nothing), table.names["generator"]
    metric = required_names(table, "metric")
    sample = table.names["sample"] if has_sample else crossed(prompt, generator)
    _refuse_no_generator(table, sample, generator, is_crossed=not has_sample)
    _refuse_twice(table, sample, generator, metric, table.names.get("subset", nothing))
    return ScoreRows(
        table=table,
        sample=sample,
        prompt=prompt,
        generator=generator,
        metric=metric,
        value=table.values["value"],
        subset=table.names.get("subset", nothing),
        has_sample_column=has_sample,
        direction_of=_directions(table, metric),
        reference_based_of=_per_metric(table, "reference_based", metric, truths(table, "reference_based")),
        warnings=table.warnings,
    )


def _refuse_no_generator(table: Table, sample: Names, generator: Names, *, is_crossed: bool) -> None:
    """A sample knows its generator; a score of a whole generator must name it."""
    needs: Bools = generator.is_empty if is_crossed else generator.is_empty & sample.is_empty
    if (row := first(needs)) is not None:
        what = "a name" if is_crossed else "a name, for there is no sample"
        raise table.fault(row, "generator", expected=what, found="nothing")


def _refuse_twice(table: Table, sample: Names, generator: Names, metric: Names, subset: Names) -> None:
    # Of one sample a metric has one score, whatever generator and subset stand beside it.
    of_sample = ~sample.is_empty
    parts = [
        (sample.codes, len(sample.names)),
        (metric.codes, len(metric.names)),
        (np.where(of_sample, NOTHING, generator.codes), len(generator.names)),
        (np.where(of_sample, NOTHING, subset.codes), len(subset.names)),
    ]
    if (found := repeated(combined(*parts))) is not None:
        row, before = found
        columns = (sample, metric) if of_sample[row] else (generator, subset, metric)
        key = ", ".join(name for column in columns if (name := column.at(row)))
        raise InputError(
            f"{table.where(row)}: sample, metric: expected one score, but {shown(key)[1:-1]} is there twice "
            f"(before in {table.place} {table.numbers[before]})"
        )


def _directions(table: Table, metric: Names) -> tuple[str, ...]:
    if "direction" not in table.names:
        return ("",) * len(metric.names)
    column = table.names["direction"]
    place = np.array([*(_place(name) for name in column.names), NOTHING], dtype=np.intp)
    codes: Ints = place[column.codes]
    if (row := first(codes == -2)) is not None:
        raise table.fault(row, "direction", expected="higher, lower or target", found=shown(column.at(row)))
    found = _per_metric(table, "direction", metric, codes)
    return tuple(_DIRECTIONS[code] if code != NOTHING else "" for code in found.tolist())


def _place(direction: str) -> int:
    return _DIRECTIONS.index(direction.lower()) if direction.lower() in _DIRECTIONS else -2


def _per_metric(table: Table, column: str, metric: Names, codes: Ints) -> Ints:
    """What the rows of each metric say; an error where they contradict each other."""
    said = owners(metric.codes, codes, len(metric.names))
    if (row := first((codes != NOTHING) & (codes != said[metric.codes]))) is not None:
        before = first((metric.codes == metric.codes[row]) & (codes == said[metric.codes[row]])) or 0
        raise table.fault(
            row,
            column,
            expected=f"{shown(table.names[column].at(before))} for metric {shown(metric.at(row))} "
            f"as in {table.place} {table.numbers[before]}",
            found=shown(table.names[column].at(row)),
        )
    return said
