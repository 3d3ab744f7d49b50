"""How far alpha depends on which raters happened to be there.

Drawing raters with replacement and computing alpha of the drawn rows pairs a rater with a copy of themselves, who
always agrees: with 3 raters it turns .65 into .77. Here a rater drawn w_r times has weight w_r, and

* within unit u, the ratings of raters r != s are paired with weight w_r w_s; a unit counts with the weight of its
  ratings, sum w_r, and is left out where fewer than two different raters were drawn on it;
* between units, all ratings are paired with weight w_r w_s except a rating with its own copies, so D_e is over
  n^2 - sum w_r^2 with n = sum w_r over ratings.

With every w_r = 1 this is alpha itself. With few raters a bootstrap over raters means little, so the range of alpha
when each rater in turn is left out takes its place.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from metaeval.stats.agreement.alpha import (
    Measurement,
    alpha_of,
    check_measurement,
    midranks,
    ordinal_spread,
    ratio_between,
    ratio_difference,
)
from metaeval.stats.agreement.pairable import Pairable, pair_sums, pairable, sum_by
from metaeval.stats.design import Floats, Ints

FEWEST_RATERS_FOR_BOOTSTRAP: Final = 10


@dataclass(frozen=True)
class RaterUncertainty:
    """The interval or range of alpha over raters; None and a reason in the note where there is none."""

    low: float | None
    high: float | None
    method: Literal["bootstrap percentile", "leave-one-out range"]
    raters: int
    replicates: Floats | None = None
    note: str = ""


def alpha_over_raters(
    ratings: Floats,
    *,
    measurement: Measurement,
    replicates: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> RaterUncertainty:
    """Bootstrap interval of alpha over raters; with fewer than 10 raters the leave-one-out range."""
    check_measurement(measurement)
    pairs = pairable(ratings)
    raters = np.unique(pairs.rater)
    if len(raters) < FEWEST_RATERS_FOR_BOOTSTRAP:
        return _leave_one_out(ratings, raters=raters.tolist(), measurement=measurement)
    drawn = np.random.default_rng(seed).integers(0, len(raters), size=(replicates, len(raters)))
    values = np.full(replicates, np.nan)
    weights = np.zeros(len(ratings))
    for replicate, rows in enumerate(drawn):
        weights[raters] = np.bincount(rows, minlength=len(raters))
        values[replicate] = weighted_alpha(pairs, weights, measurement=measurement)
    defined = values[~np.isnan(values)]
    note = "" if len(defined) == replicates else f"alpha defined in {len(defined)} of {replicates} replicates"
    if not len(defined):
        return RaterUncertainty(None, None, "bootstrap percentile", len(raters), values, f"undefined: {note}")
    low, high = np.quantile(defined, [(1 - confidence) / 2, (1 + confidence) / 2])
    return RaterUncertainty(float(low), float(high), "bootstrap percentile", len(raters), values, note)


def _leave_one_out(ratings: Floats, *, raters: list[int], measurement: Measurement) -> RaterUncertainty:
    without = [alpha_of(pairable(np.delete(ratings, rater, axis=0)), measurement=measurement) for rater in raters]
    defined = [alpha for alpha in without if alpha is not None]
    if not defined:
        note = f"undefined: alpha without any one of {len(raters)} raters has no sample with two ratings that vary"
        return RaterUncertainty(None, None, "leave-one-out range", len(raters), None, note)
    note = "" if len(defined) == len(raters) else f"alpha defined without {len(defined)} of {len(raters)} raters"
    return RaterUncertainty(min(defined), max(defined), "leave-one-out range", len(raters), None, note)


def weighted_alpha(pairs: Pairable, rater_weights: Floats, *, measurement: Measurement) -> float:
    """Alpha where rater r counts w_r times and is never paired with themselves (see the module); NaN if undefined."""
    weight = rater_weights[pairs.rater]
    total, squared = pairs.total(weight), pairs.total(weight**2)
    pair_weight = total**2 - squared
    usable = pair_weight > 0
    weight = weight * usable[pairs.unit]
    counts = sum_by(pairs.code, weight, len(pairs.domain))
    if np.count_nonzero(counts) < 2:
        return float("nan")
    difference = _within(pairs, weight, counts, measurement)
    n = float(total[usable].sum())
    observed = float((total[usable] * difference[usable] / pair_weight[usable]).sum()) / n
    expected = _between(pairs, counts, measurement) / (n * n - float(squared[usable].sum()))
    return 1.0 - observed / expected


def _within(pairs: Pairable, weight: Floats, counts: Floats, measurement: Measurement) -> Floats:
    """(units,): the weighted differences of ordered pairs of ratings; a rating differs by 0 from its copies."""
    if measurement == "nominal":
        unit, same = _weight_of_cells(pairs, weight)
        return pairs.total(weight) ** 2 - sum_by(unit, same**2, pairs.units)
    if measurement == "ratio":
        return 2 * pair_sums(
            pairs, lambda a, b: weight[a] * weight[b] * ratio_difference(pairs.value[a], pairs.value[b])
        )
    values = midranks(counts)[pairs.code] if measurement == "ordinal" else pairs.value
    total = pairs.total(weight)
    mean = np.divide(pairs.total(weight * values), total, out=np.zeros(pairs.units), where=total > 0)
    return 2 * total * pairs.total(weight * (values - mean[pairs.unit]) ** 2)


def _weight_of_cells(pairs: Pairable, weight: Floats) -> tuple[Ints, Floats]:
    """The unit and the total weight of every (unit, value) that occurs."""
    unit, _, _ = pairs.cells
    return unit, sum_by(pairs.cell_of_rating, weight, len(unit))


def _between(pairs: Pairable, counts: Floats, measurement: Measurement) -> float:
    n = float(counts.sum())
    if measurement == "nominal":
        return n * n - float((counts**2).sum())
    if measurement == "ordinal":
        return n * float(ordinal_spread(counts))
    if measurement == "interval":
        mean = float(counts @ pairs.domain) / n
        return 2 * n * float(counts @ (pairs.domain - mean) ** 2)
    return float(ratio_between(counts[None, :], pairs.domain)[0])
