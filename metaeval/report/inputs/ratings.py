"""Ratings in long form: who gave which value to which sample on which criterion."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from metaeval.report.inputs.cells import occasions, required_names, truths
from metaeval.report.inputs.columns import Names, Table, combined, first, owners, repeated
from metaeval.report.inputs.errors import InputError, shown
from metaeval.report.inputs.formats import read_table
from metaeval.report.inputs.header import resolved, with_synonyms
from metaeval.report.inputs.samples import crossed
from metaeval.stats.design import Bools, Floats, Ints

_NAMES = ("sample", "prompt", "generator", "rater", "criterion", "occasion", "subset", "is_gold")
_VALUES = ("value",)


class RatingRow(NamedTuple):
    sample: str
    prompt: str
    generator: str
    rater: str
    criterion: str
    value: float
    occasion: int


@dataclass(frozen=True)
class RatingRows:
    """The ratings of a file by column; one entry a row everywhere."""

    table: Table  # for messages: the file and the line of each row
    sample: Names
    prompt: Names
    generator: Names
    rater: Names
    criterion: Names
    value: Floats
    occasion: Ints  # from 1
    subset: Names
    is_gold: Bools
    has_sample_column: bool
    prompt_of: Ints  # sample -> prompt
    generator_of: Ints  # sample -> generator
    warnings: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self) -> Iterator[RatingRow]:
        """Row by row, for small tables."""
        for row in range(len(self)):
            yield RatingRow(
                sample=self.sample.at(row),
                prompt=self.prompt.at(row),
                generator=self.generator.at(row),
                rater=self.rater.at(row),
                criterion=self.criterion.at(row),
                value=float(self.value[row]),
                occasion=int(self.occasion[row]),
            )


def read_ratings(path: Path) -> RatingRows:
    """The file, checked in itself: every cell, no rating twice, one prompt and one generator a sample."""
    table = read_table(path, names=with_synonyms(_NAMES), values=with_synonyms(_VALUES))
    has_sample = "sample" in table.header
    required = ("prompt", "generator", "rater", "criterion", "value")
    table = resolved(
        table,
        required=("sample", *required) if has_sample or _has_no_prompt(table) else required,
        optional=("sample", "occasion", "subset", "is_gold"),
    )
    prompt, generator = required_names(table, "prompt"), required_names(table, "generator")
    sample = required_names(table, "sample") if has_sample else crossed(prompt, generator)
    rows = RatingRows(
        table=table,
        sample=sample,
        prompt=prompt,
        generator=generator,
        rater=required_names(table, "rater"),
        criterion=required_names(table, "criterion"),
        value=_values(table),
        occasion=occasions(table),
        subset=table.names.get("subset", Names((), np.full(len(table), -1, dtype=np.intp))),
        is_gold=truths(table, "is_gold") == 1,
        has_sample_column=has_sample,
        prompt_of=owners(sample.codes, prompt.codes, len(sample.names)),
        generator_of=owners(sample.codes, generator.codes, len(sample.names)),
        warnings=table.warnings,
    )
    _refuse_two_owners(rows, "prompt", rows.prompt, rows.prompt_of)
    _refuse_two_owners(rows, "generator", rows.generator, rows.generator_of)
    _refuse_twice(rows)
    return rows


def _has_no_prompt(table: Table) -> bool:
    """Neither a sample nor what it could be made of: the message then asks for all."""
    return not {"prompt", "item"} & set(table.header)


def _values(table: Table) -> Floats:
    values = table.values["value"]
    if (row := first(np.isnan(values))) is not None:
        raise table.fault(row, "value", expected="a number", found="nothing")
    return values


def _refuse_two_owners(rows: RatingRows, column: str, owner: Names, owner_of: Ints) -> None:
    if (row := first(owner.codes != owner_of[rows.sample.codes])) is not None:
        expected = owner.names[owner_of[rows.sample.codes[row]]]
        before = first(rows.sample.codes == rows.sample.codes[row]) or 0
        raise rows.table.fault(
            row,
            column,
            expected=f"{shown(expected)} for sample {shown(rows.sample.at(row))} "
            f"as in {rows.table.place} {rows.table.numbers[before]}",
            found=shown(owner.at(row)),
        )


def _refuse_twice(rows: RatingRows) -> None:
    columns = (rows.sample, rows.rater, rows.criterion)
    parts = [(column.codes, len(column.names)) for column in columns]
    found = repeated(combined(*parts, (rows.occasion, int(rows.occasion.max()))))
    if found is not None:
        row, before = found
        key = ", ".join(column.at(row) for column in columns)
        raise InputError(
            f"{rows.table.where(row)}: sample, rater, criterion: expected one rating an occasion, but "
            f"{shown(key)[1:-1]} is there twice (before in {rows.table.place} {rows.table.numbers[before]})"
        )
