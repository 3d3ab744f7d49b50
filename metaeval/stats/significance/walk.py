"""Concordant minus discordant pairs of one metric against permuted labels, all permutations at once.

A walk along the order of the scores keeps, for every label, how many were seen at or below it: O(n k) for k labels,
in steps of a few samples so that 8-bit integers do (Christensen 2005, "Fast algorithms for the calculation of
Kendall's tau", counts one vector; this counts thousands side by side).
"""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from metaeval.stats.design import Ints

__all__ = ["PermutedLabels", "codes_of", "surplus_of_pairs"]

STEP = 12
MOST_LABELS = 64

Codes = npt.NDArray[np.int16]
Counts = npt.NDArray[np.int64]


def surplus_of_pairs(scores: Codes, labels: Codes, sources: npt.NDArray[np.int32]) -> Counts:
    """(B,): concordant minus discordant pairs of dense codes `scores` (n,) and `labels` (n,)[sources] (B, n)."""
    return PermutedLabels(labels, sources).surplus(scores)


class PermutedLabels:
    """Labels (n,) as dense codes, permuted by sources (B, n), once for all metrics.

    More than 64 labels are put into bins for the walk; pairs within one bin are then compared directly.
    """

    def __init__(self, labels: Codes, sources: npt.NDArray[np.int32]) -> None:
        self._labels, self._sources = labels, sources
        self._bins = _bins(labels)
        self._permuted = np.ascontiguousarray(self._bins.astype(np.int8)[labels][sources].T)
        self._places: npt.NDArray[np.int32] | None = None
        if len(self._bins) > self._bins.max() + 1:
            # Where each label went, labels in order: what the scores beside it are read by.
            places = np.empty_like(sources)
            np.put_along_axis(places, sources, np.arange(len(labels), dtype=np.int32)[None, :], axis=1)
            self._places = np.ascontiguousarray(places[:, np.argsort(labels, kind="stable")].T)

    def surplus(self, scores: Codes) -> Counts:
        """(B,): concordant minus discordant pairs."""
        by_score = np.argsort(scores, kind="stable")
        surplus = _walk(scores[by_score], self._permuted[by_score], int(self._bins.max()) + 1)
        if self._places is None:
            return surplus
        return surplus + _within_bins(np.sort(self._labels), self._bins, scores[self._places])


def _bins(labels: Codes) -> Codes:
    """The bin of each label: labels themselves where they are few, else runs of about equally many samples."""
    sizes = np.bincount(labels)
    if len(sizes) <= MOST_LABELS:
        return np.arange(len(sizes), dtype=np.int16)
    middle = np.cumsum(sizes) - sizes / 2
    return np.unique((middle * MOST_LABELS / len(labels)).astype(np.int16), return_inverse=True)[1].astype(np.int16)


def _walk(scores: Codes, labels: npt.NDArray[np.int8], kinds: int) -> Counts:
    """`scores` in order; `labels` (n, B) beside them."""
    replicates = labels.shape[1]
    surplus = np.zeros(replicates, dtype=np.int64)
    seen = np.zeros((kinds + 1, replicates), dtype=np.int32)  # seen[l]: labels below l
    counted = np.zeros_like(seen)
    for start, stop in _steps(scores):
        part, order = labels[start:stop], scores[start:stop]
        for label in range(kinds):
            counted[label + 1] = _count_at_most(part, label)
        if start:
            lead = seen[:-1] + seen[1:]
            lead -= start
            lead *= counted[1:] - counted[:-1]
            surplus += lead.sum(axis=0)
        seen += counted
        if order[0] != order[-1]:
            surplus += _pairs_within(part, order)
    return surplus


def _steps(scores: Codes) -> Iterator[tuple[int, int]]:
    """Runs of whole tie groups: about 16 samples, or one group where it is larger."""
    ends = np.append(np.flatnonzero(np.diff(scores)) + 1, len(scores))
    start = 0
    while start < len(scores):
        last = np.searchsorted(ends, start + STEP, "right") - 1
        stop = int(ends[last]) if last >= 0 and ends[last] > start else int(ends[last + 1])
        yield start, stop
        start = stop


def _count_at_most(part: npt.NDArray[np.int8], label: int) -> npt.NDArray[np.int32]:
    counted = np.zeros(part.shape[1], dtype=np.int32)
    for start in range(0, len(part), 127):  # as many as 8 bits can count
        below = (part[start : start + 127] <= label).view(np.int8)
        counted += np.add.reduce(below, axis=0, dtype=np.int8)
    return counted


def _pairs_within(values: npt.NDArray[np.int8] | Codes, order: Codes) -> npt.NDArray[np.int32]:
    """Surplus among a few rows, `order` ascending: rows of one order are no pair."""
    surplus = np.zeros(values.shape[1], dtype=np.int32)
    for distance in range(1, len(order)):
        high, low = values[distance:], values[:-distance]
        apart = order[distance:] != order[:-distance]
        if not apart.all():
            high, low = high[apart], low[apart]
        signs = (high > low).view(np.int8) - (high < low).view(np.int8)
        surplus += np.add.reduce(signs, axis=0, dtype=np.int8 if len(signs) < 128 else np.int16)
    return surplus


def _within_bins(labels: Codes, bins: Codes, scores: Codes) -> Counts:
    """`labels` in order; `scores` (n, B) beside them."""
    surplus = np.zeros(scores.shape[1], dtype=np.int64)
    bounds = np.append(np.searchsorted(bins[labels], np.arange(bins.max() + 1)), len(labels))
    for start, stop in pairwise(bounds):
        if labels[start] != labels[stop - 1]:
            surplus += _pairs_within(scores[start:stop], labels[start:stop])
    return surplus


def codes_of(values: npt.NDArray[np.float64]) -> Codes:
    """Dense codes; 16 bits hold 32,767 distinct values."""
    found: Ints = np.unique(values, return_inverse=True)[1]
    return found.astype(np.int16 if found.max(initial=0) < 2**15 else np.int32)
