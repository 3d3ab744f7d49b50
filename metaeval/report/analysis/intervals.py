"""Which interval a statistic gets.

`auto` is what docs/coverage.md found to hold: percentiles of bootstrap replicates, but Student's t on the leave-one-out
values for areas under curves, whose percentiles cover 80 to 85 times in 100 where negatives are rare, and for KS.
"""

from dataclasses import replace

import numpy as np

from metaeval.stats.design import Floats
from metaeval.stats.resampling import Interval, bca_interval, percentile_interval
from metaeval.stats.resampling.studentised import SCALE_OF, jackknife_t_interval

SKEWED = ("auc_roc", "average_precision", "aupr_trapezoid", "ks")
LEANS = "KS leans upward: its interval covers about 88 to 90 times in 100"


def method_of(chosen: str, statistic: str, level: str) -> str:
    """The method for a statistic: percentile, bca or jackknife_t."""
    if chosen == "auto":
        chosen = "jackknife_t" if statistic in SKEWED else "percentile"
    # Ranks of generators jump, and leaving out one prompt rarely moves them: no t there. Nor where no scale is known.
    if chosen == "jackknife_t" and (level == "generator" or statistic not in SCALE_OF):
        return "percentile"
    return chosen


def needs_left_out(chosen: str, statistic: str, level: str) -> bool:
    return method_of(chosen, statistic, level) != "percentile"


def interval_of(
    point: float,
    draws: Floats | None,
    left_out: Floats | None,
    *,
    method: str,
    confidence: float,
    statistic: str,
    level: str,
    rare_units: int | None = None,
    units: int | None = None,
) -> Interval:
    """The interval by the chosen method; percentiles where there are no leave-one-out values."""
    if not np.isfinite(point):
        return Interval(None, None, "")
    method = method_of(method, statistic, level)
    if method == "bca" and left_out is not None and draws is not None:
        return _spread(bca_interval(point, draws, left_out, confidence, units=units))
    if method == "jackknife_t" and left_out is not None:
        # The exact bound at the border holds for the AUC alone.
        rare = rare_units if statistic == "auc_roc" else None
        return over_units(point, left_out, statistic, confidence, rare_units=rare)
    return Interval(None, None, "") if draws is None else _spread(percentile_interval(draws, confidence, units=units))


def over_units(
    point: float, left_out: Floats, statistic: str, confidence: float, *, rare_units: int | None = None
) -> Interval:
    """Student's t from the values without each unit in turn."""
    scale = SCALE_OF[statistic]
    found = jackknife_t_interval(point, left_out, scale=scale, level=confidence, rare_units=rare_units)
    return replace(found, note="; ".join(filter(None, (found.note, LEANS)))) if statistic == "ks" else found


def _spread(interval: Interval) -> Interval:
    """A perfect value stays perfect in every draw: [1, 1] would promise what nobody knows."""
    if interval.low is None or interval.low != interval.high:
        return interval
    return replace(interval, low=None, high=None, method="", note="undefined: every replicate has the same value")
