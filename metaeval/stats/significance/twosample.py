"""Do positives score higher than negatives? The classical tests, which treat samples as independent.

Beside them print `association_p` for `ks` and `mann_whitney_u` at sample level, whose permutations move whole prompts.
"""

import warnings
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.stats import ks_2samp, mannwhitneyu

from metaeval.stats.design import Floats

__all__ = ["TwoSampleTest", "ks_test", "mann_whitney_test"]


@dataclass(frozen=True)
class TwoSampleTest:
    """None and a reason where one side has no samples."""

    statistic: float | None
    p: float | None
    method: str
    note: str = ""


def ks_test(positives: Floats, negatives: Floats) -> TwoSampleTest:
    """Kolmogorov-Smirnov, two-sided; exact p for up to 10,000 samples a side, as scipy decides."""
    reason = _reason(positives, negatives)
    if reason:
        return TwoSampleTest(None, None, "", reason)
    with warnings.catch_warnings():
        # Where the exact p overflows, scipy takes the asymptotic one and says so on standard error.
        warnings.filterwarnings("ignore", message="ks_2samp: Exact calculation unsuccessful", category=RuntimeWarning)
        found = ks_2samp(positives, negatives, alternative="two-sided", method="auto")
    return TwoSampleTest(float(found.statistic), float(found.pvalue), "Kolmogorov-Smirnov, two-sided")


def mann_whitney_test(
    positives: Floats, negatives: Floats, *, alternative: Literal["greater", "two-sided"] = "greater"
) -> TwoSampleTest:
    """Mann-Whitney's U of the positives, one-sided by default: they score higher. Corrected for ties and continuity."""
    reason = _reason(positives, negatives)
    if reason:
        return TwoSampleTest(None, None, "", reason)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = mannwhitneyu(positives, negatives, alternative=alternative, method="auto")
    if np.isnan(found.pvalue):
        return TwoSampleTest(float(found.statistic), None, "", "undefined: constant scores")
    return TwoSampleTest(
        float(found.statistic),
        float(found.pvalue),
        f"Mann-Whitney, {'one-sided' if alternative == 'greater' else alternative}",
    )


def _reason(positives: Floats, negatives: Floats) -> str:
    if len(positives) and len(negatives):
        return ""
    return f"undefined: {len(positives)} positives and {len(negatives)} negatives"
