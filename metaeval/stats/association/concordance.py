"""Concordant less discordant pairs, for every replicate at once.

Kendall's S = sum over i < j of w_i w_j sgn(x_j - x_i) sgn(y_j - y_i). Sorting per replicate (Knight 1966) cannot be
shared between replicates; the sign structure can. Samples are put in the order of x and cut into blocks of x, and the
labels into bins of y, so that each pair falls in one of three kinds:

1. same block of x: one small dense matrix product a block;
2. different blocks, different bins: only the weight of each (block, bin) cell counts, so cumulative sums over blocks
   do; this is the O(n k) counting for k label values, with nearly all of it inside matrix products;
3. different blocks, same bin: nothing where a bin is one label value; else one small dense product a bin.

With blocks and bins of about sqrt(n) the work is O(B n sqrt(n)) in BLAS even for continuous labels.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from metaeval.stats.association.draws import Draws, Real
from metaeval.stats.association.ties import TieGroups
from metaeval.stats.design import Floats, Ints

# Blocks of 128 rows balance the dense part against the cumulative one (measured at n = 2,000 and 20,000).
BLOCK = 128
LARGEST_BLOCK = 256  # draws._single_is_exact relies on it


@dataclass(frozen=True)
class Dense:
    """Signs between the samples of one block or bin: `signs` is strictly lower triangular."""

    start: int
    stop: int
    signs: Floats


@dataclass(frozen=True)
class Concordance:
    """All of S that does not depend on weights, for one score against one set of labels."""

    order: Ints
    edges: Ints  # (blocks + 1,) in the order of x
    bins: Ints  # (n,): the bin of y, in the order of x
    within_blocks: Sequence[Dense]
    label_order: Ints
    within_bins: Sequence[Dense]

    @property
    def bin_count(self) -> int:
        return int(self.bins.max()) + 1 if len(self.bins) else 0

    @property
    def cells(self) -> int:
        """Numbers a replicate needs at a time."""
        return max(len(self.order), 4 * (len(self.edges) - 1) * self.bin_count)

    def __call__(self, draws: Draws) -> Floats:
        """(B,): S."""
        ordered = draws.ordered(self.order)
        result = _dense_sum(self.within_blocks, ordered)
        result += _between(self._cell_weights(ordered))
        if self.within_bins:
            result += _dense_sum(self.within_bins, draws.ordered(self.label_order))
        return result

    def _cell_weights(self, ordered: Real) -> Floats:
        """(blocks, bins, B)."""
        cells = np.empty((len(self.edges) - 1, self.bin_count, ordered.shape[1]))
        indicator = np.zeros((self.bin_count, len(self.bins)), dtype=ordered.dtype)
        indicator[self.bins, np.arange(len(self.bins))] = 1
        for block, (start, stop) in enumerate(pairwise(self.edges)):
            cells[block] = indicator[:, start:stop] @ ordered[start:stop]
        return cells


def concordance(scores: TieGroups, labels: TieGroups) -> Concordance:
    """Plan S once; call the plan with draws."""
    size = len(scores.order)
    # Few label values are bins themselves; many are binned, and then blocks and bins grow with sqrt(n).
    root = int(np.clip(np.sqrt(size), BLOCK, LARGEST_BLOCK))
    are_few = labels.count <= 2 * root
    block_edges = _pack(scores, BLOCK if are_few else root)
    bin_edges = np.append(labels.starts, size) if are_few else _pack(labels, root)
    block_of = np.empty(size, dtype=np.intp)
    block_of[scores.order] = np.repeat(np.arange(len(block_edges) - 1), np.diff(block_edges))
    bin_of = np.empty(size, dtype=np.intp)
    bin_of[labels.order] = np.repeat(np.arange(len(bin_edges) - 1), np.diff(bin_edges))
    return Concordance(
        order=scores.order,
        edges=block_edges,
        bins=bin_of[scores.order],
        within_blocks=_dense(scores, labels, scores.order, block_edges, apart=None),
        label_order=labels.order,
        within_bins=[] if are_few else _dense(scores, labels, labels.order, bin_edges, apart=block_of),
    )


def _pack(groups: TieGroups, limit: int) -> Ints:
    """Edges of runs of whole tie groups, up to `limit` samples each; a larger group stands alone."""
    edges = [0]
    filled = 0
    for start, size in zip(groups.starts, groups.sizes, strict=True):
        if filled and filled + size > limit:
            edges.append(int(start))
            filled = 0
        filled += int(size)
    edges.append(len(groups.order))
    return np.asarray(edges if len(groups.order) else [0], dtype=np.intp)


def _dense(scores: TieGroups, labels: TieGroups, order: Ints, edges: Ints, *, apart: Ints | None) -> list[Dense]:
    """Sign matrices of the runs between edges; with `apart`, only pairs that lie in different blocks of it."""
    found = []
    for start, stop in pairwise(edges):
        rows = order[start:stop]
        x, y = scores.codes[rows], labels.codes[rows]
        # A run of one value on a side has no signs, and may be large.
        if x.min() == x.max() or y.min() == y.max():
            continue
        signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
        if apart is not None:
            block = apart[rows]
            signs = signs * (block[:, None] != block)
        found.append(Dense(int(start), int(stop), np.tril(signs).astype(np.float32)))
    return found


def _dense_sum(parts: Sequence[Dense], ordered: Real) -> Floats:
    result = np.zeros(ordered.shape[1])
    for part in parts:
        weights = ordered[part.start : part.stop]
        signs = part.signs.astype(ordered.dtype, copy=False)
        result += np.einsum("ib,ib->b", weights, signs @ weights)
    return result


def _between(cells: Floats) -> Floats:
    """S of pairs in different blocks and bins, from the weight of each (block, bin) cell."""
    if len(cells) < 2:
        return np.zeros(cells.shape[-1])
    earlier = np.cumsum(cells, axis=0)[:-1]  # the weight of all earlier blocks, by bin
    below = np.cumsum(earlier, axis=1)
    # Bins below this one less bins above it.
    balance = 2.0 * below - earlier - below[:, -1:]
    return np.asarray(np.einsum("pkb,pkb->b", cells[1:], balance), dtype=np.float64)
