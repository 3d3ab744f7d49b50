"""Spearman's rank correlation over weighted replicates and over rows."""

import numpy as np

from metaeval.stats.association.draws import Draws
from metaeval.stats.association.pairs import Run, ratio
from metaeval.stats.association.pearson import pearson_rows
from metaeval.stats.association.rows import in_blocks, midranks
from metaeval.stats.association.ties import FEW_GROUPS, TieGroups, tie_groups
from metaeval.stats.design import Floats


def spearman_many(scores: Floats, labels: Floats) -> Run:
    """Spearman (1904): Pearson's correlation of midranks, ranks taken anew in every replicate."""
    y = tie_groups(labels)
    sides = [tie_groups(row) for row in scores]

    def run(draws: Draws) -> Floats:
        ranks_y = _centred_ranks(y.totals(draws), draws.total)
        cube = draws.total**3
        variance_y = cube - y.power(draws, 3)
        values = []
        for x in sides:
            # 12 times the sum of squared centred ranks is n^3 less the cubes of the tie groups.
            scale = np.sqrt((cube - x.power(draws, 3)) * variance_y)
            values.append(ratio(12.0 * _covariance(x, y, ranks_y, draws), scale))
        return np.clip(np.stack(values), -1.0, 1.0)

    return run


def _centred_ranks(totals: Floats, count: Floats) -> Floats:
    """(groups, B): midranks less their mean, (n + 1) / 2: the weight below, half the own weight, less n / 2."""
    ranks = np.cumsum(totals, axis=0)
    ranks -= totals / 2.0
    ranks -= count / 2.0
    return ranks


def _covariance(x: TieGroups, y: TieGroups, ranks_y: Floats, draws: Draws) -> Floats:
    """(B,): the sum over samples of weight times both centred ranks."""
    weights = draws.ordered_doubles(x.order)
    totals = weights if x.untied else np.add.reduceat(weights, x.starts, axis=0)
    ranks = _centred_ranks(totals, draws.total)
    if not x.untied:
        ranks = np.repeat(ranks, x.sizes, axis=0)
    ranks *= weights
    labels = y.codes[x.order]
    if y.count > FEW_GROUPS:
        return np.asarray(np.einsum("ib,ib->b", ranks, ranks_y[labels]), dtype=np.float64)
    indicator = np.zeros((y.count, len(labels)))
    indicator[labels, np.arange(len(labels))] = 1.0
    return np.asarray(np.einsum("kb,kb->b", indicator @ ranks, ranks_y), dtype=np.float64)


def _spearman(x: Floats, y: Floats, weights: Floats) -> Floats:
    return pearson_rows(midranks(x, weights), midranks(y, weights), weights)


spearman_rows = in_blocks(_spearman, squared=False)
