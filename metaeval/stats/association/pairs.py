"""Statistics of pairs: Kendall's tau-b and tau-c, Somers' D, pairwise accuracy with ties, AUC and U.

A sample of weight w stands for w copies, tied with each other on both sides. All of these follow from S (concordant
less discordant pairs) and from the weights of tie groups. They come in two forms: `..._many` for m scores against one
set of labels over weighted replicates, and `..._rows` for points that differ from row to row.
"""

from collections.abc import Callable

import numpy as np

from metaeval.stats.association.concordance import concordance
from metaeval.stats.association.draws import Draws
from metaeval.stats.association.ties import TieGroups, joint_groups, tie_groups
from metaeval.stats.design import Floats

Run = Callable[[Draws], Floats]
# S, scores, labels, draws -> (B,)
Finish = Callable[[Floats, TieGroups, TieGroups, Draws], Floats]


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """NaN where the denominator is not positive: there the statistic is undefined."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)


def _many(scores: Floats, labels: Floats, finish: Finish) -> Run:
    y = tie_groups(labels)
    sides = [tie_groups(row) for row in scores]
    plans = [concordance(x, y) for x in sides]

    def run(draws: Draws) -> Floats:
        return np.stack([finish(plan(draws), x, y, draws) for plan, x in zip(plans, sides, strict=True)])

    return run


def kendall_b_many(scores: Floats, labels: Floats) -> Run:
    """Kendall (1945): S / sqrt(pairs untied in x times pairs untied in y)."""
    y = tie_groups(labels)
    sides = [tie_groups(row) for row in scores]
    plans = [concordance(x, y) for x in sides]

    def run(draws: Draws) -> Floats:
        # Twice the untied pairs; those of the labels are the same for all scores.
        square = draws.total**2
        of_labels = square - y.power(draws, 2)
        values = [
            ratio(2.0 * plan(draws), np.sqrt((square - x.power(draws, 2)) * of_labels))
            for plan, x in zip(plans, sides, strict=True)
        ]
        return np.clip(np.stack(values), -1.0, 1.0)

    return run


def kendall_c_many(scores: Floats, labels: Floats) -> Run:
    """Stuart (1953): 2 S m / (n^2 (m - 1)), m the smaller number of different values that a replicate holds."""

    def finish(s: Floats, x: TieGroups, y: TieGroups, draws: Draws) -> Floats:
        m = np.minimum(x.distinct(draws), y.distinct(draws))
        return ratio(2.0 * s * m, draws.total**2 * (m - 1.0))

    return _many(scores, labels, finish)


def somers_d_many(scores: Floats, labels: Floats) -> Run:
    """Somers (1962), D(score | label): S over the pairs that people tell apart; 2 AUC - 1 for two classes."""

    def finish(s: Floats, x: TieGroups, y: TieGroups, draws: Draws) -> Floats:
        square = draws.total**2
        # By the formula a constant score has D = 0; it is undefined like all correlations of a constant.
        return np.where(square > x.power(draws, 2), ratio(2.0 * s, square - y.power(draws, 2)), np.nan)

    return _many(scores, labels, finish)


def acc_eq_many(scores: Floats, labels: Floats) -> Run:
    """Deutsch et al. (2023, Ties Matter): (concordant + tied on both sides) / all pairs."""

    def finish(s: Floats, x: TieGroups, y: TieGroups, draws: Draws) -> Floats:
        both = joint_groups(x, y).power(draws, 2)
        # Twice the pairs untied on both sides.
        untied = draws.total**2 - x.power(draws, 2) - y.power(draws, 2) + both
        right = (untied + 2.0 * s) / 2.0 + both - draws.total
        return ratio(right, draws.total * (draws.total - 1.0))

    return _many(scores, labels, finish)


def auc_roc_many(scores: Floats, labels: Floats) -> Run:
    """Hanley and McNeil (1982): the chance that a positive scores above a negative, a tie counting half."""

    def finish(s: Floats, x: TieGroups, y: TieGroups, draws: Draws) -> Floats:
        positive = draws.sums(labels[None])[0]
        return ratio(s / 2.0, positive * (draws.total - positive)) + 0.5

    return _many(scores, labels, finish)


def mann_whitney_u_many(scores: Floats, labels: Floats) -> Run:
    """Mann and Whitney (1947): pairs in which the positive scores higher, a tie counting half."""

    def finish(s: Floats, x: TieGroups, y: TieGroups, draws: Draws) -> Floats:
        positive = draws.sums(labels[None])[0]
        across = positive * (draws.total - positive)
        return np.where(across > 0, (s + across) / 2.0, np.nan)

    return _many(scores, labels, finish)
