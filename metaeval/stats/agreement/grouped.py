"""Sums over units in every bootstrap replicate, as one matrix product over the resampled groups.

A unit counts as often as its group (its prompt) was drawn, and copies of a unit are separate units, so whatever is a
sum over units in the point estimate is `counts @ (sums over each group's units)` in the replicates.
"""

from collections.abc import Callable
from typing import Final

import numpy as np
from scipy import sparse

from metaeval.stats.agreement.pairable import Pairable
from metaeval.stats.design import Floats, Ints

# Up to here a dense product beats a sparse one.
FEW_VALUES: Final = 64
DENSE_CELLS: Final = 4_000_000
# Numbers in one temporary array: 64 MB.
BLOCK: Final = 8_000_000


def check_groups(counts: Floats, group_of: Ints, units: int) -> None:
    """Refuse weights that are not for these units."""
    if counts.ndim != 2:
        raise ValueError(f"counts: expected (replicates, groups), found an array of shape {counts.shape}")
    if group_of.shape != (units,):
        raise ValueError(f"group_of: expected one group for each of {units} units, found shape {group_of.shape}")
    if units and (group_of.min() < 0 or group_of.max() >= counts.shape[1]):
        raise ValueError(f"group_of: expected groups from 0 to {counts.shape[1] - 1}, found {group_of.max()}")


def replicate_sums(counts: Floats, group: Ints, of_unit: list[Floats]) -> list[Floats]:
    """For each (units,) array its sum in every replicate, (B,)."""
    groups = counts.shape[1]
    by_group = np.stack([np.bincount(group, weights=column, minlength=groups) for column in of_unit], axis=1)
    return list((counts @ by_group).T)


def replicate_cells(counts: Floats, group: Ints, code: Ints, weight: Floats, width: int) -> Floats:
    """(B, width): in every replicate, the sum of `weight` over the cells of each code."""
    groups = counts.shape[1]
    if width <= FEW_VALUES and groups * width <= DENSE_CELLS:
        dense = np.bincount(group * width + code, weights=weight, minlength=groups * width)
        return counts @ dense.reshape(groups, width)
    # (codes x groups) @ (groups x B): a sparse matrix is fastest from the left.
    by_group = sparse.csr_array((weight, (code, group)), shape=(width, groups))
    sums: Floats = (by_group @ counts.T).T
    return sums


def replicate_value_counts(pairs: Pairable, counts: Floats, group: Ints) -> Floats:
    """(B, values): how often each value was given in every replicate."""
    return replicate_cells(counts, group[pairs.unit], pairs.code, np.ones(pairs.size), len(pairs.domain))


def in_blocks(statistic: Callable[[Floats], Floats], counts: Floats, *, row: int) -> Floats:
    """(B,): `statistic` of some replicates after the other; one replicate takes `row` numbers in a temporary array."""
    step = max(1, BLOCK // max(row, 1))
    if step >= len(counts):
        return statistic(counts)
    return np.concatenate([statistic(counts[at : at + step]) for at in range(0, len(counts), step)])


def alpha_from_sums(n: Floats, within: Floats, between: Floats) -> Floats:
    """1 - D_o / D_e of every replicate; NaN where `between` is 0: only one value was drawn."""
    with np.errstate(divide="ignore", invalid="ignore"):
        alpha: Floats = np.where(between > 0, 1 - (n - 1) * within / between, np.nan)
    return alpha
