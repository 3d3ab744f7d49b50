"""Fisher's interval for a correlation of independent units."""

import numpy as np
from scipy.special import ndtri

from metaeval.stats.resampling.intervals import Interval

__all__ = ["fisher_interval"]


def fisher_interval(r: float, n: int, statistic: str, level: float = 0.95) -> Interval:
    """By atanh, with the standard errors of Bonett & Wright 2000, "Sample size requirements for estimating Pearson,
    Kendall and Spearman correlations", Psychometrika 65."""
    shapes = {"pearson": (3, 1.0), "spearman": (3, np.sqrt(1 + r**2 / 2)), "kendall_b": (4, np.sqrt(0.437))}
    if statistic not in shapes:
        raise ValueError(f"statistic: expected one of {', '.join(shapes)}, found {statistic!r}")
    lost, scale = shapes[statistic]
    if n <= lost or not abs(r) < 1:
        return Interval(None, None, "", 0, f"undefined: {n} units" if n <= lost else "undefined: a correlation of 1")
    reach = ndtri((1 + level) / 2) * scale / np.sqrt(n - lost)
    low, high = np.tanh(np.arctanh(r) + np.array([-reach, reach]))
    return Interval(float(low), float(high), "Fisher (independent samples)")
