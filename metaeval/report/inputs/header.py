"""Which column is which: the names we read, their synonyms, and a word where a header is nearly right."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from metaeval.report.inputs.columns import Names, Table, first
from metaeval.report.inputs.errors import InputError, did_you_mean, listed, shown
from metaeval.stats.design import Bools, Floats

# What others call our columns: nlpstats and most of the literature on summarisation and translation.
SYNONYMS = {"prompt": "item", "generator": "system", "value": "score"}


def with_synonyms(columns: Collection[str]) -> set[str]:
    return {*columns, *(SYNONYMS[name] for name in columns if name in SYNONYMS)}


def resolved(table: Table, *, required: Sequence[str], optional: Sequence[str]) -> Table:
    """The table with columns under our names; an error where one is missing, is there twice, or contradicts another."""
    known = with_synonyms({*required, *optional})
    _refuse_missing(table, required, known)
    hints = _remarks(table, required, known)
    if not len(table):
        raise InputError(f"{table.file}: no rows")
    names, values = dict(table.names), dict(table.values)
    for name, synonym in SYNONYMS.items():
        if name in table.header and synonym in table.header:
            _refuse_contradiction(table, name, synonym)
        elif synonym in names:
            names[name] = names[synonym]
        elif synonym in values:
            values[name] = values[synonym]
    return replace(table, names=names, values=values, warnings=(*table.warnings, *hints))


def _has(table: Table, name: str) -> bool:
    return name in table.header or SYNONYMS.get(name) in table.header


def _refuse_missing(table: Table, required: Sequence[str], known: Collection[str]) -> None:
    missing = [name for name in required if not _has(table, name)]
    if not missing:
        return
    hint = next((hint for name in table.header if name not in known and (hint := did_you_mean(name, missing))), "")
    if len(table.header) == 1 and ";" in table.header[0]:
        hint = " (separate the cells by commas, not by semicolons)"
    found = listed(table.header, limit=20)
    raise InputError(f"{table.file}: {table.place} 1: expected the columns {', '.join(missing)}, found {found}{hint}")


def _remarks(table: Table, required: Sequence[str], known: Collection[str]) -> list[str]:
    """An optional column in capitals would go unread without a word: refused. One that is merely similar: a remark."""
    remarks = []
    for name in table.header:
        if name in known:
            continue
        if name.lower() in known and not _has(table, name.lower()):
            raise InputError(f"{table.file}: {table.place} 1: expected the column {name.lower()}, found {shown(name)}")
        if name not in ("prompts", "items") and (hint := did_you_mean(name, set(known) - set(table.header))):
            remarks.append(f"{table.file}: the column {shown(name)} is not read{hint}")
    return remarks


def _refuse_contradiction(table: Table, name: str, synonym: str) -> None:
    if name in table.names:
        differ = _names_differ(table.names[name], table.names[synonym])
        show = [table.names[column].at for column in (name, synonym)]
    else:
        differ = _values_differ(table.values[name], table.values[synonym])
        show = [lambda row, of=table.values[column]: repr(float(of[row])) for column in (name, synonym)]  # type: ignore[misc]
    if (row := first(differ)) is not None:
        raise InputError(
            f"{table.where(row)}: {name}: expected the same as in {synonym}, which is another word for it "
            f"({shown(show[1](row))}), found {shown(show[0](row))}: leave one of the two columns out"
        )


def _names_differ(one: Names, other: Names) -> Bools:
    index = one.index()
    moved = np.array([*(index.get(name, -2) for name in other.names), -1], dtype=np.intp)
    return np.not_equal(one.codes, moved[other.codes])


def _values_differ(one: Floats, other: Floats) -> Bools:
    return np.not_equal(one, other) & ~(np.isnan(one) & np.isnan(other))
