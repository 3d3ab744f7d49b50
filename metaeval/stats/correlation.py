"""The correlation of two arrays: a thin front of `metaeval.stats.association` for whoever has no design."""

from typing import Final

import numpy as np

from metaeval.stats.association.registry import STATISTICS as ASSOCIATIONS
from metaeval.stats.association.registry import Statistic
from metaeval.stats.design import Floats

STATISTICS: Final[dict[str, Statistic]] = {name: ASSOCIATIONS[name] for name in ("pearson", "spearman", "kendall_b")}


def correlate(scores: Floats, labels: Floats, *, statistic: str) -> float | None:
    """The correlation of two arrays; None where it is undefined: under two points, or one side constant."""
    if len(scores) != len(labels):
        raise ValueError(f"scores and labels: expected the same length, found {len(scores)} and {len(labels)}")
    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(labels) == 0:
        return None
    x, y = np.asarray(scores, dtype=np.float64), np.asarray(labels, dtype=np.float64)
    return float(STATISTICS[statistic].pooled(x, y, np.ones((1, len(x))))[0])
