"""The statistics of pairs on points that differ from row to row. Definitions and papers: `pairs`."""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.association.pairs import ratio
from metaeval.stats.association.rows import distinct_values, in_blocks
from metaeval.stats.design import Floats


@dataclass(frozen=True)
class PairSums:
    """(B,) each, over pairs of different points; copies of one point are tied with each other and not in here."""

    s: Floats  # concordant less discordant
    untied_x: Floats
    untied_y: Floats
    untied_both: Floats
    tied_both: Floats
    total: Floats  # points, copies counted


def _pair_sums(x: Floats, y: Floats, weights: Floats) -> PairSums:
    first, second = np.triu_indices(x.shape[1], 1)
    pair = weights[:, first] * weights[:, second]
    sign_x = np.sign(x[:, first] - x[:, second])
    sign_y = np.sign(y[:, first] - y[:, second])
    signs = sign_x * sign_y
    differ_x, differ_y = np.abs(sign_x), np.abs(sign_y)
    untied_x = np.einsum("bp,bp->b", pair, differ_x)
    untied_y = np.einsum("bp,bp->b", pair, differ_y)
    untied_both = np.einsum("bp,bp->b", pair, np.abs(signs))
    return PairSums(
        s=np.einsum("bp,bp->b", pair, signs),
        untied_x=untied_x,
        untied_y=untied_y,
        untied_both=untied_both,
        tied_both=pair.sum(axis=1) - untied_x - untied_y + untied_both,
        total=weights.sum(axis=1),
    )


def _kendall_b(x: Floats, y: Floats, weights: Floats) -> Floats:
    first, second = np.triu_indices(x.shape[1], 1)
    pair = weights[:, first] * weights[:, second]
    sign_x = np.sign(x[:, first] - x[:, second])
    sign_y = np.sign(y[:, first] - y[:, second])
    weighted = pair * sign_x
    s = np.einsum("bp,bp->b", weighted, sign_y)
    untied_x = np.einsum("bp,bp->b", weighted, sign_x)
    untied_y = np.einsum("bp,bp,bp->b", pair, sign_y, sign_y)
    return np.clip(ratio(s, np.sqrt(untied_x * untied_y)), -1.0, 1.0)


def _kendall_c(x: Floats, y: Floats, weights: Floats) -> Floats:
    m = np.minimum(distinct_values(x, weights), distinct_values(y, weights))
    return ratio(2.0 * _pair_sums(x, y, weights).s * m, weights.sum(axis=1) ** 2 * (m - 1.0))


def _somers_d(x: Floats, y: Floats, weights: Floats) -> Floats:
    sums = _pair_sums(x, y, weights)
    return np.where(sums.untied_x > 0, ratio(sums.s, sums.untied_y), np.nan)


def _acc_eq(x: Floats, y: Floats, weights: Floats) -> Floats:
    sums = _pair_sums(x, y, weights)
    copies = (weights * (weights - 1.0)).sum(axis=1) / 2.0
    right = (sums.untied_both + sums.s) / 2.0 + sums.tied_both + copies
    return ratio(right, sums.total * (sums.total - 1.0) / 2.0)


def _auc_roc(x: Floats, y: Floats, weights: Floats) -> Floats:
    sums = _pair_sums(x, y, weights)
    return ratio(sums.s / 2.0, sums.untied_y) + 0.5


def _mann_whitney_u(x: Floats, y: Floats, weights: Floats) -> Floats:
    sums = _pair_sums(x, y, weights)
    return np.where(sums.untied_y > 0, (sums.s + sums.untied_y) / 2.0, np.nan)


kendall_b_rows = in_blocks(_kendall_b, squared=True)
kendall_c_rows = in_blocks(_kendall_c, squared=True)
somers_d_rows = in_blocks(_somers_d, squared=True)
acc_eq_rows = in_blocks(_acc_eq, squared=True)
auc_roc_rows = in_blocks(_auc_roc, squared=True)
mann_whitney_u_rows = in_blocks(_mann_whitney_u, squared=True)
