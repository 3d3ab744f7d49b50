"""Tie calibration: the tolerance within which two scores count as tied, chosen to agree best with people's ties.

Deutsch, Foster and Freitag (2023), "Ties Matter". A pair is tied where its scores differ by no more than
epsilon; epsilon is searched among 0 and all observed differences within groups, for the highest acc_eq averaged over
groups. Chosen and judged on the same data it is optimistic; `calibrate_ties_crossvalidated` judges on other prompts.
"""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.association.folds import folds_by_prompt
from metaeval.stats.association.multiplicity import dense_codes
from metaeval.stats.design import Bools, Design, Floats, Ints

# Pairs held in memory; more are sampled.
MOST_PAIRS = 4_000_000
# Sums of shares of different groups: the same accuracy must not win by rounding over a smaller tolerance.
ROUNDING = 1e-12


@dataclass(frozen=True)
class TieCalibration:
    epsilon: float  # of all data; NaN where there is no pair
    value: float  # acc_eq at that tolerance, on the data it was chosen on
    at_zero: float  # acc_eq without a tolerance
    crossvalidated: float | None = None  # epsilon chosen on other prompts
    pairs: int = 0
    sampled: bool = False  # whether only some of the pairs were looked at


@dataclass(frozen=True)
class _Pairs:
    """Pairs within groups. `before` and `after` say whether a pair is right as it is, and once tied."""

    difference: Floats
    before: Bools
    after: Bools
    group: Ints

    def take(self, rows: Bools) -> "_Pairs":
        return _Pairs(self.difference[rows], self.before[rows], self.after[rows], self.group[rows])

    def shares(self) -> Floats:
        """What each pair adds to the average over groups."""
        sizes = np.bincount(self.group)
        return 1.0 / (sizes[self.group] * np.count_nonzero(sizes))

    def accuracy(self, epsilon: float | Floats) -> float:
        right = np.where(self.difference <= epsilon, self.after, self.before)
        return float((right * self.shares()).sum()) if len(right) else float("nan")


def calibrate_ties(
    scores: Floats, labels: Floats, design: Design, *, within_prompts: bool = True, seed: int = 0
) -> TieCalibration:
    """Epsilon and acc_eq averaged over prompts, or over all pairs of samples."""
    groups = dense_codes(design.prompt) if within_prompts else np.zeros(design.size, dtype=np.intp)
    pairs, sampled = _pairs_within(scores, labels, groups, seed)
    epsilon = _best_epsilon(pairs)
    return TieCalibration(
        epsilon=epsilon,
        value=pairs.accuracy(epsilon),
        at_zero=pairs.accuracy(0.0),
        pairs=len(pairs.group),
        sampled=sampled,
    )


def calibrate_ties_crossvalidated(
    scores: Floats, labels: Floats, design: Design, *, folds: int = 5, seed: int = 0
) -> TieCalibration:
    """The same within prompts, and with epsilon for each fold of prompts chosen on the others."""
    whole = calibrate_ties(scores, labels, design, seed=seed)
    groups = dense_codes(design.prompt)
    pairs, _ = _pairs_within(scores, labels, groups, seed)
    fold = folds_by_prompt(groups, folds=folds, seed=seed)
    fold_of_group = np.zeros(len(groups), dtype=np.intp)
    fold_of_group[groups] = fold
    held_out = fold_of_group[pairs.group]
    present = np.unique(held_out)
    if len(present) < 2:
        return whole
    epsilon = np.zeros(len(held_out))
    for part in present:
        epsilon[held_out == part] = _best_epsilon(pairs.take(held_out != part))
    return TieCalibration(
        whole.epsilon, whole.value, whole.at_zero, pairs.accuracy(epsilon), whole.pairs, whole.sampled
    )


def _pairs_within(scores: Floats, labels: Floats, groups: Ints, seed: int) -> tuple[_Pairs, bool]:
    first, second, sampled = _indices(groups, seed)
    sign_x = np.sign(scores[first] - scores[second])
    sign_y = np.sign(labels[first] - labels[second])
    difference = np.abs(scores[first] - scores[second])
    return _Pairs(difference, sign_x == sign_y, sign_y == 0, groups[first]), sampled


def _indices(groups: Ints, seed: int) -> tuple[Ints, Ints, bool]:
    """All pairs within groups, or a seeded sample of them where they would not fit."""
    order = np.argsort(groups, kind="stable")
    sizes = np.bincount(groups)
    rng = np.random.default_rng(seed)
    rate = min(1.0, MOST_PAIRS / max(1.0, float((sizes * (sizes - 1.0) / 2.0).sum())))
    first, second = [], []
    for start, size in zip(np.cumsum(sizes) - sizes, sizes, strict=True):
        if rate < 1.0 and size > 1:
            one, other = _sampled(int(size), rate, rng)
        else:
            one, other = np.triu_indices(size, 1)
        first.append(order[start + one])
        second.append(order[start + other])
    empty = np.zeros(0, dtype=np.intp)
    return np.concatenate([empty, *first]), np.concatenate([empty, *second]), rate < 1.0


def _sampled(size: int, rate: float, rng: np.random.Generator) -> tuple[Ints, Ints]:
    """Random pairs of different members, drawn with replacement: an estimate, flagged as `sampled`."""
    count = max(1, int(rate * size * (size - 1) / 2))
    one = rng.integers(0, size, count)
    other = (one + rng.integers(1, size, count)) % size
    return one, other


def _best_epsilon(pairs: _Pairs) -> float:
    """The smallest tolerance with the highest accuracy: walk up the differences, tying one more value at a time."""
    if not len(pairs.group):
        return float("nan")
    order = np.argsort(pairs.difference, kind="stable")
    difference = pairs.difference[order]
    gains = (pairs.after.astype(np.float64) - pairs.before)[order] * pairs.shares()[order]
    # All pairs of one difference are tied together.
    is_last = np.append(difference[1:] != difference[:-1], True)
    gained = np.append(0.0, np.cumsum(gains)[is_last])
    candidates = np.append(0.0, difference[is_last])
    return float(candidates[int(np.argmax(gained >= gained.max() - ROUNDING))])
