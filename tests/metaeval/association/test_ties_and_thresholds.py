import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import f1_score

from metaeval.stats.association import tie_calibration
from metaeval.stats.association.acc_eq import acc_eq_chance
from metaeval.stats.association.cuts import binarise, cuts, most_balanced_cut
from metaeval.stats.association.float_noise import find_noise, merge_noise
from metaeval.stats.association.folds import folds_by_prompt
from metaeval.stats.association.soft_pairwise import soft_pairwise_accuracy
from metaeval.stats.association.thresholds import best_thresholds
from metaeval.stats.association.tie_calibration import calibrate_ties, calibrate_ties_crossvalidated
from metaeval.stats.design import Design, Floats
from tests.metaeval.association.oracles import oracle

pytestmark = pytest.mark.slow

likert = st.sampled_from([0.0, 1.0, 2.0])


def crossed(prompts: int, generators: int) -> Design:
    return Design(np.repeat(np.arange(prompts), generators), np.tile(np.arange(generators), prompts))


@settings(max_examples=15)
@given(arrays(float, 5, elements=likert), arrays(float, 5, elements=likert))
def test_chance_of_acc_eq_is_its_mean_over_all_shuffles(scores: Floats, labels: Floats) -> None:
    shuffled = [oracle("acc_eq", np.array(order), labels) for order in itertools.permutations(scores)]
    found = acc_eq_chance(scores, labels, crossed(1, 5), level="prompt")
    assert found == pytest.approx(np.mean(shuffled))
    assert acc_eq_chance(scores, labels, crossed(1, 5)) == pytest.approx(found)


def accuracy_at(epsilon: float, scores: Floats, labels: Floats, design: Design) -> float:
    values = []
    for prompt in np.unique(design.prompt):
        x, y = scores[design.prompt == prompt], labels[design.prompt == prompt]
        first, second = np.triu_indices(len(x), 1)
        difference = x[first] - x[second]
        sign = np.where(np.abs(difference) <= epsilon, 0.0, np.sign(difference))
        values.append((sign == np.sign(y[first] - y[second])).mean())
    return float(np.mean(values))


@settings(max_examples=30)
@given(data=st.data())
def test_tie_calibration_finds_the_best_of_all_tolerances(data: st.DataObject) -> None:
    design = crossed(4, 5).take(np.arange(18))
    scores = data.draw(arrays(float, 18, elements=st.integers(0, 12).map(float)))
    labels = data.draw(arrays(float, 18, elements=likert))
    found = calibrate_ties(scores, labels, design)
    every = [accuracy_at(float(epsilon), scores, labels, design) for epsilon in range(13)]
    assert found.value == pytest.approx(max(every))
    assert found.at_zero == pytest.approx(every[0])
    assert accuracy_at(found.epsilon, scores, labels, design) == pytest.approx(found.value)


def test_crossvalidated_calibration_is_not_better_than_the_optimum() -> None:
    rng = np.random.default_rng(0)
    design = crossed(40, 5)
    labels = rng.integers(0, 3, 200).astype(float)
    scores = labels + rng.normal(size=200)
    found = calibrate_ties_crossvalidated(scores, labels, design, seed=1)
    assert found.crossvalidated is not None
    assert found.crossvalidated <= found.value
    assert found.crossvalidated > found.at_zero  # people tie a third of all pairs, the score none


def test_more_pairs_than_fit_are_sampled_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    design = crossed(50, 4)
    labels = rng.integers(0, 3, 200).astype(float)
    scores = labels + rng.normal(size=200)
    whole = calibrate_ties(scores, labels, design, within_prompts=False)
    monkeypatch.setattr(tie_calibration, "MOST_PAIRS", 5000)
    some = calibrate_ties(scores, labels, design, within_prompts=False)
    assert (whole.pairs, whole.sampled) == (19900, False)
    assert (some.pairs, some.sampled) == (5000, True)
    assert some.value == pytest.approx(whole.value, abs=0.04)


