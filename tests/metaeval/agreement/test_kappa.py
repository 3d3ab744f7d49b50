"""Cohen's and Fleiss' kappa against scikit-learn and statsmodels; Gwet's AC against Gwet's own example."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from metaeval.stats.agreement import cohen_kappa, fleiss_kappa, gwet_ac1, gwet_ac2, percent_agreement
from metaeval.stats.agreement.gwet import AgreementWeights
from metaeval.stats.agreement.kappa import KappaWeights

pytestmark = pytest.mark.slow

nan = np.nan
likert = st.integers(1, 4).map(float)
# `cac.raw4raters` of Gwet's package irrCAC, whose documentation prints the figures below.
GWET = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, nan],
        [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 3],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
    ]
)


@settings(max_examples=40, deadline=None)
@given(arrays(float, (2, 15), elements=likert), st.sampled_from(["none", "linear", "quadratic"]))
def test_cohens_kappa_equals_scikit_learn(ratings: np.ndarray, weights: KappaWeights) -> None:
    found = cohen_kappa(ratings, weights=weights)
    assume(found.value is not None)
    oracle = cohen_kappa_score(
        ratings[0], ratings[1], labels=[1.0, 2.0, 3.0, 4.0], weights=None if weights == "none" else weights
    )
    assert found.value == pytest.approx(oracle, abs=1e-12)


def test_cohens_kappa_is_the_mean_over_pairs_of_raters_with_enough_in_common() -> None:
    random = np.random.default_rng(0)
    ratings = random.integers(1, 4, size=(3, 30)).astype(float)
    ratings[2, :25] = nan  # five in common with the others
    found = cohen_kappa(ratings)
    assert [(pair.first, pair.second, pair.common) for pair in found.pairs] == [(0, 1, 30)]
    assert found.note == "1 of 3 pairs of raters have at least 10 samples in common"
    every = cohen_kappa(ratings, common_at_least=2)
    assert every.value == pytest.approx(np.mean([pair.value for pair in every.pairs]))


def test_cohens_kappa_of_raters_who_never_meet_is_undefined_by_name() -> None:
    found = cohen_kappa(np.array([[1.0, nan], [nan, 2.0]]))
    assert found.value is None
    assert found.note.startswith("undefined: 0 of 0 pairs")
    constant = cohen_kappa(np.full((2, 12), 3.0))
    assert constant.value is None
    assert "constant ratings" in constant.note


@settings(max_examples=30, deadline=None)
@given(arrays(float, (4, 12), elements=likert))
def test_fleiss_kappa_equals_statsmodels_with_equal_numbers_of_ratings(ratings: np.ndarray) -> None:
    found = fleiss_kappa(ratings)
    assume(found is not None)
    assert found == pytest.approx(statsmodels_fleiss(aggregate_raters(ratings.T)[0]), abs=1e-12)


def test_missing_ratings_give_gwets_published_figures() -> None:
    assert percent_agreement(GWET) == pytest.approx(0.81818, abs=1e-5)
    assert fleiss_kappa(GWET) == pytest.approx(0.76117, abs=1e-5)
    assert gwet_ac1(GWET) == pytest.approx(0.77544, abs=1e-5)


def by_matrix(ratings: np.ndarray, weight: np.ndarray, domain: np.ndarray) -> float:
    """Gwet's AC2 as the Handbook writes it, with the full matrix of weights."""
    number = (ratings[:, :, None] == domain).sum(axis=0).astype(float)
    rated = number[number.sum(axis=1) >= 1]
    paired = number[number.sum(axis=1) >= 2]
    m = paired.sum(axis=1)
    observed = np.mean((paired * (paired @ weight.T - 1)).sum(axis=1) / (m * (m - 1)))
    share = (rated / rated.sum(axis=1, keepdims=True)).mean(axis=0)
    q = len(domain)
    chance = weight.sum() / (q * (q - 1)) * (share * (1 - share)).sum()
    return (observed - chance) / (1 - chance)


@settings(max_examples=30, deadline=None)
@given(
    arrays(float, (4, 9), elements=st.one_of(likert, likert, st.just(nan))),
    st.sampled_from(["linear", "quadratic", "ordinal"]),
)
def test_ac2_equals_its_definition_with_the_matrix_of_weights(ratings: np.ndarray, weights: AgreementWeights) -> None:
    found = gwet_ac2(ratings, weights=weights)
    assume(found is not None)
    domain = np.unique(ratings[~np.isnan(ratings)])
    q = len(domain)
    step = np.abs(np.arange(q)[:, None] - np.arange(q))
    apart = np.abs(domain[:, None] - domain) / np.ptp(domain)
    matrix = {
        "linear": 1 - apart,
        "quadratic": 1 - apart**2,
        "ordinal": np.where(step == 0, 1.0, 1 - (step + 1) * step / 2 / (q * (q - 1) / 2)),
    }[weights]
    assert found == pytest.approx(by_matrix(ratings, matrix, domain), abs=1e-12)


@pytest.mark.parametrize("statistic", [fleiss_kappa, gwet_ac1, gwet_ac2, percent_agreement])
@pytest.mark.parametrize("ratings", [np.full((3, 4), nan), np.array([[1.0, 2.0]]), np.empty((0, 0))])
def test_nothing_to_compare_is_undefined(statistic: object, ratings: np.ndarray) -> None:
    assert statistic(ratings) is None  # type: ignore[operator]


def test_ac1_stays_high_where_kappa_falls_for_lack_of_negatives() -> None:
    # Feinstein & Cicchetti (1990): 98% agreement, and yet a kappa near 0.
    ratings = np.ones((2, 100))
    ratings[0, 0] = ratings[1, 1] = 0
    kappa, ac1 = fleiss_kappa(ratings), gwet_ac1(ratings)
    assert kappa is not None
    assert ac1 is not None
    assert kappa < 0.0 < 0.95 < ac1
