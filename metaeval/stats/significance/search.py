"""A metric that won a search over a grid (best scaling, best k): its value is the luckiest of many."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from metaeval.stats.design import Design, Floats
from metaeval.stats.significance.association import UPPER, PValue, null_distribution
from metaeval.stats.significance.sequential import at_least

__all__ = ["LeftOut", "leave_one_generator_out", "search_p"]

# Values of all members of a grid (members,) from their scores (members, n), labels and design.
Evaluate = Callable[[Floats, Floats, Design], Floats]


@dataclass(frozen=True)
class LeftOut:
    """The mean value of winners on generators that had no part in choosing them; which won, and each one's value."""

    value: float | None
    winners: tuple[int | None, ...]
    values: tuple[float | None, ...]
    note: str = ""


def search_p(
    scores: Floats,
    labels: Floats,
    design: Design,
    *,
    statistic: str,
    level: str,
    permutations: int = 9_999,
    seed: int,
    two_sided: bool = False,
) -> PValue:
    """p of the best member of a grid, `scores` (members, n): permuted bests, not permuted values, are its yardstick.

    Each permutation of the labels goes through the whole search (Westfall & Young 1993, Resampling-Based Multiple
    Testing). One-sided, as the search took the highest value; `two_sided` where it took the farthest from chance.
    Samples that a member has no score for are left out for all.
    """
    rows = np.flatnonzero(np.isfinite(labels) & np.all(np.isfinite(scores), axis=0))
    part = (scores[:, rows], labels[rows], design.take(rows))
    null = null_distribution(*part, statistics=[statistic], level=level, permutations=permutations, seed=seed)[
        statistic
    ]
    members = np.flatnonzero(np.isfinite(null.observed))
    if not len(members):
        return PValue(None, "", 0, null.note or "undefined: constant scores")
    observed, permuted = null.observed[members], null.permuted[members]
    if two_sided and statistic not in UPPER:
        observed, permuted = np.abs(observed), np.abs(permuted)
    exceedances = int(at_least(permuted.max(axis=0), observed.max()).sum())
    drawn = permuted.shape[1]
    p = exceedances / drawn if null.exact else (exceedances + 1) / (drawn + 1)
    return PValue(p, f"largest of {len(members)} members, {null.method}", drawn, null.note)


def leave_one_generator_out(scores: Floats, labels: Floats, design: Design, *, evaluate: Evaluate) -> LeftOut:
    """Choose the best member on all generators but one, take its value on that one; the mean over generators.

    `evaluate` must be defined within one generator (sample level there, never generator level).
    """
    generators = np.unique(design.generator)
    if len(generators) < 2:
        return LeftOut(None, (), (), f"undefined: {len(generators)} generator")
    winners: list[int | None] = []
    values: list[float | None] = []
    for generator in generators:
        left_out = design.generator == generator
        chosen = evaluate(scores[:, ~left_out], labels[~left_out], design.take(~left_out))
        if np.all(np.isnan(chosen)):
            winners.append(None)
            values.append(None)
            continue
        winner = int(np.nanargmax(chosen))
        value = float(evaluate(scores[[winner]][:, left_out], labels[left_out], design.take(left_out))[0])
        winners.append(winner)
        values.append(None if np.isnan(value) else value)
    defined = [value for value in values if value is not None]
    note = "" if len(defined) == len(values) else f"defined on {len(defined)} of {len(values)} generators"
    if not defined:
        return LeftOut(None, tuple(winners), tuple(values), "undefined: on every generator left out")
    return LeftOut(float(np.mean(defined)), tuple(winners), tuple(values), note)