def test_soft_pairwise_accuracy_is_one_for_the_labels_and_low_for_their_reverse() -> None:
    rng = np.random.default_rng(0)
    design = crossed(30, 4)
    labels = design.generator + rng.normal(size=design.size)
    assert soft_pairwise_accuracy(labels, labels, design).value == 1.0
    assert soft_pairwise_accuracy(-labels, labels, design).value < 0.2
    assert np.isnan(soft_pairwise_accuracy(labels[:1], labels[:1], design.take(np.array([0]))).value)


def test_soft_pairwise_accuracy_takes_prompts_that_both_generators_have() -> None:
    rng = np.random.default_rng(0)
    design = crossed(30, 3).take(np.arange(80))
    labels = rng.normal(size=design.size)
    found = soft_pairwise_accuracy(labels, labels, design)
    assert (found.value, found.pairs) == (1.0, 3)


def test_folds_keep_a_prompt_whole() -> None:
    design = crossed(11, 3)
    fold = folds_by_prompt(design.prompt, folds=4, seed=2)
    assert all(len(np.unique(fold[design.prompt == prompt])) == 1 for prompt in range(11))
    assert sorted(np.bincount(fold)) == [6, 9, 9, 9]


def test_thresholds_separate_what_is_separable() -> None:
    design = crossed(20, 4)
    labels = (design.generator >= 2).astype(float)
    found = best_thresholds(design.generator.astype(float), labels, design.prompt)
    assert (found.f1, found.accuracy, found.majority_accuracy) == (1.0, 1.0, 0.5)
    assert found.f1_threshold == 1.5


def test_thresholds_of_noise_do_not_beat_what_needs_no_metric() -> None:
    rng = np.random.default_rng(5)
    design = crossed(100, 4)
    labels = (rng.random(400) < 0.8).astype(float)
    found = best_thresholds(rng.normal(size=400), labels, design.prompt, seed=1)
    assert found.accuracy is not None
    assert found.majority_accuracy is not None
    assert found.f1_always_positive == pytest.approx(f1_score(labels, np.ones(400)))
    assert found.accuracy <= found.majority_accuracy + 0.02
    assert best_thresholds(labels, np.ones(400), design.prompt).f1 is None


def test_cuts_lie_above_the_lowest_value_and_the_balanced_one_in_the_middle() -> None:
    labels = np.array([1.0, 1.0, 2.0, 3.0, 3.0, 5.0, np.nan])
    assert cuts(labels) == [2.0, 3.0, 5.0]
    assert most_balanced_cut(labels) == 3.0
    assert most_balanced_cut(np.ones(4)) is None
    assert binarise(labels, 3.0).tolist()[:-1] == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]


def test_float_noise_is_found_and_merged() -> None:
    values = np.array([0.3, 0.1 + 0.2, 0.3, 1.0, np.nan, 0.0, 0.3 - 0.1 - 0.2])
    found = find_noise(values)
    assert (found.values, found.samples) == (2, 2)
    merged = merge_noise(values)
    assert len(np.unique(merged[~np.isnan(merged)])) == 3
    assert merged[1] == 0.3
    assert np.isnan(merged[4])


@pytest.mark.parametrize("values", [[1e-12, 1e-10, 1.0], [1.0, 2.0, 3.0, 1e12], [5e-17, 1.2e-16, 0.3], [2.0], []])
def test_true_differences_on_a_long_scale_are_no_noise(values: list[float]) -> None:
    assert find_noise(np.array(values)).values == 0
    assert merge_noise(np.array(values)).tolist() == values


def test_where_rounding_is_the_whole_range_every_difference_is_noise() -> None:
    values = np.array([0.3, 0.1 + 0.2, 0.3])
    assert find_noise(values).examples == ((0.3, 0.30000000000000004),)
    assert merge_noise(values).tolist() == [0.3, 0.3, 0.3]
    assert find_noise(np.array([1.0, 1.0 + 1e-9])).values == 0


def test_a_value_that_is_known_to_be_exact_draws_its_neighbours_to_it() -> None:
    noisy = 0.7 - 2**-52
    assert merge_noise(np.array([noisy, noisy, 0.1]), exact=np.array([0.7])).tolist() == [0.7, 0.7, 0.1]
    assert merge_noise(np.array([noisy, np.nan]), exact=np.array([0.7, np.nan]))[0] == 0.7
