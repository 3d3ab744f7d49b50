"""Every bootstrap replicate is alpha of the table with its columns duplicated."""

import warnings

import krippendorff
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.stats.agreement import Measurement, alpha_replicates, krippendorff_alpha
from metaeval.stats.agreement import alpha_ordinal as ordinal

MEASUREMENTS: list[Measurement] = ["nominal", "ordinal", "interval", "ratio"]


def study(seed: int, *, raters: int, units: int, values: int | None, missing: float) -> np.ndarray:
    random = np.random.default_rng(seed)
    ratings = np.abs(random.normal(3, 1, size=units) + random.normal(size=(raters, units)))
    if values is not None:
        ratings = np.clip(np.round(ratings), 0, values - 1)
    return np.where(random.random(ratings.shape) < missing, np.nan, ratings)


def draws(seed: int, *, replicates: int, groups: int) -> np.ndarray:
    return np.random.default_rng(seed).multinomial(groups, np.full(groups, 1 / groups), size=replicates).astype(float)


def oracle(ratings: np.ndarray, multiplicity: np.ndarray, measurement: Measurement) -> float:
    duplicated = np.repeat(ratings, multiplicity.astype(int), axis=1)
    if krippendorff_alpha(duplicated, measurement=measurement) is None:
        return np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return krippendorff.alpha(duplicated, level_of_measurement=measurement)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10_000),
    st.integers(2, 7),
    st.integers(2, 20),
    st.sampled_from([2, 5, 30, None]),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from(MEASUREMENTS),
)
def test_replicates_equal_the_package_on_duplicated_columns(
    seed: int, raters: int, units: int, values: int | None, missing: float, measurement: Measurement
) -> None:
    ratings = study(seed, raters=raters, units=units, values=values, missing=missing)
    group_of = np.random.default_rng(seed).integers(0, 6, size=units)
    counts = draws(seed, replicates=5, groups=6)
    found = alpha_replicates(ratings, counts, group_of, measurement=measurement)
    expected = [oracle(ratings, row[group_of], measurement) for row in counts]
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("values", [5, 60, None])
def test_both_ordinal_paths_give_the_same(monkeypatch: pytest.MonkeyPatch, values: int | None) -> None:
    ratings = study(3, raters=6, units=40, values=values, missing=0.2)
    counts, group_of = draws(3, replicates=20, groups=40), np.arange(40)
    monkeypatch.setattr(ordinal, "FEW_VALUES", 1000)
    by_meetings = alpha_replicates(ratings, counts, group_of, measurement="ordinal")
    monkeypatch.setattr(ordinal, "FEW_VALUES", 0)
    monkeypatch.setattr(ordinal, "FEW_PAIRS_PER_RATING", 0)
    by_ranks = alpha_replicates(ratings, counts, group_of, measurement="ordinal")
    np.testing.assert_allclose(by_ranks, by_meetings, atol=1e-12)


@pytest.mark.parametrize("measurement", MEASUREMENTS)
def test_blocks_of_replicates_give_the_same(monkeypatch: pytest.MonkeyPatch, measurement: Measurement) -> None:
    ratings = study(4, raters=3, units=30, values=None, missing=0.1)
    counts, group_of = draws(4, replicates=25, groups=30), np.arange(30)
    whole = alpha_replicates(ratings, counts, group_of, measurement=measurement)
    monkeypatch.setattr("metaeval.stats.agreement.grouped.BLOCK", 400)
    monkeypatch.setattr("metaeval.stats.agreement.alpha.BLOCK", 100)
    np.testing.assert_allclose(alpha_replicates(ratings, counts, group_of, measurement=measurement), whole, atol=1e-12)


@pytest.mark.parametrize("measurement", MEASUREMENTS)
def test_a_replicate_that_draws_one_value_only_is_undefined(measurement: Measurement) -> None:
    ratings = np.array([[0.1, 0.3, 0.3], [0.1, 0.3, 0.7]])
    counts = np.array([[3.0, 0, 0], [0, 3.0, 0], [1.0, 1.0, 1.0], [0, 0, 0]])
    found = alpha_replicates(ratings, counts, np.arange(3), measurement=measurement)
    assert np.isnan(found).tolist() == [True, True, False, True]


def test_weights_for_other_units_are_refused() -> None:
    with pytest.raises(ValueError, match="group_of: expected one group for each of 4 units"):
        alpha_replicates(np.zeros((2, 4)), np.ones((1, 2)), np.zeros(3, int), measurement="nominal")
    with pytest.raises(ValueError, match="group_of: expected groups from 0 to 1, found 5"):
        alpha_replicates(np.zeros((2, 4)), np.ones((1, 2)), np.full(4, 5), measurement="nominal")
