from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy import stats

Floats = npt.NDArray[np.float64]

STATISTICS: Final[dict[str, Callable[[Floats, Floats], Any]]] = {
    "pearson": stats.pearsonr,
    "spearman": stats.spearmanr,
    "kendall_b": stats.kendalltau,
}


def correlate(scores: Floats, labels: Floats, *, statistic: str) -> float | None:
    """The correlation of two arrays; None where it is undefined: under two points, or one side constant."""
    if len(scores) != len(labels):
        raise ValueError(f"scores and labels: expected the same length, found {len(scores)} and {len(labels)}")
    if len(scores) < 2 or np.ptp(scores) == 0 or np.ptp(labels) == 0:
        return None
    return float(STATISTICS[statistic](scores, labels).statistic)
