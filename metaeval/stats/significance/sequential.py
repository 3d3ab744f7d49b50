"""From exceedances to a p-value, by a fixed number of permutations or by Besag and Clifford's sequential rule."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from metaeval.stats.design import Bools, Floats

__all__ = ["ENOUGH_EXCEEDANCES", "TOLERANCE", "MonteCarlo", "at_least", "monte_carlo"]

# Permuted values that equal the observed one but for rounding must count as equal.
TOLERANCE = 1e-12
ENOUGH_EXCEEDANCES = 20
# Where stopping is allowed, the first look comes early: most pairs that do not differ stop here.
LOOKS = (400, 2_000)


@dataclass(frozen=True)
class MonteCarlo:
    p: float
    permutations: int
    stopped: bool


def at_least(permuted: Floats, observed: float | Floats) -> Bools:
    """Where a permuted value reaches the observed one. A permutation without a value counts: that never lowers p."""
    return ~(permuted < observed - TOLERANCE)


def monte_carlo(exceeds: Callable[[slice], Bools], permutations: int, *, stop_early: bool) -> MonteCarlo:
    """p = (b + 1) / (m + 1) with b exceedances in m permutations.

    Where `stop_early`, the h-th exceedance (h = 20) ends the test at permutation l with p = h / l, which is as valid
    (Besag & Clifford 1991, "Sequential Monte Carlo p-values", Biometrika 78).
    """
    exceedances = 0
    for rows in _looks(permutations, stop_early):
        found = exceeds(rows)
        if stop_early and exceedances + found.sum() >= ENOUGH_EXCEEDANCES:
            position = np.flatnonzero(found)[ENOUGH_EXCEEDANCES - exceedances - 1]
            drawn = rows.start + int(position) + 1
            return MonteCarlo(ENOUGH_EXCEEDANCES / drawn, drawn, True)
        exceedances += int(found.sum())
    return MonteCarlo((exceedances + 1) / (permutations + 1), permutations, False)


def _looks(permutations: int, stop_early: bool) -> Iterator[slice]:
    inner = [look for look in LOOKS if look < permutations] if stop_early else []
    bounds = [0, *inner, permutations]
    return (slice(start, stop) for start, stop in pairwise(bounds))
