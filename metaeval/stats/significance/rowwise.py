"""One statistic for many small sets of points at once: the first axis holds the points, the others the sets.

Made for the generators of a study, or the samples of one prompt, in every permutation: k points are few, sets are many.
NaN is undefined (constant scores, constant labels).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval.stats.design import Floats

__all__ = ["PAIRED_STATISTICS", "rowwise"]

PAIRED_STATISTICS = ("pearson", "spearman", "kendall_b", "somers_d", "acc_eq", "auc_roc")

Values = npt.NDArray[Any]


def rowwise(statistic: str, scores: Values, labels: Values) -> Floats:
    """`scores` (k, ...) against `labels` (k, ...), of shapes that broadcast; (...) comes back.

    Order statistics use order only, so that ranks or any integer codes do as well as the values. `auc_roc` is undefined
    where labels are not 0 and 1, both present. `somers_d` divides by the pairs that differ in label, so that for binary
    labels it is 2 AUC - 1. `acc_eq` is the share of pairs that are ordered alike, or tied in both.
    """
    if statistic not in PAIRED_STATISTICS:
        raise ValueError(f"statistic: expected one of {', '.join(PAIRED_STATISTICS)}, found {statistic!r}")
    with np.errstate(invalid="ignore", divide="ignore"):
        if statistic == "pearson":
            return _pearson(scores, labels)
        if statistic == "spearman":
            return _pearson(_centred_ranks(scores), _centred_ranks(labels))
        if statistic == "acc_eq":
            return _accuracy(scores, labels)
        return _concordance(statistic, scores, labels)


def _pearson(x: Values, y: Values) -> Floats:
    # The points are summed one after another, in one order: two sets of the same numbers give the same value.
    x, y = x.astype(np.float64, copy=False), y.astype(np.float64, copy=False)
    centred_x, centred_y = x - x.mean(axis=0), y - y.mean(axis=0)
    product = _dot(centred_x, centred_y)
    value: Floats = product / np.sqrt(_dot(centred_x, centred_x) * _dot(centred_y, centred_y))
    # A mean may be off by its last bit: constancy is read from the values, not from a variance of nearly 0.
    constant = np.all(x == x[:1], axis=0) | np.all(y == y[:1], axis=0)
    return np.where(constant, np.nan, value)


def _dot(x: Values, y: Values) -> Values:
    total: Values = x[0] * y[0]
    for left, right in zip(x[1:], y[1:], strict=True):
        total = total + left * right
    return total


def _sign(left: Values, right: Values) -> npt.NDArray[np.int8]:
    return (left > right).view(np.int8) - (left < right).view(np.int8)


def _pairs(points: int) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(points) for j in range(i))


def _centred_ranks(values: Values) -> Floats:
    """Twice the midranks less their mean: how many are below minus how many are above."""
    ranks = np.zeros(values.shape, dtype=np.int32)
    for i, j in _pairs(len(values)):
        sign = _sign(values[i], values[j])
        ranks[i] += sign
        ranks[j] -= sign
    return ranks.astype(np.float64)


def _accuracy(x: Values, y: Values) -> Floats:
    right = np.zeros(np.broadcast_shapes(x.shape[1:], y.shape[1:]), dtype=np.int32)
    for i, j in _pairs(len(x)):
        right += _sign(x[i], x[j]) == _sign(y[i], y[j])
    return right / (len(x) * (len(x) - 1) / 2)


def _concordance(statistic: str, x: Values, y: Values) -> Floats:
    shape = np.broadcast_shapes(x.shape[1:], y.shape[1:])
    surplus = np.zeros(shape, dtype=np.int32)
    differ_in_x = np.zeros(x.shape[1:], dtype=np.int32)
    differ_in_y = np.zeros(y.shape[1:], dtype=np.int32)
    for i, j in _pairs(len(x)):
        sign_x, sign_y = _sign(x[i], x[j]), _sign(y[i], y[j])
        surplus += sign_x * sign_y
        differ_in_y += sign_y != 0
        if statistic == "kendall_b":
            differ_in_x += sign_x != 0
    if statistic == "kendall_b":
        return surplus / np.sqrt(differ_in_x * differ_in_y.astype(np.float64))
    ratio: Floats = np.where(differ_in_y > 0, surplus / differ_in_y, np.nan)
    if statistic == "somers_d":
        return ratio
    binary = np.all((y == 0) | (y == 1), axis=0)
    return np.where(binary, (1 + ratio) / 2, np.nan)
