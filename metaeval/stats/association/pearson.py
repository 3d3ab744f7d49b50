"""Pearson's correlation over weighted replicates and over rows."""

import numpy as np

from metaeval.stats.association.draws import Draws
from metaeval.stats.association.pairs import Run, ratio
from metaeval.stats.association.rows import in_blocks, is_constant
from metaeval.stats.design import Bools, Floats

# Sums of squares lose what is common to all values. Where less than this part of them is variance, the replicate is
# computed again about its own mean.
CANCELLED = 1e-6


def pearson_many(scores: Floats, labels: Floats) -> Run:
    """Pearson (1895), from weighted sums: one matrix product for all scores and replicates."""
    x = np.stack([_scaled(row) for row in scores])
    y = _scaled(labels)
    products = np.concatenate([x, x * x, x * y, y[None], y[None] ** 2])

    def run(draws: Draws) -> Floats:
        sums = draws.sums(products)
        count = len(x)
        total = np.where(draws.total > 0, draws.total, np.nan)
        mean_x, mean_y = sums[:count] / total, sums[-2] / total
        variance_x = sums[count : 2 * count] / total - mean_x**2
        variance_y = sums[-1] / total - mean_y**2
        covariance = sums[2 * count : 3 * count] / total - mean_x * mean_y
        with np.errstate(invalid="ignore"):
            values = ratio(covariance, np.sqrt(np.maximum(variance_x, 0.0) * np.maximum(variance_y, 0.0)))
            lost_x = variance_x <= CANCELLED * sums[count : 2 * count] / total
            lost = lost_x | (variance_y <= CANCELLED * sums[-1] / total)
        _again(values, lost, x, y, draws)
        return np.clip(values, -1.0, 1.0)

    return run


def _scaled(values: Floats) -> Floats:
    """About 0 and within 1, so that neither squares nor means lose digits that they need not."""
    spread = np.ptp(values) if len(values) else 0.0
    return (values - values.mean()) / spread if spread > 0 else np.zeros_like(values)


def _again(values: Floats, lost: Bools, x: Floats, y: Floats, draws: Draws) -> None:
    """Fill in, about their own means, the replicates that lost their digits."""
    for row, where in enumerate(lost):
        replicates = np.flatnonzero(where)
        for part in np.array_split(replicates, max(1, len(replicates) * draws.size // 1_000_000)):
            weights = draws.doubles[:, part][draws.unit].T
            shape = weights.shape
            values[row, part] = _pearson(np.broadcast_to(x[row], shape), np.broadcast_to(y, shape), weights)


def _pearson(x: Floats, y: Floats, weights: Floats) -> Floats:
    constant = is_constant(x, weights) | is_constant(y, weights)
    total = weights.sum(axis=1, keepdims=True)
    total = np.where(total > 0, total, np.nan)
    x = x - (weights * x).sum(axis=1, keepdims=True) / total
    y = y - (weights * y).sum(axis=1, keepdims=True) / total
    # Largest deviation to 1: squares of very small or large numbers would vanish or overflow.
    x, y = _to_one(x, weights), _to_one(y, weights)
    covariance = np.einsum("bi,bi,bi->b", weights, x, y)
    square_x = np.einsum("bi,bi,bi->b", weights, x, x)
    square_y = np.einsum("bi,bi,bi->b", weights, y, y)
    values = ratio(covariance, np.sqrt(square_x * square_y))
    return np.clip(np.where(constant, np.nan, values), -1.0, 1.0)


def _to_one(deviations: Floats, weights: Floats) -> Floats:
    largest = np.where(weights > 0, np.abs(deviations), 0.0).max(axis=1, keepdims=True, initial=0.0)
    return deviations / np.where(largest > 0, largest, 1.0)


pearson_rows = in_blocks(_pearson, squared=False)
