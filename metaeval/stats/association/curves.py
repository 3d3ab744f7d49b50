"""Statistics of the ROC and precision-recall curves, with tied scores as one step.

A positive is a label of 1, a negative one of 0. Sums run from the highest score down.
"""

from collections.abc import Callable

import numpy as np

from metaeval.stats.association.draws import Draws
from metaeval.stats.association.pairs import Run, ratio
from metaeval.stats.association.rows import in_blocks, sorted_rows
from metaeval.stats.association.ties import TieGroups, tie_groups
from metaeval.stats.design import Floats

# Positives and negatives in each step and through each step, (steps, B) each -> (B,)
Curve = Callable[[Floats, Floats, Floats, Floats], Floats]


def _precision(positives: Floats, negatives: Floats) -> Floats:
    """1 before anything was drawn: where a replicate has no sample above, its curve starts at (0, 1)."""
    found = positives + negatives
    return np.divide(positives, found, out=np.ones_like(positives), where=found > 0)


def _average_precision(positives: Floats, negatives: Floats, true: Floats, false: Floats) -> Floats:
    area = np.einsum("sb,sb->b", positives, _precision(true, false))
    return _defined(ratio(area, true[-1]), true, false)


def _aupr_trapezoid(positives: Floats, negatives: Floats, true: Floats, false: Floats) -> Floats:
    heights = _precision(true, false) + _precision(true - positives, false - negatives)
    area = np.einsum("sb,sb->b", positives, heights) / 2.0
    return _defined(ratio(area, true[-1]), true, false)


def _ks(positives: Floats, negatives: Floats, true: Floats, false: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.abs(true / true[-1] - false / false[-1]).max(axis=0)
    return _defined(apart, true, false)


def _defined(values: Floats, true: Floats, false: Floats) -> Floats:
    return np.where((true[-1] > 0) & (false[-1] > 0), values, np.nan)


def _many(curve: Curve) -> Callable[[Floats, Floats], Run]:
    def many(scores: Floats, labels: Floats) -> Run:
        sides = [tie_groups(-row) for row in scores]

        def run(draws: Draws) -> Floats:
            return np.stack([_along(curve, side, labels, draws) for side in sides])

        return run

    return many


def _along(curve: Curve, side: TieGroups, labels: Floats, draws: Draws) -> Floats:
    weights = draws.ordered_doubles(side.order)
    positives = weights * labels[side.order][:, None]
    negatives = weights - positives
    if not side.untied:
        positives = np.add.reduceat(positives, side.starts, axis=0)
        negatives = np.add.reduceat(negatives, side.starts, axis=0)
    return curve(positives, negatives, np.cumsum(positives, axis=0), np.cumsum(negatives, axis=0))


def _rowwise(curve: Curve) -> Callable[[Floats, Floats, Floats], Floats]:
    def kernel(x: Floats, y: Floats, weights: Floats) -> Floats:
        rows = sorted_rows(-x)
        positives, negatives = rows.sort(weights * y), rows.sort(weights * (1.0 - y))
        # A run of ties is one step: all of it stands at its last point, the others are steps of nothing.
        true, false = rows.through(positives), rows.through(negatives)
        step_true = np.where(rows.ends, true - rows.before(positives), 0.0)
        step_false = np.where(rows.ends, false - rows.before(negatives), 0.0)
        return curve(step_true.T, step_false.T, true.T, false.T)

    return kernel


average_precision_many = _many(_average_precision)
aupr_trapezoid_many = _many(_aupr_trapezoid)
ks_many = _many(_ks)
average_precision_rows = in_blocks(_rowwise(_average_precision), squared=False)
aupr_trapezoid_rows = in_blocks(_rowwise(_aupr_trapezoid), squared=False)
ks_rows = in_blocks(_rowwise(_ks), squared=False)
