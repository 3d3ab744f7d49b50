"""Every statistic of association between scores and labels, in one table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from metaeval.stats.association import curves, pair_rows, pairs
from metaeval.stats.association.draws import Draws, draws_of, over_blocks
from metaeval.stats.association.pairs import Run
from metaeval.stats.association.pearson import pearson_many, pearson_rows
from metaeval.stats.association.rows import RowStatistic
from metaeval.stats.association.spearman import spearman_many, spearman_rows
from metaeval.stats.design import Floats, Weights

Many = Callable[[Floats, Floats], Run]


@dataclass(frozen=True)
class Statistic:
    """One statistic, in the forms that levels and tests need. NaN is undefined in all of them."""

    name: str
    needs: Literal["values", "classes"]  # classes: labels are 0 or 1
    chance: float | None  # the value under no association; None where it depends on the data
    many: Many  # (m, n) scores, (n,) labels -> a plan that turns draws into (m, B) values
    rows: RowStatistic | None  # (B, g) points that differ from row to row, and their weights
    reference: str

    def pooled(self, x: Floats, y: Floats, weights: Floats) -> Floats:
        """(B,): the statistic of n samples in each replicate; `weights` is (B, n)."""
        values = self.of_draws(x[None], y, draws_of(Weights(weights, np.arange(len(x)))))
        return np.asarray(values[0])

    def of_draws(self, scores: Floats, labels: Floats, draws: Draws) -> Floats:
        """(m, B): the statistic of m scores, planned once and run on both cores."""
        # A few scores at a time: their plans hold about n * sqrt(n) numbers each.
        height = max(1, 100_000 // max(1, len(labels)))
        parts = [
            over_blocks(draws, self.many(scores[start : start + height], labels))
            for start in range(0, len(scores), height)
        ]
        return np.concatenate(parts)


_TABLE = (
    Statistic("pearson", "values", 0.0, pearson_many, pearson_rows, "Pearson 1895"),
    Statistic("spearman", "values", 0.0, spearman_many, spearman_rows, "Spearman 1904"),
    Statistic("kendall_b", "values", 0.0, pairs.kendall_b_many, pair_rows.kendall_b_rows, "Kendall 1945"),
    Statistic("kendall_c", "values", 0.0, pairs.kendall_c_many, pair_rows.kendall_c_rows, "Stuart 1953"),
    Statistic("somers_d", "values", 0.0, pairs.somers_d_many, pair_rows.somers_d_rows, "Somers 1962, D(score | label)"),
    Statistic("acc_eq", "values", None, pairs.acc_eq_many, pair_rows.acc_eq_rows, "Deutsch, Foster and Freitag 2023"),
    Statistic("auc_roc", "classes", 0.5, pairs.auc_roc_many, pair_rows.auc_roc_rows, "Hanley and McNeil 1982"),
    Statistic(
        "average_precision",
        "classes",
        None,
        curves.average_precision_many,
        curves.average_precision_rows,
        "area under precision-recall by steps, as in scikit-learn",
    ),
    Statistic(
        "aupr_trapezoid",
        "classes",
        None,
        curves.aupr_trapezoid_many,
        curves.aupr_trapezoid_rows,
        "area under precision-recall by the trapezoid rule from (0, 1); optimistic: Davis and Goadrich 2006",
    ),
    Statistic("ks", "classes", None, curves.ks_many, curves.ks_rows, "Smirnov 1939, two-sided"),
    Statistic(
        "mann_whitney_u",
        "classes",
        None,
        pairs.mann_whitney_u_many,
        pair_rows.mann_whitney_u_rows,
        "Mann and Whitney 1947",
    ),
)
STATISTICS: Final[dict[str, Statistic]] = {statistic.name: statistic for statistic in _TABLE}
