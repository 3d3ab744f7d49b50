"""Labels from raters with unknown error rates: Dawid & Skene (1979), Applied Statistics 28, 20-28.

Each sample has a true category, each rater a confusion matrix: the probability of giving each category when the true
one is c. EM starts at the shares of the votes (majority vote) and alternates their equations 2.3 and 2.4 (rates and
priors from the posteriors) with 2.5 (posteriors from rates and priors).
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from metaeval.stats.aggregation.votes import Votes, normalised, votes_of
from metaeval.stats.agreement.pairable import sum_by
from metaeval.stats.design import Floats

# A rate of exactly 0 would forbid a category for ever on the word of one rater.
SMALLEST_RATE: Final = 1e-10


@dataclass(frozen=True)
class DawidSkene:
    """The fitted model. Rows of `posteriors` are NaN for samples without a rating."""

    categories: Floats  # (K,)
    posteriors: Floats  # (units, K)
    confusion: Floats  # (raters, true category, given category); NaN for raters without a rating
    priors: Floats  # (K,)
    iterations: int
    converged: bool
    log_likelihood: float


def dawid_skene(
    table: Floats, *, smoothing: float = 0.01, iterations: int = 1000, tolerance: float = 1e-6
) -> DawidSkene:
    """Fit by EM. `smoothing` is added to every count of a confusion matrix; crowd ratings are few for K x K rates.

    Stops after `iterations`, or when no posterior moves by `tolerance` any more. (Not when the likelihood stops
    growing: it need not grow with smoothing, and is flat long before the posteriors are at rest.)
    """
    if smoothing < 0:
        raise ValueError(f"smoothing: expected 0 or more, found {smoothing}")
    votes = votes_of(table, method="dawid_skene")
    posteriors, likelihood = votes.shares, 0.0
    priors, confusion = _rates(votes, posteriors, smoothing)
    done, converged = 0, not votes.given.units
    while done < iterations and not converged:
        before = posteriors
        posteriors, likelihood = _posteriors(votes, priors, confusion)
        priors, confusion = _rates(votes, posteriors, smoothing)
        done += 1
        converged = bool(np.abs(posteriors - before).max() < tolerance)
    silent = np.setdiff1d(np.arange(votes.raters), votes.given.rater)
    confusion[silent] = np.nan
    return DawidSkene(votes.given.domain, votes.in_table(posteriors), confusion, priors, done, converged, likelihood)


def _rates(votes: Votes, posteriors: Floats, smoothing: float) -> tuple[Floats, Floats]:
    """Priors (K,) and confusion (raters, true, given), by equations 2.3 and 2.4."""
    given, k = votes.given, posteriors.shape[1]
    cell = given.rater * k + given.code
    counts = np.empty((votes.raters, k, k))
    for true in range(k):
        counts[:, true] = sum_by(cell, posteriors[given.unit, true], votes.raters * k).reshape(votes.raters, k)
    counts = np.maximum(counts + smoothing, SMALLEST_RATE)
    priors = posteriors.sum(axis=0) / max(len(posteriors), 1)
    return priors, counts / counts.sum(axis=2, keepdims=True)


def _posteriors(votes: Votes, priors: Floats, confusion: Floats) -> tuple[Floats, float]:
    """(units, K) by equation 2.5, in logarithms, and the log likelihood of the ratings."""
    given, k = votes.given, len(priors)
    log_rates = np.log(confusion)
    total = np.tile(np.log(np.maximum(priors, SMALLEST_RATE)), (given.units, 1))
    for true in range(k):
        total[:, true] += given.total(log_rates[given.rater, true, given.code])
    return normalised(total)
