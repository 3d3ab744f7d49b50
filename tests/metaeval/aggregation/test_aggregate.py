"""Mean, median, majority and standardised mean, and the rule of complete prompts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from metaeval.stats.aggregation import AggregationRefused, aggregate, complete_prompts
from metaeval.stats.design import Design

nan = np.nan
tables = arrays(float, (5, 7), elements=st.sampled_from([1.0, 2.0, 3.0, 7.0, nan]))


@settings(max_examples=50, deadline=None)
@given(tables)
def test_mean_median_and_majority_equal_their_oracles(table: np.ndarray) -> None:
    mean, median, majority = (aggregate(table, method=method).values for method in ("mean", "median", "majority"))
    for unit, column in enumerate(table.T):
        given_values = column[~np.isnan(column)]
        if not len(given_values):
            assert np.isnan([mean[unit], median[unit], majority[unit]]).all()
            continue
        assert mean[unit] == pytest.approx(given_values.mean())
        assert median[unit] == np.median(given_values)
        values, times = np.unique(given_values, return_counts=True)
        assert majority[unit] == np.median(values[times == times.max()])


def test_majority_counts_its_ties_and_names_the_rule() -> None:
    table = np.array([[1.0, 2.0, 5.0], [4.0, 2.0, 5.0], [nan, 3.0, nan]])
    ordered, nominal = (aggregate(table, method="majority", ordered=order) for order in (True, False))
    assert ordered.values.tolist() == [2.5, 2.0, 5.0]
    assert ordered.note == "1 of 3 samples tied: the median of the tied values"
    assert nominal.values.tolist() == [1.0, 2.0, 5.0]
    assert nominal.note == "1 of 3 samples tied: the lowest of the tied values"
    assert ordered.counts.tolist() == [2, 3, 2]


def test_samples_without_a_rating_are_counted() -> None:
    found = aggregate(np.array([[1.0, nan], [2.0, nan]]), method="mean")
    assert found.note == "1 of 2 samples have no rating"
    assert np.isnan(found.values[1])


def test_standardised_mean_is_the_mean_of_z_scores() -> None:
    table = np.random.default_rng(0).normal(size=(3, 20))
    found = aggregate(table, method="standardised_mean").values
    np.testing.assert_allclose(found, stats.zscore(table, axis=1, ddof=1).mean(axis=0))


def test_standardised_mean_forgives_a_rater_who_is_strict_or_bold() -> None:
    truth = np.random.default_rng(1).normal(size=30)
    table = np.stack([truth, 3 * truth - 5, 0.1 * truth + 2])
    table[1, :15] = nan
    whole = aggregate(table[[0, 2]], method="standardised_mean").values
    assert np.corrcoef(whole, truth)[0, 1] == pytest.approx(1.0)


def test_standardised_mean_leaves_out_raters_who_give_one_value_only() -> None:
    table = np.vstack([np.random.default_rng(0).normal(size=(2, 12)), np.full(12, 3.0)])
    found = aggregate(table, method="standardised_mean")
    assert found.note == "1 raters left out: they gave one value only"
    np.testing.assert_allclose(found.values, aggregate(table[:2], method="standardised_mean").values)


def test_standardised_mean_is_refused_where_raters_do_not_cross() -> None:
    table = np.full((2, 20), nan)
    table[0, :10] = table[1, 10:] = np.arange(10.0)
    with pytest.raises(AggregationRefused, match=r"raters who cross .*found 2 raters in 2 separate groups"):
        aggregate(table, method="standardised_mean")
    with pytest.raises(AggregationRefused, match="found 1 raters in 1 separate groups"):
        aggregate(np.arange(10.0)[None, :], method="standardised_mean")


def test_standardised_mean_is_refused_where_a_rater_has_few_ratings() -> None:
    table = np.random.default_rng(0).normal(size=(3, 20))
    table[2, 4:] = nan
    with pytest.raises(AggregationRefused, match="at least 5 ratings, found 1 of 3 raters with fewer"):
        aggregate(table, method="standardised_mean")


def test_methods_that_need_an_order_are_refused_on_a_nominal_scale() -> None:
    with pytest.raises(AggregationRefused, match="mean: expected values with an order, found a nominal scale"):
        aggregate(np.ones((2, 2)), method="mean", ordered=False)
    with pytest.raises(ValueError, match=r"method: expected one of mean, .*found 'mode'"):
        aggregate(np.ones((2, 2)), method="mode")  # type: ignore[arg-type]


def test_a_prompt_is_complete_with_enough_ratings_on_every_generator_that_occurs() -> None:
    prompt = np.array([0, 0, 1, 1, 2, 3, 3])
    generator = np.array([0, 2, 0, 2, 0, 0, 2])  # generator 1 does not occur
    counts = np.array([3, 3, 3, 2, 5, 4, 3])
    kept = complete_prompts(counts, Design(prompt, generator), ratings_at_least=3)
    # Prompt 1 has a sample with two ratings, prompt 2 lacks a generator.
    assert kept.tolist() == [True, True, False, False, False, True, True]


def test_complete_prompts_of_nothing_is_nothing() -> None:
    empty = np.zeros(0, np.intp)
    assert complete_prompts(empty, Design(empty, empty), ratings_at_least=3).shape == (0,)
    with pytest.raises(ValueError, match="counts: expected one number for each of 0 samples"):
        complete_prompts(np.ones(2, np.intp), Design(empty, empty), ratings_at_least=3)
