"""Points that differ from row to row, and the order within rows: what the row-wise statistics share."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metaeval.stats.design import Bools, Floats, Ints

# Numbers a temporary of a block of rows may hold.
CELLS = 2_000_000
RowKernel = Callable[[Floats, Floats, Floats], Floats]
RowStatistic = Callable[[Floats, Floats, Floats | None], Floats]


def in_blocks(kernel: RowKernel, *, squared: bool) -> RowStatistic:
    """Let a kernel on (B, g) points see some rows at a time; `squared` where it builds all pairs of points."""

    def rowwise(x: Floats, y: Floats, weights: Floats | None = None) -> Floats:
        count, points = x.shape
        given = np.ones(x.shape) if weights is None else weights
        height = max(1, CELLS // max(1, points**2 // 2 if squared else points))
        if not points:
            return np.full(count, np.nan)
        parts = [
            kernel(x[start : start + height], y[start : start + height], given[start : start + height])
            for start in range(0, count, height)
        ]
        return np.concatenate(parts) if parts else np.empty(0)

    return rowwise


@dataclass(frozen=True)
class SortedRows:
    """Each row in ascending order of its values, with runs of equal values marked."""

    order: Ints
    begins: Bools
    ends: Bools

    def sort(self, values: Floats) -> Floats:
        return np.take_along_axis(values, self.order, axis=1)

    def unsort(self, values: Floats) -> Floats:
        result = np.empty_like(values)
        np.put_along_axis(result, self.order, values, axis=1)
        return result

    def before(self, weights: Floats) -> Floats:
        """Of ascending non-negative weights: the sum over all points before the run that a point is in."""
        cumulative = np.cumsum(weights, axis=1)
        return np.maximum.accumulate(np.where(self.begins, cumulative - weights, -np.inf), axis=1)

    def through(self, weights: Floats) -> Floats:
        """The sum over all points up to the end of the run that a point is in."""
        cumulative = np.cumsum(weights, axis=1)
        backwards = np.where(self.ends, cumulative, np.inf)[:, ::-1]
        return np.minimum.accumulate(backwards, axis=1)[:, ::-1]


def sorted_rows(values: Floats) -> SortedRows:
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    changes = ordered[:, 1:] != ordered[:, :-1]
    edge = np.ones((len(values), 1), dtype=bool)
    return SortedRows(order, np.hstack([edge, changes]), np.hstack([changes, edge]))


def is_constant(values: Floats, weights: Floats) -> Bools:
    """(B,): whether the points that a row holds (weight above 0) are all equal; true for none at all."""
    held = weights > 0
    lowest = np.where(held, values, np.inf).min(axis=1, initial=np.inf)
    highest = np.where(held, values, -np.inf).max(axis=1, initial=-np.inf)
    return np.asarray(lowest >= highest)


def midranks(values: Floats, weights: Floats) -> Floats:
    """Ranks from 1, ties sharing their mean rank, a point of weight w standing for w copies."""
    rows = sorted_rows(values)
    ordered = rows.sort(weights)
    return rows.unsort((rows.before(ordered) + rows.through(ordered) + 1.0) / 2.0)


def distinct_values(values: Floats, weights: Floats) -> Floats:
    """(B,): how many different values a row holds."""
    rows = sorted_rows(values)
    ordered = rows.sort(weights)
    held = rows.through(ordered) > rows.before(ordered)
    return np.asarray((rows.begins & held).sum(axis=1), dtype=np.float64)
