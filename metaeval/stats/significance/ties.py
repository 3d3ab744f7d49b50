"""How much tied scores take from a rank statistic's denominator, in every permutation."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval.stats.design import Bools, Floats
from metaeval.stats.significance.swaps import Swaps

__all__ = ["Ties"]

Codes = npt.NDArray[Any]
BLOCK = 4_000_000


class Ties:
    """Sum over tie groups of t^2 - t (pairs, for tau-b; power 2) or t^3 - t (for rho; power 3)."""

    def __init__(self, swaps: Swaps, *, power: int) -> None:
        self._swaps = swaps
        self.power = power
        self._cached: dict[int, tuple[Floats, Floats]] = {}

    def of_one(self, codes: Codes) -> float:
        _, counts = np.unique(codes, return_counts=True)
        return float(np.sum(counts.astype(np.float64) ** self.power - counts))

    def of_pair(
        self, codes_a: Codes, codes_b: Codes, a: int, b: int
    ) -> Callable[[slice], tuple[Floats, Floats]] | None:
        """What ties take from the mix that starts from A and from the other one; None where there are no ties."""
        if np.intersect1d(codes_a, codes_b).size:
            return lambda rows: self._mixed(codes_a, codes_b, rows)
        tied = any(len(np.unique(codes)) < len(codes) for codes in (codes_a, codes_b))
        if not tied:
            return None
        kept_a, moved_a = self._of_metric(codes_a, a)
        kept_b, moved_b = self._of_metric(codes_b, b)
        return lambda rows: (kept_a[rows] + moved_b[rows], moved_a[rows] + kept_b[rows])

    def _of_metric(self, codes: Codes, metric: int) -> tuple[Floats, Floats]:
        """Among the samples that keep the metric's score, and among those that give it away."""
        if metric not in self._cached:
            _, codes, sizes = np.unique(codes, return_inverse=True, return_counts=True)
            counts = self._counts(codes, sizes > 1)
            self._cached[metric] = self._taken_by_both(counts, counts * 0, slice(None))
        return self._cached[metric]

    def _mixed(self, codes_a: Codes, codes_b: Codes, rows: slice) -> tuple[Floats, Floats]:
        """Where values of A equal values of B, groups are counted over both."""
        _, codes, sizes = np.unique(np.concatenate([codes_a, codes_b]), return_inverse=True, return_counts=True)
        counts_a = self._counts(codes[: len(codes_a)], sizes > 1)
        counts_b = self._counts(codes[len(codes_a) :], sizes > 1)
        return self._taken_by_both(counts_a, counts_b, rows)

    def _counts(self, codes: Codes, kept: Bools) -> Floats:
        """(units, groups): how many of a unit's samples are in each `kept` tie group; lone values take nothing."""
        groups = int(kept.sum())
        column = np.cumsum(kept) - 1
        inside = kept[codes]
        cells = self._swaps.unit_of[inside] * groups + column[codes[inside]]
        table = np.bincount(cells, minlength=self._swaps.units * groups)
        return table.reshape(self._swaps.units, groups).astype(np.float64)

    def _taken_by_both(self, counts_a: Floats, counts_b: Floats, rows: slice) -> tuple[Floats, Floats]:
        total_a, total_b, change = counts_a.sum(axis=0), counts_b.sum(axis=0), counts_b - counts_a
        start, stop, _ = rows.indices(self._swaps.permutations)
        step = max(1, BLOCK // max(1, change.shape[1], self._swaps.units))
        first, second = [], []
        for at in range(start, stop, step):
            moved = self._swaps.floats(slice(at, min(at + step, stop))) @ change
            first.append(self._taken(total_a + moved))
            second.append(self._taken(total_b - moved))
        return np.concatenate(first), np.concatenate(second)

    def _taken(self, sizes: Floats) -> Floats:
        squares = (
            np.einsum("ij,ij->i", sizes, sizes) if self.power == 2 else np.einsum("ij,ij,ij->i", sizes, sizes, sizes)
        )
        taken: Floats = squares - sizes.sum(axis=1)
        return taken
