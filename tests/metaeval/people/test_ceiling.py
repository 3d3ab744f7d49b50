"""The ceiling that raters' noise sets, and the correction for it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.stats.agreement.icc import icc_one_way
from metaeval.stats.design import Design
from metaeval.stats.people.ceiling import (
    NOT_POSITIVE,
    OVER_ONE,
    corrected_pearson,
    label_ceiling,
    reliability_replicates,
)
from metaeval.stats.resampling.draws import draw_weights
from metaeval.stats.simulation import Population, draw_study

STUDY = draw_study(Population(prompts=60, generators=5), seed=7)


def test_with_equal_numbers_of_ratings_it_is_icc_1_k() -> None:
    found = label_ceiling(STUDY.ratings, STUDY.design, level="sample")
    _, mean = icc_one_way(STUDY.ratings)
    assert found.reliability.value == pytest.approx(mean.value)
    assert mean.value is not None
    assert found.ceiling.value == pytest.approx(np.sqrt(mean.value))


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_replicates_are_the_values_of_the_drawn_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 5, (3, 24)).astype(float)
    table[:, rng.random(24) < 0.3] += 2
    table[rng.random(table.shape) < 0.2] = np.nan
    table = table[:, ~np.isnan(table).all(axis=0)]
    design = Design(np.arange(table.shape[1]) // 3, np.arange(table.shape[1]) % 3)
    weights = draw_weights(design, unit="prompt", replicates=4, seed=seed)
    found = reliability_replicates(table, design, weights, level="sample")
    for value, counts in zip(found, weights.expand().astype(int), strict=True):
        drawn = np.repeat(table, counts, axis=1)
        expected = _reliability(drawn)
        assert value == pytest.approx(expected, nan_ok=True)


def _reliability(table: np.ndarray) -> float:
    k = (~np.isnan(table)).sum(axis=0)
    repeated = table[:, k >= 2]
    if not repeated.size:
        return float("nan")
    freedom = (k[k >= 2] - 1).sum()
    within = np.nansum((repeated - np.nanmean(repeated, axis=0)) ** 2) / freedom
    variance = np.nanmean(table, axis=0).var(ddof=1)
    return float("nan") if variance == 0 else float(1 - within * np.mean(1 / k) / variance)


def test_between_generators_the_error_is_the_raters_noise_over_all_their_ratings() -> None:
    found = label_ceiling(STUDY.ratings, STUDY.design, level="generator").reliability
    means = STUDY.labels.reshape(60, 5).mean(axis=0)
    noise = STUDY.ratings.var(axis=0, ddof=1).mean() / (60 * len(STUDY.ratings))
    assert found.value == pytest.approx(1 - noise / means.var(ddof=1))
    assert found.n == 5


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_replicates_between_generators_are_the_values_of_the_drawn_table(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 5, (3, 24)).astype(float)
    table[:, np.arange(24) % 3 == 2] += 2
    table[rng.random(table.shape) < 0.2] = np.nan
    generator = (np.arange(24) % 3)[~np.isnan(table).all(axis=0)]
    prompt = (np.arange(24) // 3)[~np.isnan(table).all(axis=0)]
    table = table[:, ~np.isnan(table).all(axis=0)]
    design = Design(prompt, generator)
    weights = draw_weights(design, unit="prompt", replicates=4, seed=seed)
    found = reliability_replicates(table, design, weights, level="generator")
    for value, counts in zip(found, weights.expand().astype(int), strict=True):
        drawn = np.repeat(table, counts, axis=1)
        assert value == pytest.approx(_between_generators(drawn, np.repeat(generator, counts)), nan_ok=True)


def _between_generators(table: np.ndarray, generator: np.ndarray) -> float:
    k = (~np.isnan(table)).sum(axis=0)
    repeated = table[:, k >= 2]
    within = np.nansum((repeated - np.nanmean(repeated, axis=0)) ** 2) / (k[k >= 2] - 1).sum()
    labels = np.nanmean(table, axis=0)
    groups = [generator == one for one in np.unique(generator)]
    means = np.array([labels[group].mean() for group in groups])
    error = np.mean([within * np.sum(1 / k[group]) / group.sum() ** 2 for group in groups])
    return float("nan") if means.var(ddof=1) < 1e-20 else float(1 - error / means.var(ddof=1))


def test_an_errorless_metric_reaches_the_ceiling_between_generators() -> None:
    """Prompts suit some generators better than others. The metric saw the same prompts: that is no error of labels."""
    rng = np.random.default_rng(3)
    prompts, generators = 80, 40
    quality = (0.1 * rng.normal(size=generators) + rng.normal(size=(prompts, generators))).ravel()
    design = Design(np.arange(quality.size) // generators, np.arange(quality.size) % generators)
    ratings = quality + rng.normal(0, 1.5, (3, quality.size))
    found = corrected_pearson(quality, ratings, design, level="generator")
    ceiling = label_ceiling(ratings, design, level="generator").ceiling.value
    assert found.found is not None
    assert ceiling == pytest.approx(found.found, abs=0.05)
    assert found.corrected.value == pytest.approx(1.0, abs=0.05)


@pytest.mark.slow
def test_correction_finds_the_correlation_with_what_labels_stand_for() -> None:
    population = Population(prompts=2000, generators=5, rater_noise=1.0)
    study = draw_study(population, seed=1)
    noiseless = draw_study(Population(prompts=2000, generators=5, raters=60, rater_noise=1.0), seed=1)
    found = corrected_pearson(study.scores, study.ratings, study.design, level="sample")
    truth = np.corrcoef(noiseless.scores, noiseless.labels)[0, 1]
    assert found.found is not None
    assert found.corrected.value is not None
    assert found.found < truth - 0.05
    assert found.corrected.value == pytest.approx(truth, abs=0.02)


def test_the_interval_can_be_the_percentiles_of_given_draws() -> None:
    weights = draw_weights(STUDY.design, unit="prompt", replicates=200, seed=1)
    found = corrected_pearson(STUDY.scores, STUDY.ratings, STUDY.design, level="sample", weights=weights).corrected
    default = corrected_pearson(STUDY.scores, STUDY.ratings, STUDY.design, level="sample").corrected
    assert found.ci_method == "bootstrap percentile"
    assert default.ci_method == "jackknife t"
    assert found.ci_low == pytest.approx(default.ci_low, abs=0.05)


def test_values_over_one_are_shown_and_noted() -> None:
    rng = np.random.default_rng(0)
    design = STUDY.design
    quality = rng.normal(size=design.size)
    table = quality + rng.normal(0, 3, (2, design.size))
    found = corrected_pearson(table.mean(axis=0), table, design, level="sample").corrected
    assert found.value is not None
    assert found.value > 1
    assert OVER_ONE in found.note


def test_no_reliability_is_a_named_undefined() -> None:
    ratings = np.array([[0.0, 1, 2, 3, 4, 0], [4, 3, 2, 1, 0, 4]])
    ratings[0, 0] = 1
    design = Design(np.arange(6) // 2, np.arange(6) % 2)
    found = corrected_pearson(np.arange(6.0), ratings, design, level="sample")
    assert found.corrected.value is None
    assert found.corrected.note == NOT_POSITIVE
    ceiling = label_ceiling(ratings, design, level="sample")
    assert ceiling.reliability.value is not None
    assert ceiling.ceiling.value is None


def test_one_rating_a_sample_is_a_named_undefined() -> None:
    found = corrected_pearson(STUDY.scores, STUDY.ratings[:1], STUDY.design, level="sample")
    assert found.corrected.note == "undefined: no sample has two ratings"
    assert found.found is not None


def test_samples_without_score_or_rating_are_left_out_of_both() -> None:
    scores, table = STUDY.scores.copy(), STUDY.ratings.copy()
    scores[:5] = np.nan
    table[:, 5:10] = np.nan
    weights = draw_weights(STUDY.design, unit="prompt", replicates=20, seed=1)
    found = corrected_pearson(scores, table, STUDY.design, level="sample", weights=weights)
    expected = corrected_pearson(scores[10:], table[:, 10:], STUDY.design.take(np.arange(10, 300)), level="sample")
    assert found.found == pytest.approx(expected.found)
    assert found.corrected.value == pytest.approx(expected.corrected.value)
    assert found.corrected.n == 290
