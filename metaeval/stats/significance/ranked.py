"""Swapping at sample level for rank statistics: quadratic forms in the swaps.

Let s be a row of the swap matrix. With AA, AB and BB the concordance between units (see `concordance`) when both keep
metric A, one has A and one B, and so on, the mix that replaces A by B where s = 1 has the numerator

    (1-s)' AA (1-s) + 2 (1-s)' AB s + s' BB s,

and the mix that remains has the same with s and 1 - s exchanged. Both hold the term s' (AA + BB - AB - AB') s, so their
difference is linear in s. Where denominators do not move (AUC and Somers' D always, tau-b and rho without ties in the
scores) nothing more is needed; else tie groups are counted (see `ties`), which is linear in s again.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

from metaeval.stats.design import Floats
from metaeval.stats.significance.concordance import Concordance, RankWeights, SignWeights
from metaeval.stats.significance.swaps import Swaps, merged_codes
from metaeval.stats.significance.ties import Ties

__all__ = ["PooledRanks"]

Codes = npt.NDArray[Any]
FIXED_DENOMINATOR = ("auc_roc", "somers_d")
# Elements of a temporary (permutations x units).
BLOCK = 4_000_000
# Elements of all matrices that are kept for the next pair.
KEPT = 8_000_000


class PooledRanks:
    """spearman, kendall_b, somers_d or auc_roc over all samples, for any pair of metrics, under one set of swaps."""

    def __init__(self, scores: Floats, labels: Floats, swaps: Swaps, statistic: str) -> None:
        self.scores, self.swaps, self.statistic = scores, swaps, statistic
        by_rank = statistic == "spearman"
        kind = RankWeights if by_rank else SignWeights
        self.weights: Concordance = kind(labels, swaps.unit_of, swaps.units)
        self.ties = Ties(swaps, power=3 if by_rank else 2)
        n = len(labels)
        # Ordered pairs, or for ranks 12 times the sum of squares: what there is, less what ties take.
        self._most = float(n**3 - n if by_rank else n**2 - n)
        self._label_room = self._most - self.ties.of_one(labels)
        self._own: dict[int, Floats] = {}
        self._prepared: tuple[tuple[int, int], _Pair] | None = None

    def value(self, metric: int) -> float:
        codes = _dense(self.scores[metric])
        surplus = self.weights.margins(codes, codes).sum()
        return float(self.statistic_of(np.array([surplus]), np.array([self.ties.of_one(codes)]))[0])

    def differences(self, a: int, b: int, rows: slice) -> Floats:
        """The difference of the two statistics in each of some permutations."""
        if self._prepared is None or self._prepared[0] != (a, b):
            self._prepared = ((a, b), _Pair(self, a, b))
        step = max(1, BLOCK // self.swaps.units)
        start, stop, _ = rows.indices(self.swaps.permutations)
        blocks = [slice(at, min(at + step, stop)) for at in range(start, stop, step)]
        return np.concatenate([self._prepared[1].differences(block) for block in blocks])

    def concordance(self, metric: int) -> Floats:
        """The metric's own (units, units); kept while memory allows, because every pair with this metric wants it."""
        found = self._own.pop(metric, None)
        if found is None:
            codes = _dense(self.scores[metric])
            found = self.weights.between(codes, codes)
        while self._own and (len(self._own) + 1) * found.size > KEPT:
            del self._own[next(iter(self._own))]
        self._own[metric] = found  # last in, last out
        return found

    def statistic_of(self, surplus: Floats, ties: Floats) -> Floats:
        with np.errstate(invalid="ignore", divide="ignore"):
            if self.statistic in FIXED_DENOMINATOR:
                ratio = surplus / self._label_room
                return ratio if self.statistic == "somers_d" else (1 + ratio) / 2
            room = self._most - ties
            # Spearman: the surplus is 4 times the sum of products, the room 12 times the sum of squares.
            scale = 3.0 if self.statistic == "spearman" else 1.0
            value: Floats = np.where(room > 0, scale * surplus / np.sqrt(room * self._label_room), np.nan)
        return value


class _Pair:
    """The coefficients of one pair of metrics."""

    def __init__(self, pooled: PooledRanks, a: int, b: int) -> None:
        self._pooled = pooled
        codes_a, codes_b = merged_codes(pooled.scores[a], pooled.scores[b])
        margins = pooled.weights.margins
        own_a, own_b = margins(codes_a, codes_a), margins(codes_b, codes_b)
        self._total_a, self._total_b = own_a.sum(), own_b.sum()
        # The linear part of the mix that starts from A, and of the one that starts from B.
        self._slope_a = 2 * (margins(codes_b, codes_a) - own_a)
        self._slope_b = 2 * (margins(codes_a, codes_b) - own_b)
        fixed = pooled.statistic in FIXED_DENOMINATOR
        self._ties = None if fixed else pooled.ties.of_pair(codes_a, codes_b, a, b)
        if self._ties is not None:
            cross = pooled.weights.between(codes_a, codes_b)
            self._form = _smallest_exact(pooled.concordance(a) + pooled.concordance(b) - cross - cross.T)

    def differences(self, rows: slice) -> Floats:
        pooled = self._pooled
        swaps = pooled.swaps.floats(rows)
        if self._ties is None:
            lead = self._total_a - self._total_b + swaps @ (self._slope_a - self._slope_b)
            # With fixed denominators both are one straight line of the surplus: so is their difference.
            return pooled.statistic_of(lead, np.zeros(1)) - pooled.statistic_of(np.zeros(1), np.zeros(1))
        ties_a, ties_b = self._ties(rows)
        narrow = pooled.swaps.floats(rows, self._form.dtype)
        products = narrow @ self._form
        np.multiply(products, narrow, out=products)
        square = products.sum(axis=1, dtype=np.float64)
        first = self._total_a + swaps @ self._slope_a + square
        second = self._total_b + swaps @ self._slope_b + square
        return pooled.statistic_of(first, ties_a) - pooled.statistic_of(second, ties_b)


def _dense(values: Floats) -> Codes:
    codes: Codes = rankdata(values, method="dense").astype(np.int32)
    return codes


def _smallest_exact(form: Floats) -> npt.NDArray[Any]:
    """float32 where every partial sum is an integer below 2^24, and so exact: half the time."""
    whole = np.all(form == np.rint(form)) and np.abs(form).sum(axis=1).max(initial=0) < 2**24
    return form.astype(np.float32) if whole else form
