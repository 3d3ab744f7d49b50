"""Samples grouped by prompt (or by generator), groups of one size side by side."""

import numpy as np

from metaeval.stats.design import Ints

__all__ = ["groups_by_size"]


def groups_by_size(group: Ints, smallest: int = 2) -> list[Ints]:
    """One index array (size, groups) for each size; by default of at least 2: one sample has no statistic."""
    order = np.argsort(group, kind="stable")
    _, starts, sizes = np.unique(group[order], return_index=True, return_counts=True)
    found = []
    for size in np.unique(sizes[sizes >= smallest]):
        first = starts[sizes == size]
        found.append(order[first[None, :] + np.arange(size)[:, None]])
    return found
