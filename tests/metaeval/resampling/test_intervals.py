"""Percentile and BCa intervals against scipy, and where there is none."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metaeval.stats.design import Design, Weights
from metaeval.stats.resampling import (
    bca_interval,
    draw_weights,
    jackknife_range,
    jackknife_weights,
    percentile_interval,
)


def _mean(values: np.ndarray, weights: Weights) -> np.ndarray:
    expanded = weights.expand()
    return expanded @ values / expanded.sum(axis=1)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.8, 0.95, 0.99]))
@settings(max_examples=20, deadline=None)
def test_bca_is_that_of_scipy_on_the_same_replicates(seed: int, level: float) -> None:
    values = np.random.default_rng(seed).exponential(size=25)
    design = Design(np.arange(25), np.zeros(25, dtype=np.intp))
    replicates = _mean(values, draw_weights(design, unit="sample", replicates=500, seed=seed))
    jackknife = _mean(values, jackknife_weights(design, "sample"))
    ours = bca_interval(float(values.mean()), replicates, jackknife, level)
    theirs = stats.bootstrap(
        (values,),
        np.mean,
        n_resamples=0,
        bootstrap_result=type("Drawn", (), {"bootstrap_distribution": replicates})(),
        confidence_level=level,
        method="BCa",
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
    assert ours.method == "bootstrap BCa"


def test_percentiles_are_quantiles_of_what_is_defined() -> None:
    replicates = np.append(np.arange(101.0), np.full(4, np.nan))
    interval = percentile_interval(replicates, 0.9)
    assert (interval.low, interval.high) == pytest.approx((5, 95))
    assert (interval.undefined, interval.note) == (4, "")
    noted = percentile_interval(np.append(replicates, [np.nan] * 6))
    assert noted.note == "10 of 111 replicates undefined"


def test_without_units_or_values_there_is_a_reason_instead_of_an_interval() -> None:
    alone = percentile_interval(np.ones(100), units=1)
    assert (alone.low, alone.high, alone.note) == (None, None, "undefined: 1 unit to resample")
    empty = bca_interval(0.5, np.full(100, np.nan), np.ones(3))
    assert (empty.low, empty.note) == (None, "undefined: 0 of 100 replicates have a value")
    with pytest.raises(ValueError, match="level: expected a share between 0 and 1, found 95"):
        percentile_interval(np.ones(3), 95)


@pytest.mark.parametrize(
    ("point", "replicates", "jackknife"),
    [
        (1.0, np.ones(50), np.arange(5.0)),
        (9.0, np.arange(8.0), np.arange(5.0)),
        (3.0, np.arange(8.0), np.ones(5)),
        (3.0, np.arange(8.0), np.empty(0)),
    ],
    ids=["replicates equal", "point beyond all", "jackknife equal", "no jackknife"],
)
def test_where_bca_is_undefined_percentiles_are_given_and_named(
    point: float, replicates: np.ndarray, jackknife: np.ndarray
) -> None:
    interval = bca_interval(point, replicates, jackknife)
    plain = percentile_interval(replicates)
    assert (interval.low, interval.high) == (plain.low, plain.high)
    assert interval.method == "bootstrap percentile (BCa undefined)"


def test_the_jackknife_range_is_smallest_and_largest() -> None:
    interval = jackknife_range(np.array([0.3, np.nan, 0.1, 0.2]))
    assert (interval.low, interval.high, interval.undefined) == (0.1, 0.3, 1)
    assert jackknife_range(np.array([0.3])).low is None
