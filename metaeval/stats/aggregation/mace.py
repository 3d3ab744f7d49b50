"""Labels from raters who may be guessing: MACE, Hovy et al. (2013), NAACL-HLT, 1120-1130.

A rater either knows (with probability theta, their competence) and gives the true category, or guesses from a
distribution xi of their own. Categories are equally likely beforehand. Fitted by variational Bayes as in the paper's
section 3 (a Beta prior on theta, a Dirichlet prior on xi), from several seeded starts; the one with the highest
log likelihood wins.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import digamma

from metaeval.stats.aggregation.votes import Votes, normalised, votes_of
from metaeval.stats.agreement.pairable import sum_by
from metaeval.stats.design import Floats

# The priors that crowd-kit has: Beta(0.5, 0.5) on theta, and Dirichlet(10) on xi, near to uniform guessing.
BETA: Final = 0.5
DIRICHLET: Final = 10.0


@dataclass(frozen=True)
class Mace:
    """The fitted model. Rows are NaN for samples without a rating and raters who gave none."""

    categories: Floats  # (K,)
    posteriors: Floats  # (units, K)
    competence: Floats  # (raters,): the probability that the rater knows
    guessing: Floats  # (raters, K): what the rater gives otherwise
    log_likelihood: float


@dataclass(frozen=True)
class _State:
    """Not normalised: variational weights exp(E log p) sum to less than 1."""

    knows: Floats  # (raters,)
    guesses: Floats  # (raters,)
    strategy: Floats  # (raters, K)


@dataclass(frozen=True)
class _Expectation:
    posteriors: Floats
    knew: Floats  # (ratings,): the probability that the rater knew when giving the rating
    log_likelihood: float


def mace(table: Floats, *, restarts: int = 10, iterations: int = 50, tolerance: float = 1e-10, seed: int = 0) -> Mace:
    """Fit from `restarts` random starts of at most `iterations` rounds each."""
    votes = votes_of(table, method="mace")
    random = np.random.default_rng(seed)
    runs = [_run(votes, random, iterations, tolerance) for _ in range(max(restarts, 1))]
    state, expectation = max(runs, key=lambda run: run[1].log_likelihood)
    competence = state.knows / (state.knows + state.guesses)
    guessing = state.strategy / state.strategy.sum(axis=1, keepdims=True)
    silent = np.setdiff1d(np.arange(votes.raters), votes.given.rater)
    competence[silent] = np.nan
    guessing[silent] = np.nan
    return Mace(
        votes.given.domain,
        votes.in_table(expectation.posteriors),
        competence,
        guessing,
        expectation.log_likelihood,
    )


def _run(votes: Votes, random: np.random.Generator, iterations: int, tolerance: float) -> tuple[_State, _Expectation]:
    state = _start(votes, random)
    expectation = _expect(votes, state)
    for _ in range(iterations):
        before = expectation.log_likelihood
        state = _maximise(votes, expectation)
        expectation = _expect(votes, state)
        if abs(expectation.log_likelihood - before) <= tolerance * abs(before):
            break
    return state, expectation


def _start(votes: Votes, random: np.random.Generator) -> _State:
    """Near to uniform, and more often knowing than not: the model's mirror image (nobody knows) is a trap."""
    k = len(votes.given.domain)
    knows = random.uniform(0.5, 0.9, size=votes.raters)
    strategy = random.uniform(1.0, 2.0, size=(votes.raters, k))
    return _State(knows, 1 - knows, strategy / strategy.sum(axis=1, keepdims=True))


def _expect(votes: Votes, state: _State) -> _Expectation:
    """A rating a has probability guess * xi_a, and + know where a is the true category."""
    given, k = votes.given, len(votes.given.domain)
    guessed = state.guesses[given.rater] * state.strategy[given.rater, given.code]
    known = state.knows[given.rater]
    # Only the given category differs from the common factor, so a unit x category table of gains will do.
    gain = np.log1p(known / guessed)
    cells = sum_by(given.unit * k + given.code, gain, given.units * k).reshape(given.units, k)
    total = cells + given.total(np.log(guessed))[:, None] - np.log(max(k, 1))
    posteriors, likelihood = normalised(total)
    knew = posteriors[given.unit, given.code] * known / (known + guessed)
    return _Expectation(posteriors, knew, likelihood)


def _maximise(votes: Votes, expectation: _Expectation) -> _State:
    given, k = votes.given, len(votes.given.domain)
    knew = sum_by(given.rater, expectation.knew, votes.raters)
    guessed = sum_by(given.rater * k + given.code, 1 - expectation.knew, votes.raters * k).reshape(votes.raters, k)
    outcome = _variational(np.stack([knew, guessed.sum(axis=1)], axis=1), BETA)
    return _State(outcome[:, 0], outcome[:, 1], _variational(guessed, DIRICHLET))


def _variational(counts: Floats, prior: float) -> Floats:
    """exp(E log p) under the Dirichlet posterior of each row."""
    posterior = np.maximum(counts, 0.0) + prior
    weights: Floats = np.exp(digamma(posterior) - digamma(posterior.sum(axis=1, keepdims=True)))
    return weights
