"""Swapping within groups (prompts): a mean of small statistics, by linear algebra where groups swap whole."""

import numpy as np
from scipy.stats import rankdata

from metaeval.stats.design import Floats, Ints
from metaeval.stats.significance.groups import groups_by_size
from metaeval.stats.significance.rowwise import rowwise
from metaeval.stats.significance.swaps import Swaps, merged_codes

__all__ = ["WithinPrompts", "WithinSwappedPrompts", "values_of_prompts"]

# Elements of one temporary (samples x permutations).
BLOCK = 4_000_000


def values_of_prompts(statistic: str, scores: Floats, labels: Floats, prompt: Ints) -> Floats:
    """(metrics, prompts of at least two samples): each prompt's own value, NaN where undefined."""
    found = [
        rowwise(statistic, scores[:, rows].transpose(1, 0, 2), labels[rows][:, None, :])
        for rows in groups_by_size(prompt)
    ]
    return np.concatenate(found, axis=1) if found else np.empty((len(scores), 0))


def _units_of_prompts(prompt: Ints, unit_of: Ints) -> Ints:
    """The unit of each prompt, in the order of `values_of_prompts`."""
    found = [unit_of[rows[0]] for rows in groups_by_size(prompt)]
    return np.concatenate(found) if found else np.empty(0, dtype=np.intp)


class WithinSwappedPrompts:
    """Whole prompts swap: a prompt's value in a mix is A's own or B's own, so that sums are linear in the swaps."""

    def __init__(self, scores: Floats, labels: Floats, prompt: Ints, swaps: Swaps, statistic: str) -> None:
        values = values_of_prompts(statistic, scores, labels, prompt)
        defined = ~np.isnan(values)
        unit = _units_of_prompts(prompt, swaps.unit_of)
        # (2, metrics, prompts): the values, and 1 where there is one.
        terms = np.stack([np.where(defined, values, 0.0), defined.astype(np.float64)])
        self._totals = terms.sum(axis=2)
        drawn = swaps.floats(slice(None))[:, unit]
        self._moved = (drawn @ terms.reshape(-1, len(unit)).T).reshape(len(drawn), *terms.shape[:2])
        self.defined = defined.sum(axis=1)
        self.total = len(np.unique(prompt))

    def value(self, metric: int) -> float:
        return float(_ratio(self._totals[:, metric]))

    def differences(self, a: int, b: int, rows: slice) -> Floats:
        """The difference of the two means in each of some permutations."""
        moved = self._moved[rows]
        change = moved[:, :, b] - moved[:, :, a]
        return _ratio((self._totals[:, a] + change).T) - _ratio((self._totals[:, b] - change).T)


class WithinPrompts:
    """Samples or generators swap: every prompt's statistic is computed again from its mixed scores."""

    def __init__(self, scores: Floats, labels: Floats, prompt: Ints, swaps: Swaps, statistic: str) -> None:
        self._scores, self._labels, self._swaps, self._statistic = scores, labels, swaps, statistic
        self._groups = groups_by_size(prompt)
        own = values_of_prompts(statistic, scores, labels, prompt)
        defined = ~np.isnan(own)
        self._own = _ratio(np.stack([np.where(defined, own, 0.0).sum(axis=1), defined.sum(axis=1)]))
        self.defined = defined.sum(axis=1)
        self.total = len(np.unique(prompt))

    def value(self, metric: int) -> float:
        return float(self._own[metric])

    def differences(self, a: int, b: int, rows: slice) -> Floats:
        """The difference of the two means in each of some permutations."""
        if self._statistic == "pearson":
            return self._by_blocks(self._scores[a], self._scores[b], self._labels, rows)
        # Order is all that counts: small integers compare faster than floats, and equal values stay equal.
        codes = merged_codes(self._scores[a], self._scores[b])
        kind = np.int16 if max(code.max() for code in codes) < 2**15 else np.int32
        labels = self._labels
        if self._statistic != "auc_roc":
            labels = rankdata(labels, method="dense").astype(kind)
        return self._by_blocks(codes[0].astype(kind), codes[1].astype(kind), labels, rows)

    def _by_blocks(self, first: Floats, second: Floats, labels: Floats, rows: slice) -> Floats:
        start, stop, _ = rows.indices(self._swaps.permutations)
        step = max(1, BLOCK // max(1, len(labels)))
        blocks = [slice(at, min(at + step, stop)) for at in range(start, stop, step)]
        return np.concatenate([self._block(first, second, labels, block) for block in blocks])

    def _block(self, first: Floats, second: Floats, labels: Floats, rows: slice) -> Floats:
        swapped = np.ascontiguousarray(self._swaps.drawn[rows].T)
        sums = np.zeros((2, 2, swapped.shape[1]))
        for members in self._groups:
            swap = swapped[self._swaps.unit_of[members]]
            kept, other = first[members][:, :, None], second[members][:, :, None]
            label = labels[members][:, :, None]
            for mix, (own, taken) in enumerate(((kept, other), (other, kept))):
                values = rowwise(self._statistic, np.where(swap, taken, own), label)
                defined = ~np.isnan(values)
                sums[mix, 0] += np.where(defined, values, 0.0).sum(axis=0)
                sums[mix, 1] += defined.sum(axis=0)
        return _ratio(sums[0]) - _ratio(sums[1])


def _ratio(sums: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        # Counts come out of sums of ones: below one half means none.
        mean: Floats = np.where(sums[1] > 0.5, sums[0] / sums[1], np.nan)
    return mean
