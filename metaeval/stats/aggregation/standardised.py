"""The mean of each rater's z-scores: takes out how high and how widely a rater uses the scale.

A z-score compares a rater with themselves, so it is fair only where raters judged comparable samples: all of them
must hang together through samples they share, and each needs enough ratings for a mean and a spread.
"""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from metaeval.stats.aggregation.refusal import AggregationRefused
from metaeval.stats.design import Bools, Floats, Ints


def standardised_mean(table: Floats, *, ratings_at_least: int = 5) -> tuple[Floats, int]:
    """(units,): the mean z-score, NaN where none; and how many raters were left out for giving one value only."""
    given = ~np.isnan(table)
    number = given.sum(axis=1)
    active = number > 0
    _refuse_few_ratings(number[active], ratings_at_least)
    _refuse_separate_raters(given[active])
    filled = np.where(given, table, 0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = filled.sum(axis=1, keepdims=True) / number[:, None]
        deviation = np.where(given, table - mean, 0.0)
        spread = np.sqrt((deviation**2).sum(axis=1) / (number - 1))
        constant = active & (np.where(given, table, -np.inf).max(axis=1) == np.where(given, table, np.inf).min(axis=1))
        scores = np.where(given & ~constant[:, None], deviation / spread[:, None], np.nan)
        used = ~np.isnan(scores)
        values = np.where(used, scores, 0.0).sum(axis=0) / used.sum(axis=0)
    return values, int(constant.sum())


def _refuse_few_ratings(number: Ints, ratings_at_least: int) -> None:
    few = int((number < ratings_at_least).sum())
    if few or not len(number):
        raise AggregationRefused(
            f"standardised_mean: expected every rater to have at least {ratings_at_least} ratings, "
            f"found {few} of {len(number)} raters with fewer"
        )


def _refuse_separate_raters(given: Bools) -> None:
    rated = csr_array(given.astype(float))
    groups, _ = connected_components(rated @ rated.T, directed=False)
    if len(given) < 2 or groups > 1:
        raise AggregationRefused(
            f"standardised_mean: expected raters who cross (linked by samples that they share), "
            f"found {len(given)} raters in {groups} separate groups"
        )
