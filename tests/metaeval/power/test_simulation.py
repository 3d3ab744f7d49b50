"""Synthetic studies are what they say."""

import numpy as np
import pytest
from scipy import stats

from metaeval.stats.simulation import Population, draw_study, generator_level_pearson, population_values


def test_three_raters_give_thirteen_values() -> None:
    study = draw_study(Population(prompts=2000), seed=1)
    assert len(np.unique(study.labels)) == 13
    assert set(np.unique(study.ratings)) == {0, 1, 2, 3, 4}


def test_the_same_seed_gives_the_same_study() -> None:
    first, second = draw_study(Population(), seed=3), draw_study(Population(), seed=3)
    assert np.array_equal(first.scores, second.scores)
    assert np.array_equal(first.ratings, second.ratings)


@pytest.mark.parametrize("share", [0.02, 0.04, 0.2])
def test_the_wanted_share_is_negative(share: float) -> None:
    study = draw_study(Population(prompts=20_000, negatives=share), seed=2)
    assert np.mean(~study.is_positive) == pytest.approx(share, abs=0.004)


def test_the_metric_has_the_correlation_that_was_asked_for() -> None:
    population = Population(prompts=40_000, rater_noise=0.0, raters=1, correlation=0.5)
    study = draw_study(population, seed=4)
    # Without noise only the five steps of the scale lie between quality and label.
    assert np.corrcoef(study.scores, study.labels)[0, 1] == pytest.approx(0.5, abs=0.03)


def test_samples_of_a_prompt_are_alike_as_much_as_was_asked_for() -> None:
    study = draw_study(Population(prompts=20_000, generator_spread=0.0, correlation=0.0), seed=5)
    scores = study.scores.reshape(20_000, 5)
    assert np.corrcoef(scores[:, 0], scores[:, 1])[0, 1] == pytest.approx(0.5, abs=0.02)


def test_population_values_lie_within_their_error_of_another_large_study() -> None:
    population = Population()
    values = population_values(population, batches=4, prompts=4000)
    study = draw_study(Population(prompts=8000), seed=6)
    found = np.corrcoef(study.scores, study.labels)[0, 1]
    assert values["pearson"].value == pytest.approx(found, abs=0.02)
    tau = stats.kendalltau(study.scores, study.labels).statistic
    assert values["kendall_b"].value == pytest.approx(tau, abs=0.02)
    assert all(0 < value.error < 0.01 for value in values.values())


def test_between_random_generators_the_metrics_favour_lowers_the_correlation() -> None:
    fair = generator_level_pearson(Population(has_random_generators=True), batches=4, generators=500)
    unfair = generator_level_pearson(
        Population(has_random_generators=True, score_generator_spread=0.5), batches=4, generators=500
    )
    assert unfair.value < fair.value - 0.1
    with pytest.raises(ValueError, match="has_random_generators"):
        generator_level_pearson(Population())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prompts": 0}, "prompts: expected at least 1"),
        ({"prompt_share": 1.2}, "prompt_share: expected a share"),
        ({"correlation": 2.0}, "correlation: expected"),
        ({"negatives": 0.0}, "negatives: expected"),
    ],
)
def test_an_impossible_population_is_named(options: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Population(**options)  # type: ignore[arg-type]
