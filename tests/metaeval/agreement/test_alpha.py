"""Krippendorff's alpha against the krippendorff package, and where that one cannot go."""

import tracemalloc

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metaeval.stats.agreement import Measurement, krippendorff_alpha

MEASUREMENTS: list[Measurement] = ["nominal", "ordinal", "interval", "ratio"]
likert = st.sampled_from([0.0, 1.0, 2.0, 3.0, 7.5])
continuous = st.floats(0, 100, allow_nan=False).map(lambda value: round(value, 6))
missing = st.just(np.nan)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(2, 6), st.integers(1, 14), st.sampled_from(MEASUREMENTS))
def test_alpha_equals_the_package_with_any_raters_missing_ratings_and_values(
    data: st.DataObject, raters: int, units: int, measurement: Measurement
) -> None:
    values = data.draw(st.sampled_from([likert, continuous]))
    ratings = data.draw(arrays(float, (raters, units), elements=st.one_of(values, values, missing)))
    value = krippendorff_alpha(ratings, measurement=measurement)
    assume(value is not None)
    assert value == pytest.approx(krippendorff.alpha(ratings, level_of_measurement=measurement), rel=1e-9, abs=1e-9)


def test_alpha_equals_krippendorffs_own_example() -> None:
    nan = np.nan
    ratings = np.array(
        [
            [1, 2, 3, 3, 2, 1, 4, 1, 2, nan, nan, nan],
            [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, nan, 3],
            [nan, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, nan],
            [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, nan],
        ]
    )
    found = [krippendorff_alpha(ratings, measurement=measurement) for measurement in MEASUREMENTS]
    assert found == pytest.approx([0.743, 0.815, 0.849, 0.797], abs=5e-4)


@pytest.mark.parametrize("measurement", MEASUREMENTS)
@pytest.mark.parametrize(
    "ratings",
    [
        np.full((3, 4), np.nan),
        np.array([[1.0, 2.0, np.nan], [np.nan, np.nan, 3.0]]),  # no unit has two ratings
        np.array([[1.0, 1.0, 2.0], [1.0, 1.0, np.nan]]),  # the second value stands alone
        np.full((2, 5), 3.0),
        np.full((1, 5), 3.0),
        np.empty((0, 0)),
    ],
)
def test_alpha_is_undefined_where_it_has_no_meaning(ratings: np.ndarray, measurement: Measurement) -> None:
    assert krippendorff_alpha(ratings, measurement=measurement) is None


def test_interval_alpha_does_not_lose_its_digits_far_from_zero() -> None:
    ratings = np.random.default_rng(0).normal(size=(3, 50))
    near = krippendorff_alpha(ratings, measurement="interval")
    assert krippendorff_alpha(ratings + 1e6, measurement="interval") == pytest.approx(near, abs=1e-8)


@pytest.mark.parametrize("measurement", MEASUREMENTS)
def test_alpha_of_a_large_table_stays_within_memory(measurement: Measurement) -> None:
    # The package needs units x values x values numbers here: 2 * 10^9.
    random = np.random.default_rng(1)
    truth = random.normal(50, 20, size=20_000)
    ratings = np.clip(np.round(truth + random.normal(0, 10, size=(3, 20_000))), 0, 100)
    tracemalloc.start()
    value = krippendorff_alpha(ratings, measurement=measurement)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert value is not None
    assert peak < 50e6  # a tenth of 500 MB for a tenth of 200,000 units


def test_unknown_measurement_and_odd_tables_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"measurement: expected one of nominal.*found 'cardinal'"):
        krippendorff_alpha(np.zeros((2, 2)), measurement="cardinal")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"ratings: expected \(raters, units\)"):
        krippendorff_alpha(np.zeros(3), measurement="nominal")
    with pytest.raises(ValueError, match="infinite"):
        krippendorff_alpha(np.full((2, 2), np.inf), measurement="nominal")
