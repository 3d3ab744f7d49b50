"""Ratings in long form, sorted by unit: what every agreement statistic is a sum over.

A table of 500 crowd raters is nearly empty, and a units x values x values array does not fit in memory for continuous
ratings; a list of the ratings that exist does.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from metaeval.stats.design import Floats, Ints


def sum_by(index: Ints, weights: Floats, size: int) -> Floats:
    """(size,): the sum of the weights at each index. numpy's types call it whole numbers; with weights it is not."""
    return np.bincount(index, weights=weights, minlength=size).astype(float, copy=False)


@dataclass(frozen=True)
class Pairable:
    """Every rating of the units that have at least `at_least` of them. Units are numbered from 0 in table order."""

    unit: Ints  # (ratings,), ascending
    rater: Ints  # (ratings,)
    value: Floats  # (ratings,)
    code: Ints  # (ratings,) position of the value in `domain`
    domain: Floats  # the distinct values, ascending
    columns: Ints  # (units,) which column of the table each unit was

    @property
    def units(self) -> int:
        return len(self.columns)

    @property
    def size(self) -> int:
        return len(self.value)

    @cached_property
    def counts(self) -> Floats:
        """(units,): how many ratings each unit has."""
        return np.bincount(self.unit, minlength=self.units).astype(float)

    @property
    def raters(self) -> int:
        return len(np.unique(self.rater))

    @cached_property
    def _cells(self) -> tuple[Ints, Ints, Ints]:
        """Unit x value keys that occur, the cell of each rating, and how many ratings are in each cell."""
        keys, cell, times = np.unique(self.unit * len(self.domain) + self.code, return_inverse=True, return_counts=True)
        return keys, cell, times

    @property
    def cells(self) -> tuple[Ints, Ints, Floats]:
        """Unit, value code and number of ratings of every (unit, value) that occurs."""
        keys, _, times = self._cells
        width = max(len(self.domain), 1)
        return keys // width, keys % width, times.astype(float)

    @property
    def cell_of_rating(self) -> Ints:
        """(ratings,): which of `cells` each rating is in."""
        return self._cells[1]

    def total(self, of_rating: Floats) -> Floats:
        """(units,): the sum over each unit's ratings."""
        return sum_by(self.unit, of_rating, self.units)


def check_table(ratings: Floats) -> None:
    """Refuse what is not a (raters, units) array of numbers and NaN."""
    if ratings.ndim != 2:
        raise ValueError(f"ratings: expected (raters, units), found an array of shape {ratings.shape}")
    if np.isinf(ratings).any():
        raise ValueError("ratings: expected finite numbers or NaN, found an infinite one")


def pairable(ratings: Floats, *, at_least: int = 2) -> Pairable:
    """The ratings of the units that have at least `at_least`: a single rating cannot agree with anything."""
    check_table(ratings)
    given = ~np.isnan(ratings)
    columns = np.flatnonzero(given.sum(axis=0) >= at_least)
    kept = ratings.T[columns]
    unit, rater = np.nonzero(given.T[columns])
    value = kept[unit, rater].astype(float)
    domain, code = np.unique(value, return_inverse=True)
    return Pairable(unit, rater, value, code.astype(np.intp), domain, columns)


def pairs_within_units(unit: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Every pair of ratings (first, second) of one unit once, in one batch a lag; `unit` must be ascending.

    A batch never has more entries than there are ratings, however many raters there are.
    """
    first = np.arange(len(unit), dtype=np.intp)
    lag = 0
    while len(first):
        lag += 1
        first = first[first + lag < len(unit)]
        first = first[unit[first] == unit[first + lag]]
        if len(first):
            yield first, first + lag


def pair_sums(pairs: Pairable, distance: Callable[[Ints, Ints], Floats]) -> Floats:
    """(units,): the sum of `distance(first, second)` over each unit's unordered pairs of ratings (as positions)."""
    total = np.zeros(pairs.units)
    for first, second in pairs_within_units(pairs.unit):
        total += sum_by(pairs.unit[first], distance(first, second), pairs.units)
    return total


def agreeing_pairs(pairs: Pairable) -> Floats:
    """(units,): how many ordered pairs of ratings give the same value."""
    unit, _, times = pairs.cells
    return sum_by(unit, times * (times - 1), pairs.units)
