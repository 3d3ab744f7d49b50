"""The paired bootstrap: an interval for the difference of two metrics, and a p where permutation would mislead.

Swapping scores of a metric with few values and one with many makes mixes that no metric is like: their ties differ from
both, and with them the denominators. Resampled prompts leave each metric as it is.
"""

import numpy as np

from metaeval.stats.design import Floats
from metaeval.stats.resampling.intervals import percentile_interval
from metaeval.stats.significance.paired import PairedTest

__all__ = ["paired_bootstrap", "tie_structures_differ"]

FEW_VALUES = 10
MANY_TIMES = 5


def paired_bootstrap(
    values_a: Floats,
    values_b: Floats,
    *,
    pair: tuple[int, int] = (0, 1),
    points: tuple[float, float],
    n: int = 0,
    unit: str = "prompt",
    level: float = 0.95,
) -> PairedTest:
    """From the values of two metrics in the same B replicates (the same weights), and their point estimates.

    The p is twice the smaller share of differences on either side of 0, each side counted with the observed draw:
    2 (b + 1) / (B + 1), at most 1 (Davison & Hinkley 1997, Bootstrap Methods, ch. 4). Replicates without a value
    are left out.
    """
    if values_a.shape != values_b.shape:
        raise ValueError(f"values_b: expected the replicates of values_a {values_a.shape}, found {values_b.shape}")
    differences = values_a - values_b
    interval = percentile_interval(differences, level)
    defined = differences[np.isfinite(differences)]
    difference = points[0] - points[1]
    if interval.low is None or not np.isfinite(difference):
        return PairedTest(*pair, None, None, None, None, "", 0, n, interval.note or "undefined: no value")
    smaller = min(int(np.sum(defined <= 0)), int(np.sum(defined >= 0)))
    p = min(1.0, 2 * (smaller + 1) / (len(defined) + 1))
    method = f"paired bootstrap by {unit}, two-sided"
    return PairedTest(
        *pair, *points, difference, p, method, len(defined), n, interval.note, interval.low, interval.high
    )


def tie_structures_differ(a: Floats, b: Floats) -> bool:
    """One metric has fewer than 10 distinct values and the other at least 5 times as many; on samples both have."""
    both = np.isfinite(a) & np.isfinite(b)
    fewer, more = sorted((len(np.unique(a[both])), len(np.unique(b[both]))))
    return fewer < FEW_VALUES and more >= MANY_TIMES * fewer
