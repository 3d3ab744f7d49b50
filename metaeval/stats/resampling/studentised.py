"""Student's t on the scale where a statistic behaves, with the spread of its leave-one-out values.

Why not percentiles: with 40 prompts and 8 negatives in 200 samples they cover an AUC 85 times in 100, for the bootstrap
distribution is skewed and too narrow, and BCa repairs a quarter of that. This one stays near 95 (docs/coverage.md):

1. leave out one unit (whole prompt) at a time, and take every value to a scale without borders: Fisher's z for
   statistics between -1 and 1, the logit for those between 0 and 1 (Qin & Hotilovac 2008 on the AUC);
2. the jackknife standard error on that scale (Tukey 1958; Miller 1974, "The jackknife: a review");
3. Student's t with as many degrees of freedom as the spread really has. Where a few prompts hold all negatives, the
   other leave-one-out values hardly differ and say nothing: Satterthwaite's (1946) approximation with the kurtosis
   that the values show. Even spread gives units - 1, one prompt that decides all gives about 2.

It needs no random numbers. It is for smooth statistics: not for medians, best thresholds, or ranks of a few generators,
whose leave-one-out values jump or do not move at all.
"""

from typing import Final, Literal

import numpy as np
from scipy import stats

from metaeval.stats.design import Floats
from metaeval.stats.resampling.intervals import Interval

__all__ = ["METHOD", "SCALE_OF", "Scale", "degrees_of_freedom", "jackknife_t_interval"]

Scale = Literal["fisher", "logit", "identity"]
METHOD: Final = "jackknife t"
FEWEST_UNITS: Final = 3

SCALE_OF: Final[dict[str, Scale]] = {
    "pearson": "fisher",
    "spearman": "fisher",
    "kendall_b": "fisher",
    "kendall_c": "fisher",
    "somers_d": "fisher",
    "alpha_nominal": "fisher",
    "alpha_ordinal": "fisher",
    "alpha_interval": "fisher",
    "alpha_ratio": "fisher",
    "auc_roc": "logit",
    "average_precision": "logit",
    "aupr_trapezoid": "logit",
    "acc_eq": "logit",
    "ks": "logit",  # by lack of better: see docs/coverage.md
}


def jackknife_t_interval(
    point: float, jackknife: Floats, *, scale: Scale, level: float = 0.95, rare_units: int | None = None
) -> Interval:
    """The interval around `point` from its leave-one-out values; none, with the reason, where there can be none.

    rare_units: how many units hold the rarer class, for the logit scale. A perfect AUC has no spread at all; then the
    bound is exact: if all g prompts with negatives are separated wholly, an AUC below (tail)^(1/g) was unlikely, since
    the chance of a prompt being separated wholly is at most the AUC.
    """
    if not 0 < level < 1:
        raise ValueError(f"level: expected a share between 0 and 1, found {level}")
    undefined = int(np.sum(~np.isfinite(jackknife)))
    if not np.isfinite(point):
        return _none("undefined: no value", undefined)
    if len(jackknife) < FEWEST_UNITS:
        return _none(f"undefined: {len(jackknife)} units to leave out, at least {FEWEST_UNITS} are needed", undefined)
    if undefined:
        return _none(f"undefined: leaving out one unit leaves no value ({undefined} of {len(jackknife)})", undefined)
    if point in _borders(scale):
        return _at_the_border(point, scale=scale, level=level, rare_units=rare_units)
    if not _is_within(point, scale):
        # Alpha has no lower bound: far below chance there is no Fisher's z.
        scale = "identity"
    values = _on_scale(jackknife, point=point, scale=scale)
    units = len(values)
    error = np.sqrt((units - 1) / units * np.sum((values - values.mean()) ** 2))
    if error == 0:
        return _none("undefined: the value is the same whichever unit is left out", undefined)
    reach = stats.t.ppf((1 + level) / 2, degrees_of_freedom(values)) * error
    centre = float(_forward(np.array([point]), scale)[0])
    low, high = _back(np.array([centre - reach, centre + reach]), scale)
    return Interval(float(low), float(high), METHOD)


def degrees_of_freedom(values: Floats) -> float:
    """Of the jackknife variance of these leave-one-out values, by Satterthwaite: 2 V^2 / var(V); 1 to units - 1.

    The relative variance of a sample variance is (kurtosis - (n - 3) / (n - 1)) / n.
    """
    units = len(values)
    squares = (values - values.mean()) ** 2
    if units < FEWEST_UNITS or squares.max() == 0:
        return float(max(units - 1, 1))
    kurtosis = np.mean(squares**2) / np.mean(squares) ** 2
    relative = (kurtosis - (units - 3) / (units - 1)) / units
    return float(np.clip(2 / max(relative, 1e-12), 1, units - 1))


def _none(reason: str, undefined: int) -> Interval:
    return Interval(None, None, "", undefined, reason)


def _borders(scale: Scale) -> tuple[float, ...]:
    return {"fisher": (-1.0, 1.0), "logit": (0.0, 1.0), "identity": ()}[scale]


def _is_within(point: float, scale: Scale) -> bool:
    return scale == "identity" or _borders(scale)[0] < point < _borders(scale)[1]


def _at_the_border(point: float, *, scale: Scale, level: float, rare_units: int | None) -> Interval:
    if scale != "logit" or not rare_units:
        return _none(f"undefined: a value of exactly {point:g} shows no spread", 0)
    bound = ((1 - level) / 2) ** (1 / rare_units)
    low, high = (bound, 1.0) if point == 1.0 else (0.0, 1 - bound)
    return Interval(low, high, "exact bound", 0, f"every pair is ordered alike; bound from {rare_units} units")


def _on_scale(jackknife: Floats, *, point: float, scale: Scale) -> Floats:
    """Leave-one-out values on the scale; one that lies on a border goes along the tangent at the point."""
    if scale == "identity":
        return jackknife
    lowest, highest = _borders(scale)
    inside = (jackknife > lowest) & (jackknife < highest)
    slope = (highest - lowest) / ((point - lowest) * (highest - point)) / (2 if scale == "fisher" else 1)
    centre = _forward(np.array([point]), scale)[0]
    safe = np.where(inside, jackknife, point)
    return np.where(inside, _forward(safe, scale), centre + slope * (jackknife - point))


def _forward(values: Floats, scale: Scale) -> Floats:
    if scale == "fisher":
        return np.asarray(np.arctanh(values), dtype=np.float64)
    if scale == "logit":
        return np.asarray(np.log(values) - np.log1p(-values), dtype=np.float64)
    return values


def _back(values: Floats, scale: Scale) -> Floats:
    if scale == "fisher":
        return np.asarray(np.tanh(values), dtype=np.float64)
    if scale == "logit":
        # tanh does not overflow where 1 / (1 + exp(-x)) would.
        return np.asarray((1 + np.tanh(values / 2)) / 2, dtype=np.float64)
    return values
