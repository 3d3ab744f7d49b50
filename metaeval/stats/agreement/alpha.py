"""Krippendorff's alpha of any number of raters, missing ratings and distinct values.

Krippendorff (2019), Content Analysis, 4th ed., ch. 12: alpha = 1 - D_o / D_e, where D_o is the mean difference of
ratings of one unit and D_e that of ratings of any units. Both are sums over ratings here, never over a
units x values x values array:

* interval: a unit's squared differences are m times its sum of squares about its mean;
* ordinal: the difference of c and k is (R_c - R_k)^2 with the midranks R_c = (number below c) + n_c / 2, so it is
  interval alpha of the midranks;
* nominal: numbers of equal ratings;
* ratio: ((c - k) / (c + k))^2, pair by pair within units, and over distinct values in blocks between them.
"""

from typing import Final, Literal

import numpy as np

from metaeval.stats.agreement.pairable import Pairable, agreeing_pairs, pair_sums, pairable
from metaeval.stats.design import Floats

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]
MEASUREMENTS: Final[tuple[Measurement, ...]] = ("nominal", "ordinal", "interval", "ratio")

# Numbers in one temporary array: 16 MB, of which the ratio kernel holds a few.
BLOCK: Final = 2_000_000


def check_measurement(measurement: str) -> None:
    if measurement not in MEASUREMENTS:
        raise ValueError(f"measurement: expected one of {', '.join(MEASUREMENTS)}, found {measurement!r}")


def krippendorff_alpha(ratings: Floats, *, measurement: Measurement) -> float | None:
    """Alpha of a (raters, units) array with NaN where a rater gave none; None where it is undefined.

    Undefined: no unit has two ratings, or every rating is the same value.
    """
    check_measurement(measurement)
    return alpha_of(pairable(ratings), measurement=measurement)


def alpha_of(pairs: Pairable, *, measurement: Measurement) -> float | None:
    """Alpha of ratings that are in long form already."""
    if len(pairs.domain) < 2:
        return None
    n = float(pairs.size)
    within = float(within_units(pairs, measurement=measurement).sum())
    return 1.0 - (n - 1.0) * within / between_units(pairs, measurement=measurement)


def within_units(pairs: Pairable, *, measurement: Measurement) -> Floats:
    """(units,): the differences of a unit's ordered pairs of ratings over m - 1; D_o is their sum over n."""
    if measurement == "nominal":
        differing = pairs.counts * (pairs.counts - 1) - agreeing_pairs(pairs)
        return differing / (pairs.counts - 1)
    if measurement == "ratio":
        return 2 * pair_sums(pairs, lambda a, b: ratio_difference(pairs.value[a], pairs.value[b])) / (pairs.counts - 1)
    values = midranks(value_counts(pairs))[pairs.code] if measurement == "ordinal" else pairs.value
    return 2 * pairs.counts / (pairs.counts - 1) * squares_within_units(pairs, values)


def between_units(pairs: Pairable, *, measurement: Measurement) -> float:
    """The differences of all ordered pairs of ratings; D_e is this over n (n - 1)."""
    counts = value_counts(pairs)
    n = float(pairs.size)
    if measurement == "nominal":
        return float(n * n - (counts**2).sum())
    if measurement == "ordinal":
        return float(n * ordinal_spread(counts[None, :])[0])
    if measurement == "interval":
        return float(2 * n * ((pairs.value - pairs.value.mean()) ** 2).sum())
    return float(ratio_between(counts[None, :], pairs.domain)[0])


def value_counts(pairs: Pairable) -> Floats:
    """(values,): how many ratings give each value."""
    return np.bincount(pairs.code, minlength=len(pairs.domain)).astype(float)


def midranks(counts: Floats) -> Floats:
    """The rank of each value, from how many ratings give it (last axis)."""
    return np.cumsum(counts, axis=-1) - counts / 2


def ordinal_spread(counts: Floats) -> Floats:
    """(B,): twice the sum of squares of midranks about their mean, which is (n^3 - sum n_c^3) / 12 (Kendall 1945).

    Exactly 0 where only one value occurs.
    """
    spread: Floats = (counts.sum(axis=-1) ** 3 - (counts**3).sum(axis=-1)) / 6
    return spread


def squares_within_units(pairs: Pairable, values: Floats) -> Floats:
    """(units,): the sum of squares of `values` (one a rating) about the unit's mean."""
    mean = pairs.total(values) / pairs.counts
    return pairs.total((values - mean[pairs.unit]) ** 2)


def ratio_difference(a: Floats, b: Floats) -> Floats:
    """((a - b) / (a + b))^2, and 0 where both are 0 or cancel out, as the krippendorff package has it."""
    total = np.asarray(a + b)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        quotient = np.asarray((a - b) / total)
    quotient[total == 0] = 0.0
    quotient *= quotient
    return quotient


def ratio_between(counts: Floats, domain: Floats) -> Floats:
    """(B,): the sum of n_c n_k delta_ck in each replicate, over the distinct values in blocks of c <= k."""
    total = np.zeros(len(counts))
    step = max(1, BLOCK // max(len(domain), len(counts)))
    for start in range(0, len(domain), step):
        rows, after = slice(start, start + step), slice(start + step, None)
        twice = np.concatenate([counts[:, rows], 2 * counts[:, after]], axis=1)
        delta = ratio_difference(domain[start:, None], domain[None, rows])
        total += np.einsum("bv,bv->b", twice @ delta, counts[:, rows])
    return total
