"""Ratings as votes for categories: what the models with latent labels are fitted to."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from metaeval.stats.aggregation.refusal import AggregationRefused
from metaeval.stats.agreement.pairable import Pairable, pairable
from metaeval.stats.design import Floats

# A slider from 0 to 100. A rater's confusion of more values than that cannot be estimated.
MOST_CATEGORIES: Final = 101


@dataclass(frozen=True)
class Votes:
    """The ratings in long form, and the size of the table that they came from."""

    given: Pairable  # every unit with at least one rating
    raters: int
    columns: int

    @property
    def shares(self) -> Floats:
        """(units, categories): the share of each category among a unit's votes."""
        unit, code, times = self.given.cells
        shares = np.zeros((self.given.units, len(self.given.domain)))
        shares[unit, code] = times / self.given.counts[unit]
        return shares

    def in_table(self, of_unit: Floats) -> Floats:
        """The rows of `of_unit` at their columns of the table, NaN for units without any rating."""
        placed = np.full((self.columns, *of_unit.shape[1:]), np.nan)
        placed[self.given.columns] = of_unit
        return placed


def votes_of(table: Floats, *, method: str) -> Votes:
    """The votes in a table; continuous ratings are refused."""
    given = pairable(table, at_least=1)
    if len(given.domain) > MOST_CATEGORIES:
        raise AggregationRefused(
            f"{method}: expected at most {MOST_CATEGORIES} different values, found {len(given.domain)}; "
            "it models categories"
        )
    return Votes(given, table.shape[0], table.shape[1])


def normalised(log_likelihood: Floats) -> tuple[Floats, float]:
    """Each row's probabilities, and the sum over rows of the log of what they were divided by."""
    highest = log_likelihood.max(axis=1, keepdims=True, initial=-np.inf)
    likelihood = np.exp(log_likelihood - highest)
    total = likelihood.sum(axis=1, keepdims=True)
    return likelihood / total, float((highest + np.log(total)).sum())
