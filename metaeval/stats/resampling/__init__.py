"""Draws of prompts, samples and generators as matrices of weights, and the intervals made from them.

Knows nothing of any statistic: estimators take the weights and hand back one value a replicate.
"""

from metaeval.stats.resampling.draws import draw_weights, jackknife_weights
from metaeval.stats.resampling.intervals import (
    FEWEST_GENERATORS,
    Interval,
    bca_interval,
    jackknife_range,
    percentile_interval,
)

__all__ = [
    "FEWEST_GENERATORS",
    "Interval",
    "bca_interval",
    "draw_weights",
    "jackknife_range",
    "jackknife_weights",
    "percentile_interval",
]
