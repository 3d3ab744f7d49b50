"""Swapping at sample level for Pearson: every sum that the correlation needs is linear in the swaps."""

import numpy as np

from metaeval.stats.design import Floats
from metaeval.stats.significance.swaps import Swaps

__all__ = ["PooledPearson", "sums_by_unit"]


def sums_by_unit(values: Floats, swaps: Swaps) -> Floats:
    """(columns, n) summed by unit: (columns, units)."""
    return np.stack([np.bincount(swaps.unit_of, weights=row, minlength=swaps.units) for row in values])


class PooledPearson:
    """Pearson over all samples, for any pair of metrics, under one set of swaps."""

    def __init__(self, scores: Floats, labels: Floats, swaps: Swaps) -> None:
        centred = labels - labels.mean()
        self._n = len(labels)
        self._label_squares = float(centred @ centred)
        # (3, metrics, units): sum of x, of x^2 and of x y.
        by_unit = np.stack([sums_by_unit(each, swaps) for each in (scores, scores**2, scores * centred)])
        self._totals = by_unit.sum(axis=2)
        flat = by_unit.reshape(-1, swaps.units)
        # (m, 3, metrics): what the swapped units hold. Swapping moves it from one metric of a pair to the other.
        self._moved = (swaps.floats(slice(None)) @ flat.T).reshape(swaps.permutations, *by_unit.shape[:2])

    def value(self, metric: int) -> float:
        return float(self._correlation(self._totals[:, metric]))

    def differences(self, a: int, b: int, rows: slice) -> Floats:
        """The difference of the two correlations in each of some permutations."""
        moved = self._moved[rows]
        change = moved[:, :, b] - moved[:, :, a]
        first = (self._totals[:, a] + change).T
        second = (self._totals[:, b] - change).T
        return self._correlation(first) - self._correlation(second)

    def _correlation(self, sums: Floats) -> Floats:
        variation = sums[1] - sums[0] ** 2 / self._n
        with np.errstate(invalid="ignore", divide="ignore"):
            # Standardised scores have variation n: less than this is a mix that is constant but for rounding.
            correlation: Floats = np.where(
                variation > 1e-10, sums[2] / np.sqrt(variation * self._label_squares), np.nan
            )
        return correlation
