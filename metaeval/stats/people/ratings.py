"""Sums over the raters of a (raters, samples) table with NaN where a rater gave no rating."""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.design import Bools, Design, Floats


@dataclass(frozen=True)
class RaterSums:
    """Of each sample: how many ratings it has, their sum, and their sum of squares about their mean."""

    counts: Floats
    totals: Floats
    squares: Floats

    @property
    def means(self) -> Floats:
        """NaN where a sample has no rating."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(self.counts > 0, self.totals / self.counts, np.nan)


def check_table(table: Floats, design: Design) -> None:
    """The table must have a column for each sample."""
    if table.ndim != 2 or table.shape[1] != design.size:
        raise ValueError(f"table: expected (raters, {design.size} samples), found {table.shape}")


def rater_sums(table: Floats) -> RaterSums:
    """Counts, totals and squares over the raters of each sample."""
    given: Bools = ~np.isnan(table)
    counts = given.sum(axis=0).astype(np.float64)
    totals = np.where(given, table, 0.0).sum(axis=0)
    means = totals / np.maximum(counts, 1)
    squares = (np.where(given, table - means, 0.0) ** 2).sum(axis=0)
    return RaterSums(counts, totals, squares)


def means_of_the_others(table: Floats) -> Floats:
    """(raters, samples): the mean of all other raters' ratings of the sample; NaN where there is none, or no own."""
    sums = rater_sums(table)
    with np.errstate(invalid="ignore", divide="ignore"):
        others = (sums.totals - table) / (sums.counts - 1)
    return np.where(~np.isnan(table) & (sums.counts >= 2), others, np.nan)
