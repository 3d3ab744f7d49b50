"""Statistics of all metrics under permuted labels.

Permutations stay within groups (all samples, a prompt, a generator), so that denominators never move, and a mean over
groups is one weighted sum.
"""

from collections.abc import Callable

import numpy as np
from scipy.stats import rankdata

from metaeval.stats.design import Floats, Ints
from metaeval.stats.significance.groups import groups_by_size
from metaeval.stats.significance.relabelling import Sources
from metaeval.stats.significance.walk import PermutedLabels, codes_of

__all__ = ["LINEAR", "PAIRWISE", "Null", "null_of"]

LINEAR = ("pearson", "spearman", "auc_roc", "mann_whitney_u")
PAIRWISE = ("kendall_b", "kendall_c", "somers_d")

# (metrics, B) less the value of chance, from the sources of B permutations. NaN rows: undefined.
Null = Callable[[Sources], Floats]


def null_of(statistic: str, scores: Floats, labels: Floats, group: Ints, *, small_groups: bool) -> Null:
    """The statistic, averaged over groups where it is defined. `small_groups`: prompts, with a few samples each."""
    if statistic == "ks":
        return _kolmogorov_smirnov(scores, labels)
    if statistic in LINEAR:
        return _linear(statistic, scores, labels, group)
    if statistic not in PAIRWISE:
        raise ValueError(f"statistic: expected one of {', '.join((*LINEAR, *PAIRWISE, 'ks'))}, found {statistic!r}")
    make = _small_pairwise if small_groups else _walked_pairwise
    return make(statistic, scores, labels, group)


def _linear(statistic: str, scores: Floats, labels: Floats, group: Ints) -> Null:
    """Pearson, Spearman and the area under the ROC curve are sums of a weight times a permuted value."""
    weights, values = np.zeros(scores.shape), np.zeros(len(labels))
    defined = np.zeros((len(scores), 1))
    for members in groups_by_size(group):
        for rows in members.T:
            x, y = scores[:, rows], labels[rows]
            if np.all(y == y[0]):
                continue
            if statistic != "pearson":
                x = rankdata(x, axis=1)
            y = rankdata(y) if statistic == "spearman" else y
            x, y = x - x.mean(axis=1, keepdims=True), y - y.mean()
            constant = np.all(scores[:, rows] == scores[:, rows[:1]], axis=1, keepdims=True)
            if statistic in ("pearson", "spearman"):
                scale = np.sqrt(np.sum(x**2, axis=1, keepdims=True) * np.sum(y**2))
                usable = ~constant
            else:
                scale = np.full((len(x), 1), np.sum(labels[rows] == 1) * np.sum(labels[rows] == 0), dtype=np.float64)
                usable = np.ones_like(constant)
            weights[:, rows] = np.where(usable, x, 0.0) / np.where(usable, scale, 1.0)
            values[rows] = y
            defined += usable
    weights = _mean_weights(weights, defined)
    return lambda sources: weights @ values[sources].T


def _mean_weights(weights: Floats, defined: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        # 0 / 0 where a metric has no group: NaN all along the row.
        return np.where(defined > 0, weights / defined, np.nan)


def _rooms(statistic: str, x: Floats, y: Floats) -> float:
    """The denominator of a group's surplus of concordant pairs; 0 where undefined."""
    n = len(y)
    pairs = n * (n - 1) / 2
    _, of_x = np.unique(x, return_counts=True)
    _, of_y = np.unique(y, return_counts=True)
    differ_x, differ_y = (pairs - np.sum(each * (each - 1) / 2) for each in (of_x, of_y))
    if statistic == "somers_d":
        return float(differ_y)
    if statistic == "kendall_b":
        return float(np.sqrt(differ_x * differ_y))
    smaller = min(len(of_x), len(of_y))
    return n**2 * (smaller - 1) / (2 * smaller)


def _small_pairwise(statistic: str, scores: Floats, labels: Floats, group: Ints) -> Null:
    """For every two places in a prompt, signs of labels (B, prompts) times signs of scores (prompts, metrics)."""
    codes = codes_of(labels)
    sizes = groups_by_size(group)
    rooms = [
        np.array([[_rooms(statistic, row[rows], labels[rows]) for rows in members.T] for row in scores])
        for members in sizes
    ]
    count = sum((room > 0).sum(axis=1, keepdims=True) for room in rooms)

    def null(sources: Sources) -> Floats:
        total = np.zeros((len(scores), len(sources)))
        for members, room in zip(sizes, rooms, strict=True):
            permuted = codes[sources[:, members]].transpose(1, 0, 2)
            factor = np.where(room > 0, 1 / np.where(room > 0, room, 1), 0.0)
            for i in range(len(members)):
                for j in range(i):
                    of_labels = (permuted[i] > permuted[j]).astype(np.float64) - (permuted[i] < permuted[j])
                    of_scores = np.sign(scores[:, members[i]] - scores[:, members[j]]) * factor
                    total += of_scores @ of_labels.T
        return _mean_weights(total, count)

    return null


def _walked_pairwise(statistic: str, scores: Floats, labels: Floats, group: Ints) -> Null:
    """Large groups: one walk a metric and group. No threads: so many short calls would fight for the interpreter."""
    members = [rows for sizes in groups_by_size(group) for rows in sizes.T]
    rooms = np.array([[_rooms(statistic, row[rows], labels[rows]) for rows in members] for row in scores])
    count = np.sum(rooms > 0, axis=1, keepdims=True)

    def null(sources: Sources) -> Floats:
        total = np.zeros((len(scores), len(sources)))
        for rows, room in zip(members, rooms.T, strict=True):
            permuted = PermutedLabels(codes_of(labels[rows]), _places_in(rows, sources, len(labels)))
            for metric in np.flatnonzero(room > 0):
                total[metric] += permuted.surplus(codes_of(scores[metric, rows])) / room[metric]
        return _mean_weights(total, count)

    return null


def _places_in(rows: Ints, sources: Sources, n: int) -> Sources:
    """Sources of some samples, counted among them."""
    place = np.zeros(n, dtype=np.int32)
    place[rows] = np.arange(len(rows))
    return place[sources[:, rows]]


def _kolmogorov_smirnov(scores: Floats, labels: Floats) -> Null:
    """The largest distance between the distributions of positives and negatives, over all samples."""
    positives = int(np.sum(labels == 1))
    negatives = len(labels) - positives
    # In whole numbers, so that equal distances are equal: a positive steps up by 1 / positives, a negative down.
    steps = np.where(labels == 1, negatives, -positives).astype(np.int32)
    orders = [np.argsort(row, kind="stable") for row in scores]

    def null(sources: Sources) -> Floats:
        moved = np.ascontiguousarray(steps[sources].T)
        found = np.empty((len(scores), len(sources)))
        for metric, order in enumerate(orders):
            distance = np.cumsum(moved[order], axis=0, dtype=np.int64 if len(labels) > 60_000 else np.int32)
            # Within a tie there is no step yet.
            last = np.append(np.diff(scores[metric, order]) > 0, True)
            distance = distance if last.all() else distance[last]
            found[metric] = np.maximum(distance.max(axis=0), -distance.min(axis=0)) / (positives * negatives)
        return found

    return null
