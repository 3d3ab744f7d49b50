"""Krippendorff's alpha in every bootstrap replicate at once.

A replicate draws groups of units, whole prompts as a rule. Copies of a unit are separate units: its raters are never
paired with their copies. So each replicate is what `krippendorff.alpha` gives for the table with duplicated columns,
the ordinal ranks included, which follow the replicate's own numbers of values.
"""

import numpy as np

from metaeval.stats.agreement.alpha import (
    Measurement,
    check_measurement,
    ratio_between,
    squares_within_units,
    within_units,
)
from metaeval.stats.agreement.alpha_ordinal import ordinal_replicates
from metaeval.stats.agreement.grouped import (
    alpha_from_sums,
    check_groups,
    in_blocks,
    replicate_sums,
    replicate_value_counts,
)
from metaeval.stats.agreement.pairable import Pairable, pairable
from metaeval.stats.design import Floats, Ints


def alpha_replicates(ratings: Floats, counts: Floats, group_of: Ints, *, measurement: Measurement) -> Floats:
    """(B,): alpha of each replicate, NaN where it is undefined there.

    `ratings` is (raters, units), `counts` (B, G) says how often each group was drawn, `group_of` (units,) names the
    group of each unit.
    """
    check_measurement(measurement)
    check_groups(counts, group_of, ratings.shape[1])
    pairs = pairable(ratings)
    return replicates_of(pairs, counts, group_of[pairs.columns], measurement=measurement)


def replicates_of(pairs: Pairable, counts: Floats, group: Ints, *, measurement: Measurement) -> Floats:
    """(B,): alpha of each replicate of ratings in long form; `group` is that of each pairable unit."""
    if len(pairs.domain) < 2:
        return np.full(len(counts), np.nan)
    if measurement == "interval":
        return _interval(pairs, counts, group)
    if measurement == "ordinal":
        return ordinal_replicates(pairs, counts, group)
    of_unit = within_units(pairs, measurement=measurement)

    def block(drawn: Floats) -> Floats:
        values = replicate_value_counts(pairs, drawn, group)
        (within,) = replicate_sums(drawn, group, [of_unit])
        n = values.sum(axis=1)
        between = n**2 - (values**2).sum(axis=1) if measurement == "nominal" else ratio_between(values, pairs.domain)
        return alpha_from_sums(n, within, between)

    return in_blocks(block, counts, row=len(pairs.domain))


def _interval(pairs: Pairable, counts: Floats, group: Ints) -> Floats:
    # Centred, so that the sum of squares does not cancel for ratings far from 0.
    values = pairs.value - pairs.value.mean()
    of_unit = [
        pairs.counts,
        2 * pairs.counts / (pairs.counts - 1) * squares_within_units(pairs, values),
        pairs.total(values),
        pairs.total(values**2),
    ]
    n, within, first, second = replicate_sums(counts, group, of_unit)
    between = 2 * (n * second - first**2)
    # Where one value alone was drawn only rounding is left of the difference.
    return alpha_from_sums(n, within, np.where(between > 1e-12 * n * second, between, 0.0))
