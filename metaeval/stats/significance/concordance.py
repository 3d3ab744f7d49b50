"""Signs of score differences, weighted by labels and summed over pairs of units: what rank statistics are made of.

The numerator of Kendall's tau is the sum over ordered pairs of sgn(x_i - x_j) sgn(y_i - y_j); that of Spearman's rho
is, but for a factor, the sum of sgn(x_i - x_j) (r_i - r_j) with r the midranks of the labels (Kendall 1948, Rank
Correlation Methods, ch. 2; Daniels 1944). Samples of two units u and v meet in a way that depends on those two alone.
"""

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from metaeval.stats.design import Floats, Ints

__all__ = ["Concordance", "RankWeights", "SignWeights"]

Codes = npt.NDArray[Any]
# Entries of one block of an n x n matrix: small enough for the cache.
BLOCK = 100_000


class Concordance(Protocol):
    """Sums of sgn(x_i - z_j) w(y_i, y_j) for codes x and z on one scale. Swapping x and z transposes them."""

    def margins(self, x: Codes, z: Codes) -> Floats:
        """(units,): i over the samples of a unit, j over all."""

    def between(self, x: Codes, z: Codes) -> Floats:
        """(units, units): i over the samples of the first, j over those of the second."""


class SignWeights:
    """w is the sign of the difference of labels."""

    def __init__(self, labels: Floats, unit_of: Ints, units: int) -> None:
        self._order = np.argsort(unit_of, kind="stable")
        self._unit_of, self._units = unit_of, units
        self._starts = np.searchsorted(unit_of[self._order], np.arange(units))
        self._values, self._labels = np.unique(labels, return_inverse=True)

    def margins(self, x: Codes, z: Codes) -> Floats:
        """By counting in each class of labels apart: O(n k log n) for k classes."""
        surplus = np.zeros(len(x))
        for label in range(len(self._values)):
            others = np.sort(z[self._labels == label])
            # Below minus above.
            lead = np.searchsorted(others, x, "left") + np.searchsorted(others, x, "right") - len(others)
            surplus += np.sign(self._labels - label) * lead
        return _summed(surplus, self._unit_of, self._units)

    def between(self, x: Codes, z: Codes) -> Floats:
        """By all n x n signs, in blocks of whole units, as small integers."""
        x, z, labels = x[self._order], z[self._order], self._labels[self._order].astype(np.int16)
        result = np.empty((self._units, self._units))
        for first, last in self._blocks():
            rows = slice(int(self._starts[first]), self._end(last))
            signs = _signs(x[rows], z) * _signs(labels[rows], labels)
            by_unit = np.add.reduceat(signs, self._starts[first:last] - rows.start, axis=0, dtype=np.int32)
            result[first:last] = np.add.reduceat(by_unit, self._starts, axis=1)
        return result

    def _blocks(self) -> Iterator[tuple[int, int]]:
        size = max(1, BLOCK // max(1, len(self._order)))
        first = 0
        while first < self._units:
            last = int(np.searchsorted(self._starts, self._starts[first] + size))
            last = min(max(last, first + 1), self._units)
            yield first, last
            first = last

    def _end(self, last: int) -> int:
        return int(self._starts[last]) if last < self._units else len(self._order)


class RankWeights:
    """w is the difference of the labels' midranks: i and j part, and counts by unit do instead of n x n signs."""

    def __init__(self, labels: Floats, unit_of: Ints, units: int) -> None:
        self._unit_of, self._units = unit_of, units
        self._order = np.argsort(unit_of, kind="stable")
        self._starts = np.searchsorted(unit_of[self._order], np.arange(units))
        self._ranks = rankdata(labels) - (len(labels) + 1) / 2

    def margins(self, x: Codes, z: Codes) -> Floats:
        """O(n log n)."""
        order = np.argsort(z)
        left, right = np.searchsorted(z[order], x, "left"), np.searchsorted(z[order], x, "right")
        summed = np.concatenate([[0.0], np.cumsum(self._ranks[order])])
        lead_of_ranks = summed[left] + summed[right] - summed[-1]
        surplus = self._ranks * (left + right - len(z)) - lead_of_ranks
        return _summed(surplus, self._unit_of, self._units)

    def between(self, x: Codes, z: Codes) -> Floats:
        # sgn(x - z) r_j is -sgn(z - x) r_j: the second part is the first with the roles exchanged.
        return self._weighted_by_first(x, z) + self._weighted_by_first(z, x).T

    def _weighted_by_first(self, x: Codes, z: Codes) -> Floats:
        """Sums of sgn(x_i - z_j) r_i: how far x_i leads the samples of each unit, weighted, summed by unit of i."""
        order = np.argsort(z)
        left, right = np.searchsorted(z[order], x, "left"), np.searchsorted(z[order], x, "right")
        result = np.empty((self._units, self._units))
        step = max(1, 4_000_000 // max(1, len(x)))
        for start in range(0, self._units, step):
            stop = min(start + step, self._units)
            lead = self._lead(self._unit_of[order], left, right, start, stop)
            weighted = lead[self._order] * self._ranks[self._order, None]
            result[:, start:stop] = np.add.reduceat(weighted, self._starts, axis=0)
        return result

    def _lead(self, unit_in_order: Ints, left: Ints, right: Ints, start: int, stop: int) -> npt.NDArray[np.int32]:
        """(n, stop - start): below minus above, among the samples of each unit."""
        seen = np.zeros((len(unit_in_order) + 1, stop - start), dtype=np.int32)
        inside = np.flatnonzero((unit_in_order >= start) & (unit_in_order < stop))
        seen[inside + 1, unit_in_order[inside] - start] = 1
        np.cumsum(seen, axis=0, out=seen)
        lead: npt.NDArray[np.int32] = seen[left] + seen[right] - seen[-1]
        return lead


def _summed(values: Floats, unit_of: Ints, units: int) -> Floats:
    found: Floats = np.bincount(unit_of, weights=values, minlength=units).astype(np.float64, copy=False)
    return found


def _signs(rows: Codes, columns: Codes) -> npt.NDArray[np.int8]:
    return (rows[:, None] > columns).view(np.int8) - (rows[:, None] < columns).view(np.int8)
