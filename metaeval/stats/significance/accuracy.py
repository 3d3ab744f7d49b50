"""Swapping at sample level for pairwise accuracy with ties.

With N pairs of samples, S the concordant less the discordant ones, and T the pairs tied in score (x), in label (y) or
in both (xy), a pair that is ordered alike, or tied in both, is right:

    acc_eq = (S + N - T_x - T_y + 3 T_xy) / 2 N

Of two mixes the difference in S is linear in the swaps (see `ranked`), T_y is the same, and T_x and T_xy are counted
(see `ties`): no matrix of pairs of units is needed.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from metaeval.stats.design import Floats
from metaeval.stats.significance.concordance import SignWeights
from metaeval.stats.significance.swaps import Swaps, merged_codes
from metaeval.stats.significance.ties import Ties

__all__ = ["PooledAccuracy"]

Codes = npt.NDArray[Any]


class PooledAccuracy:
    """acc_eq over all samples, for any pair of metrics, under one set of swaps."""

    def __init__(self, scores: Floats, labels: Floats, swaps: Swaps) -> None:
        self._scores, self._swaps = scores, swaps
        self._weights = SignWeights(labels, swaps.unit_of, swaps.units)
        self._labels = _dense(labels)
        # Ordered pairs, twice N; ties are counted so too.
        self._room = float(len(labels) ** 2 - len(labels))
        self._of_scores, self._of_both = Ties(swaps, power=2), Ties(swaps, power=2)
        self._tied_labels = self._of_scores.of_one(self._labels)

    def value(self, metric: int) -> float:
        codes = _dense(self._scores[metric])
        surplus = float(self._weights.margins(codes, codes).sum())
        tied, both = self._of_scores.of_one(codes), self._of_both.of_one(self._joint(codes))
        return (surplus + self._room - tied - self._tied_labels + 3 * both) / (2 * self._room)

    def differences(self, a: int, b: int, rows: slice) -> Floats:
        """The difference of the two accuracies in each of some permutations."""
        codes_a, codes_b = merged_codes(self._scores[a], self._scores[b])
        margins = self._weights.margins
        own_a, own_b = margins(codes_a, codes_a), margins(codes_b, codes_b)
        slope = 2 * (margins(codes_b, codes_a) - own_a) - 2 * (margins(codes_a, codes_b) - own_b)
        lead: Floats = own_a.sum() - own_b.sum() + self._swaps.floats(rows) @ slope
        if (of_scores := self._of_scores.of_pair(codes_a, codes_b, a, b)) is not None:
            first, second = of_scores(rows)
            lead = lead - (first - second)
        joint_a, joint_b = self._joint(codes_a), self._joint(codes_b)
        if (of_both := self._of_both.of_pair(joint_a, joint_b, a, b)) is not None:
            first, second = of_both(rows)
            lead = lead + 3 * (first - second)
        return lead / (2 * self._room)

    def _joint(self, codes: Codes) -> Codes:
        """One code for each pair of score and label."""
        joint: Codes = codes.astype(np.int64) * (int(self._labels.max()) + 1) + self._labels
        return joint


def _dense(values: Floats) -> Codes:
    codes: Codes = rankdata(values, method="dense").astype(np.int64)
    return codes
