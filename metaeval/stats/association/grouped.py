"""A statistic within groups (prompts, or generators), averaged over the groups where it is defined."""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.association.draws import draws_of
from metaeval.stats.association.multiplicity import dense_codes, is_unit_of, multiplicity
from metaeval.stats.association.pairs import ratio
from metaeval.stats.association.registry import Statistic
from metaeval.stats.design import Floats, Ints, Weights

# Up to this many samples a group, all groups are rows of one table.
SMALL_GROUP = 64


@dataclass(frozen=True)
class Grouped:
    """The value of each group in the data as they are, and the average over groups in each replicate."""

    of_groups: Floats  # (m, groups), NaN where undefined
    averages: Floats  # (m, B)


def grouped(
    scores: Floats, labels: Floats, groups: Ints, others: Ints, statistic: Statistic, weights: Weights
) -> Grouped:
    """`others` is the factor that crosses the groups: generators for prompts, prompts for generators."""
    groups = dense_codes(groups)
    of_groups = np.stack([group_values(row, labels, groups, statistic) for row in scores])
    counts = multiplicity(groups, others, weights)
    if is_unit_of(groups, weights):
        # Drawn as wholes: a group's value is the same in every replicate, only how often it counts changes.
        defined = ~np.isnan(of_groups)
        sums = np.where(defined, of_groups, 0.0) @ counts.T
        return Grouped(of_groups, ratio(sums, defined.astype(np.float64) @ counts.T))
    return Grouped(of_groups, _averages_of_replicates(scores, labels, groups, statistic, weights, counts))


def group_values(scores: Floats, labels: Floats, groups: Ints, statistic: Statistic) -> Floats:
    """(groups,): the statistic within each group; `groups` are codes from 0 without gaps."""
    sizes = np.bincount(groups)
    if statistic.rows is not None and len(sizes) and sizes.max() <= SMALL_GROUP:
        return _values_of_rows(scores, labels, groups, sizes, statistic)
    values = np.full(len(sizes), np.nan)
    for group in range(len(sizes)):
        member = groups == group
        values[group] = statistic.pooled(scores[member], labels[member], np.ones((1, sizes[group])))[0]
    return values


def _values_of_rows(scores: Floats, labels: Floats, groups: Ints, sizes: Ints, statistic: Statistic) -> Floats:
    """Every group as a row, filled up with points of weight 0."""
    assert statistic.rows is not None
    order = np.argsort(groups, kind="stable")
    row = groups[order]
    column = np.arange(len(groups)) - (np.cumsum(sizes) - sizes)[row]
    shape = (len(sizes), int(sizes.max()))
    x, y, weights = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    x[row, column], y[row, column], weights[row, column] = scores[order], labels[order], 1.0
    return statistic.rows(x, y, weights)


def _averages_of_replicates(
    scores: Floats, labels: Floats, groups: Ints, statistic: Statistic, weights: Weights, counts: Floats
) -> Floats:
    sums = np.zeros((len(scores), weights.replicates))
    held = np.zeros_like(sums)
    for group in range(counts.shape[1]):
        member = np.flatnonzero(groups == group)
        values = statistic.of_draws(scores[:, member], labels[member], draws_of(weights.take(member)))
        defined = ~np.isnan(values)
        sums += np.where(defined, values, 0.0) * counts[:, group]
        held += defined * counts[:, group]
    return ratio(sums, held)
