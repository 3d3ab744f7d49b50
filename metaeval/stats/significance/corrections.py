"""Many tests: adjusted p-values, and a warning where permutations are too few for them."""

from collections.abc import Callable

import numpy as np

from metaeval.stats.design import Floats

__all__ = ["benjamini_hochberg", "holm", "too_few_permutations"]


def holm(p: Floats) -> Floats:
    """Holm 1979: adjusted p, the family-wise error held under any dependence. NaN (not tested) stays and counts not."""
    return _adjusted(p, _step_down)


def benjamini_hochberg(p: Floats) -> Floats:
    """Benjamini & Hochberg 1995: adjusted p, the false discovery rate held. NaN stays and counts not."""
    return _adjusted(p, _step_up)


def too_few_permutations(permutations: int, tests: int, alpha: float = 0.05) -> str:
    """A warning where the smallest p that m permutations can give, 1 / (m + 1), is above alpha / tests; else ''."""
    if tests < 1 or 1 / (permutations + 1) <= alpha / tests:
        return ""
    needed = int(np.ceil(tests / alpha)) - 1
    return (
        f"{permutations:,} permutations cannot reach {alpha:g} / {tests} after correction for {tests} tests: "
        f"at least {needed:,} are needed"
    )


def _adjusted(p: Floats, rule: Callable[[Floats], Floats]) -> Floats:
    p = np.asarray(p, dtype=np.float64)
    tested = np.flatnonzero(~np.isnan(p))
    found = np.full(p.shape, np.nan)
    order = tested[np.argsort(p[tested], kind="stable")]
    found[order] = np.minimum(rule(p[order]), 1.0)
    return found


def _step_down(ordered: Floats) -> Floats:
    return np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1))


def _step_up(ordered: Floats) -> Floats:
    scaled = ordered * len(ordered) / np.arange(1, len(ordered) + 1)
    return np.minimum.accumulate(scaled[::-1])[::-1]
