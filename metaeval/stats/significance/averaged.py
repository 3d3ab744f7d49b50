"""Swapping at generator level: a generator's mean is linear in the swaps, and a generator is one point."""

import numpy as np

from metaeval.stats.design import Floats, Ints
from metaeval.stats.significance.pooled import sums_by_unit
from metaeval.stats.significance.rowwise import rowwise
from metaeval.stats.significance.swaps import Swaps

__all__ = ["OfGenerators", "means_by_generator"]

# Means summed in another order differ in their last bits; scores have a standard deviation of 1 here.
DECIMALS = 10


def means_by_generator(values: Floats, generator: Ints) -> Floats:
    """(rows, n) -> (rows, generators that have samples)."""
    _, codes, counts = np.unique(generator, return_inverse=True, return_counts=True)
    return np.stack([np.bincount(codes, weights=row) / counts for row in values])


class OfGenerators:
    """A statistic over the means of generators, for any pair of metrics, under one set of swaps."""

    def __init__(self, scores: Floats, labels: Floats, generator: Ints, swaps: Swaps, statistic: str) -> None:
        self._statistic = statistic
        means = means_by_generator(labels[None, :], generator)[0]
        self._labels = np.round(means, DECIMALS)[:, None]
        self._totals = means_by_generator(scores, generator)
        present, codes, counts = np.unique(generator, return_inverse=True, return_counts=True)
        inside = np.stack([np.where(codes == each, 1 / counts[each], 0.0) for each in range(len(present))])
        drawn = swaps.floats(slice(None))
        # One matrix (generators, m) a metric: the part of each mean that is in swapped units.
        self._moved = [sums_by_unit(row * inside, swaps) @ drawn.T for row in scores]

    def value(self, metric: int) -> float:
        own = self._totals[metric][:, None]
        return float(rowwise(self._statistic, np.round(own, DECIMALS), self._labels)[0])

    def differences(self, a: int, b: int, rows: slice) -> Floats:
        """The difference of the two statistics in each of some permutations."""
        change = self._moved[b][:, rows] - self._moved[a][:, rows]
        first = np.round(self._totals[a][:, None] + change, DECIMALS)
        second = np.round(self._totals[b][:, None] - change, DECIMALS)
        return rowwise(self._statistic, first, self._labels) - rowwise(self._statistic, second, self._labels)
