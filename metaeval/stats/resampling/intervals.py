"""Intervals from replicates: percentile and BCa; the leave-one-out range where a bootstrap promises too much."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from metaeval.stats.design import Floats

__all__ = ["FEWEST_GENERATORS", "Interval", "bca_interval", "jackknife_range", "percentile_interval"]

# With fewer generators a bootstrap over them covers 86-91 % instead of 95 %: callers print the jackknife range.
FEWEST_GENERATORS = 15
MOST_UNDEFINED = 0.05


@dataclass(frozen=True)
class Interval:
    """An interval, how it was made and how many replicates had no value; None with a reason where there is none."""

    low: float | None
    high: float | None
    method: str
    undefined: int = 0
    note: str = ""


def percentile_interval(replicates: Floats, level: float = 0.95, *, units: int | None = None) -> Interval:
    """The middle `level` of the replicates that have a value. `units`: how many there were to draw from."""
    defined, undefined, reason = _usable(replicates, level, units)
    if reason:
        return Interval(None, None, "", undefined, reason)
    return _between(defined, (1 - level) / 2, (1 + level) / 2, "bootstrap percentile", undefined, len(replicates))


def bca_interval(
    point: float, replicates: Floats, jackknife: Floats, level: float = 0.95, *, units: int | None = None
) -> Interval:
    """Bias-corrected and accelerated (Efron 1987, "Better Bootstrap Confidence Intervals").

    Half of the replicates that equal the point count as below it, for statistics that take few values. Where the
    correction is not finite (all replicates equal, the point beyond all of them, no spread in the jackknife) the
    percentile interval is given and named so.
    """
    defined, undefined, reason = _usable(replicates, level, units)
    if reason:
        return Interval(None, None, "", undefined, reason)
    ends = _bca_ends(point, defined, jackknife[np.isfinite(jackknife)], level)
    if ends is None:
        method = "bootstrap percentile (BCa undefined)"
        return _between(defined, (1 - level) / 2, (1 + level) / 2, method, undefined, len(replicates))
    return _between(defined, ends[0], ends[1], "bootstrap BCa", undefined, len(replicates))


def jackknife_range(values: Floats) -> Interval:
    """Smallest and largest value when one unit at a time is left out: a range, not a confidence interval."""
    defined = values[np.isfinite(values)]
    undefined = len(values) - len(defined)
    if len(values) < 2 or not len(defined):
        return Interval(None, None, "", undefined, "undefined: leaving one out leaves nothing")
    return Interval(float(defined.min()), float(defined.max()), "leave-one-out range", undefined)


def _usable(replicates: Floats, level: float, units: int | None) -> tuple[Floats, int, str]:
    if not 0 < level < 1:
        raise ValueError(f"level: expected a share between 0 and 1, found {level}")
    defined = replicates[np.isfinite(replicates)]
    undefined = len(replicates) - len(defined)
    if units is not None and units < 2:
        return defined, undefined, f"undefined: {units} unit to resample"
    if len(defined) < 2:
        return defined, undefined, f"undefined: {len(defined)} of {len(replicates)} replicates have a value"
    return defined, undefined, ""


def _between(defined: Floats, low: float, high: float, method: str, undefined: int, drawn: int) -> Interval:
    ends = np.quantile(defined, [low, high])
    note = f"{undefined} of {drawn} replicates undefined" if undefined > MOST_UNDEFINED * drawn else ""
    return Interval(float(ends[0]), float(ends[1]), method, undefined, note)


def _bca_ends(point: float, defined: Floats, jackknife: Floats, level: float) -> tuple[float, float] | None:
    below = (np.sum(defined < point) + 0.5 * np.sum(defined == point)) / len(defined)
    deviations = jackknife.mean() - jackknife if len(jackknife) else np.zeros(0)
    spread = np.sum(deviations**2)
    if not 0 < below < 1 or defined.min() == defined.max() or spread == 0 or not np.isfinite(point):
        return None
    bias = ndtri(below)
    acceleration = np.sum(deviations**3) / (6 * spread**1.5)
    tails = bias + ndtri(np.array([(1 - level) / 2, (1 + level) / 2]))
    stretch = 1 - acceleration * tails
    # Past its pole the transformation turns round, and the ends would change places.
    if np.any(stretch <= 0):
        return None
    low, high = ndtr(bias + tails / stretch)
    return float(low), float(high)
