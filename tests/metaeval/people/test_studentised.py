"""The default interval: Student's t on leave-one-out values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metaeval.stats.association.levels import evaluate
from metaeval.stats.people.estimates import MOST_GROUPS, prompt_groups
from metaeval.stats.resampling.draws import jackknife_weights
from metaeval.stats.resampling.intervals import Interval
from metaeval.stats.resampling.studentised import degrees_of_freedom, jackknife_t_interval
from metaeval.stats.simulation import Population, draw_study


def leave_one_out_means(values: np.ndarray) -> np.ndarray:
    return (values.sum() - values) / (len(values) - 1)


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(5, 200))
def test_for_a_mean_the_error_is_the_textbook_one(seed: int, size: int) -> None:
    values = np.random.default_rng(seed).uniform(size=size)  # light tails: all degrees of freedom
    left_out = leave_one_out_means(values)
    found = jackknife_t_interval(float(values.mean()), left_out, scale="identity")
    reach = stats.t.ppf(0.975, degrees_of_freedom(left_out)) * values.std(ddof=1) / np.sqrt(size)
    assert found.low == pytest.approx(values.mean() - reach)
    assert found.high == pytest.approx(values.mean() + reach)


def test_even_spread_has_all_degrees_of_freedom_and_one_that_decides_about_two() -> None:
    assert degrees_of_freedom(np.tile([-1.0, 1.0], 20)) == 39
    assert degrees_of_freedom(np.r_[1.0, np.zeros(39)]) == pytest.approx(2.1, abs=0.1)


@pytest.mark.parametrize(("scale", "low", "high"), [("fisher", -1, 1), ("logit", 0, 1)])
def test_the_interval_stays_within_the_scale(scale: str, low: float, high: float) -> None:
    rng = np.random.default_rng(1)
    for point in np.linspace(low + 0.01, high - 0.01, 15):
        left_out = np.clip(point + rng.normal(0, 0.05, 30), low, high)
        found = jackknife_t_interval(float(point), left_out, scale=scale)  # type: ignore[arg-type]
        assert found.low is not None
        assert found.high is not None
        assert low <= found.low < point < found.high <= high


def test_a_wider_level_gives_a_wider_interval() -> None:
    left_out = leave_one_out_means(np.random.default_rng(1).normal(size=30))
    narrow = jackknife_t_interval(0.0, left_out, scale="identity", level=0.8)
    wide = jackknife_t_interval(0.0, left_out, scale="identity", level=0.99)
    assert wide.low is not None
    assert narrow.low is not None
    assert wide.low < narrow.low


def test_why_there_is_no_interval_is_named() -> None:
    assert "leaving out one unit" in jackknife_t_interval(0.5, np.array([0.4, np.nan, 0.6]), scale="logit").note
    assert "2 units to leave out" in jackknife_t_interval(0.5, np.array([0.4, 0.6]), scale="logit").note
    assert "shows no spread" in jackknife_t_interval(1.0, np.ones(5), scale="fisher").note
    assert "the same whichever" in jackknife_t_interval(0.5, np.full(5, 0.5), scale="fisher").note
    assert "no value" in jackknife_t_interval(float("nan"), np.ones(5), scale="fisher").note


def test_a_perfect_auc_is_bounded_by_the_prompts_that_hold_negatives() -> None:
    found = jackknife_t_interval(1.0, np.ones(40), scale="logit", rare_units=6)
    assert (found.low, found.high) == (pytest.approx(0.025 ** (1 / 6)), 1.0)
    turned = jackknife_t_interval(0.0, np.zeros(40), scale="logit", rare_units=6)
    assert (turned.low, turned.high) == (0.0, pytest.approx(1 - 0.025 ** (1 / 6)))


def test_alpha_far_below_chance_still_has_an_interval() -> None:
    found = jackknife_t_interval(-1.4, np.array([-1.5, -1.4, -1.3, -1.45]), scale="fisher")
    assert found.low is not None
    assert found.low < -1.4


def test_prompts_are_left_out_whole_and_in_forty_groups_at_most() -> None:
    study = draw_study(Population(prompts=90, generators=3), seed=1)
    groups = prompt_groups(study.design)
    assert groups.counts.shape == (MOST_GROUPS, MOST_GROUPS)
    for prompt in range(90):
        assert len(set(groups.unit_of[study.design.prompt == prompt].tolist())) == 1
    sizes = np.bincount(groups.unit_of)
    assert sizes.max() - sizes.min() <= 3


def test_groups_of_prompts_give_nearly_the_interval_of_single_prompts() -> None:
    study = draw_study(Population(prompts=400, generators=3), seed=2)

    def interval(weights: object) -> tuple[float, float]:
        def values(some: object) -> np.ndarray:
            return evaluate(
                study.scores,
                study.labels,
                study.design,
                statistic="pearson",
                level="sample",
                weights=some,  # type: ignore[arg-type]
            ).values

        found = jackknife_t_interval(float(values(None)[0]), values(weights), scale="fisher")
        assert found.low is not None
        assert found.high is not None
        return found.low, found.high

    single = interval(jackknife_weights(study.design, "prompt"))
    assert interval(prompt_groups(study.design)) == pytest.approx(single, abs=0.02)


def auc_interval(seed: int) -> Interval:
    study = draw_study(Population(), seed=seed)
    labels = study.is_positive.astype(float)
    weights = jackknife_weights(study.design, "prompt")
    point, left_out = (
        evaluate(study.scores, labels, study.design, statistic="auc_roc", level="sample", weights=some).values
        for some in (None, weights)
    )
    return jackknife_t_interval(float(point[0]), left_out, scale="logit", rare_units=3)


@pytest.mark.slow
def test_an_auc_with_few_negatives_is_covered() -> None:
    intervals = [found for found in map(auc_interval, range(200)) if found.low is not None and found.high is not None]
    held = np.mean([found.low <= 0.83 <= found.high for found in intervals])  # type: ignore[operator]
    assert held >= 0.92  # percentiles of the bootstrap hold it 86 times in 100
