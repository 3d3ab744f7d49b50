"""Ordinal alpha in every bootstrap replicate: the ranks are those of the replicate, so they change with each draw."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from metaeval.stats.agreement.alpha import midranks, ordinal_spread
from metaeval.stats.agreement.grouped import alpha_from_sums, in_blocks, replicate_cells, replicate_value_counts
from metaeval.stats.agreement.pairable import Pairable, pairs_within_units
from metaeval.stats.design import Floats, Ints

# Counting how often two values meet beats ranking every rating again while there are few values or few pairs.
FEW_VALUES: Final = 24
FEW_PAIRS_PER_RATING: Final = 3


@dataclass(frozen=True)
class _Meetings:
    """Which two values meet in one unit: one entry a pair of ratings that differ."""

    low: Ints  # (meetings,) code of the lower value of each two values that meet
    high: Ints
    which: Ints  # (pairs,) which meeting
    group: Ints  # (pairs,)
    weight: Floats  # (pairs,) 2 / (m - 1): both orders, over the unit's ratings but one


def ordinal_replicates(pairs: Pairable, counts: Floats, group: Ints) -> Floats:
    """(B,): ordinal alpha of each replicate; NaN where only one value was drawn."""
    number = float((pairs.counts * (pairs.counts - 1)).sum() / 2)
    if len(pairs.domain) <= FEW_VALUES or number <= FEW_PAIRS_PER_RATING * pairs.size:
        meetings = _meetings(pairs, group)
        row = len(pairs.domain) + 2 * len(meetings.low)
        return in_blocks(lambda drawn: _from_meetings(pairs, drawn, group, meetings), counts, row=row)
    return in_blocks(lambda drawn: _from_ranks(pairs, drawn, group), counts, row=4 * pairs.size)


def _meetings(pairs: Pairable, group: Ints) -> _Meetings:
    width = len(pairs.domain)
    keys, units = [np.zeros(0, np.intp)], [np.zeros(0, np.intp)]
    for first, second in pairs_within_units(pairs.unit):
        a, b = pairs.code[first], pairs.code[second]
        differing = a != b
        keys.append((np.minimum(a, b) * width + np.maximum(a, b))[differing])
        units.append(pairs.unit[first[differing]])
    key, which = np.unique(np.concatenate(keys), return_inverse=True)
    unit = np.concatenate(units)
    return _Meetings(key // width, key % width, which.astype(np.intp), group[unit], 2 / (pairs.counts[unit] - 1))


def _from_meetings(pairs: Pairable, counts: Floats, group: Ints, meetings: _Meetings) -> Floats:
    """The values and the meetings are counted in one product: reading `counts` is what takes the time."""
    width = len(pairs.domain)
    sums = replicate_cells(
        counts,
        np.concatenate([group[pairs.unit], meetings.group]),
        np.concatenate([pairs.code, width + meetings.which]),
        np.concatenate([np.ones(pairs.size), meetings.weight]),
        width + len(meetings.low),
    )
    values, times = sums[:, :width], sums[:, width:]
    n = values.sum(axis=1)
    ranks = midranks(values)
    difference = ranks[:, meetings.high]
    difference -= ranks[:, meetings.low]
    difference *= difference
    within = np.einsum("bp,bp->b", times, difference)
    return alpha_from_sums(n, within, n * ordinal_spread(values))


def _from_ranks(pairs: Pairable, counts: Floats, group: Ints) -> Floats:
    """From each rating's own rank; replicates in columns, so that a gather copies whole rows."""
    values = replicate_value_counts(pairs, counts, group)
    n = values.sum(axis=1)
    of_rating = (midranks(values) - n[:, None] / 2).T[pairs.code]
    starts = np.concatenate([[0], np.cumsum(pairs.counts)[:-1]]).astype(np.intp)
    first = np.add.reduceat(of_rating, starts, axis=0)
    second = np.add.reduceat(of_rating**2, starts, axis=0)
    m = pairs.counts[:, None]
    within = np.einsum("ub,ub->b", 2 / (m - 1) * (m * second - first**2), counts.T[group])
    return alpha_from_sums(n, within, n * ordinal_spread(values))
