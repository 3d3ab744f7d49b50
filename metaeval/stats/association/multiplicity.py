"""How often a group of samples (a prompt, a generator) counts in each replicate."""

import numpy as np

from metaeval.stats.design import Floats, Ints, Weights


def is_unit_of(groups: Ints, weights: Weights) -> bool:
    """Whether all samples of a group belong to one resampling unit, so that the group is drawn as a whole."""
    unit_of_group = np.zeros(int(groups.max()) + 1 if len(groups) else 0, dtype=np.intp)
    unit_of_group[groups] = weights.unit_of
    return bool(np.array_equal(unit_of_group[groups], weights.unit_of))


def multiplicity(groups: Ints, others: Ints, weights: Weights) -> Floats:
    """(B, groups): how often each group counts; `groups` are codes from 0 without gaps.

    - A group that is drawn as a whole (prompts by prompt) counts as often as it was drawn.
    - Where prompts and generators are drawn together, a sample weighs the product of both draws, and a group counts as
      its samples do on average: that is how often it was drawn, where prompts and generators cross completely.
    - Else (generators where prompts are drawn; anything where single samples are) a group counts once, unless nothing
      of it was drawn: how many of its samples were drawn is not how often it was.
    """
    first = np.zeros(int(groups.max()) + 1 if len(groups) else 0, dtype=np.intp)
    first[groups] = np.arange(len(groups))
    if is_unit_of(groups, weights):
        return weights.counts[:, weights.unit_of[first]]
    means = group_means(groups, weights)
    others = dense_codes(others)
    if not is_unit_of(others, weights) and _are_products(groups, others, weights):
        return means
    return (means > 0).astype(np.float64)


def _are_products(groups: Ints, others: Ints, weights: Weights) -> bool:
    """Whether a sample is missing from a replicate only where all of its group, or of the other factor, is.

    So it is for products of two draws, and not for samples drawn one by one, where gaps lie anywhere.
    """
    drawn = weights.block(0, 64)
    rows, columns = group_means(groups, drawn) > 0, group_means(others, drawn) > 0
    return bool(np.array_equal(drawn.expand() > 0, rows[:, groups] & columns[:, others]))


def group_means(groups: Ints, weights: Weights) -> Floats:
    """(B, groups): the mean weight of each group's samples."""
    table = np.zeros((weights.counts.shape[1], int(groups.max()) + 1 if len(groups) else 0))
    np.add.at(table, (weights.unit_of, groups), 1.0)
    return np.asarray(weights.counts @ table / np.bincount(groups), dtype=np.float64)


def dense_codes(codes: Ints) -> Ints:
    """The same grouping in codes from 0 without gaps: a selection of samples may have left prompts behind."""
    return np.unique(codes, return_inverse=True)[1].astype(np.intp)
