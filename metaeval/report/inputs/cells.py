"""What the cells of particular columns mean: names that must be there, occasions, yes and no."""

import numpy as np

from metaeval.report.inputs.columns import Names, Table, first
from metaeval.report.inputs.errors import shown
from metaeval.stats.design import Ints

_TRUTHS = {"true": 1, "1": 1, "yes": 1, "false": 0, "0": 0, "no": 0}


def required_names(table: Table, column: str) -> Names:
    names = table.names[column]
    if (row := first(names.is_empty)) is not None:
        raise table.fault(row, column, expected="a name", found="nothing")
    return names


def occasions(table: Table) -> Ints:
    """1 where the file does not say."""
    if "occasion" not in table.names:
        return np.ones(len(table), dtype=np.intp)
    column = table.names["occasion"]
    numbers = np.array([*map(_occasion, column.names), 1], dtype=np.intp)  # the last place is for empty cells
    found: Ints = numbers[column.codes]
    if (row := first(found < 1)) is not None:
        raise table.fault(row, "occasion", expected="an integer from 1", found=shown(column.at(row)))
    return found


def truths(table: Table, column: str) -> Ints:
    """1, 0, or -1 where the file does not say."""
    if column not in table.names:
        return np.full(len(table), -1, dtype=np.intp)
    names = table.names[column]
    values = np.array([*(_TRUTHS.get(name.lower(), -2) for name in names.names), -1], dtype=np.intp)
    found: Ints = values[names.codes]
    if (row := first(found == -2)) is not None:
        raise table.fault(row, column, expected="true or false", found=shown(names.at(row)))
    return found


def _occasion(text: str) -> int:
    whole = text.removesuffix(".0")  # what spreadsheets and pandas make of an integer column with gaps
    return int(whole) if whole.isascii() and whole.isdigit() and len(whole) < 7 else 0
