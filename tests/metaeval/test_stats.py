import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from metaeval.stats import STATISTICS, correlate, krippendorff_alpha
from metaeval.stats.agreement import Measurement

ORACLES = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall_b": stats.kendalltau}
likert = st.sampled_from([0.0, 1.0, 2.0, 3.0, 4.0])


@given(arrays(float, (3, 12), elements=st.one_of(likert, st.just(np.nan))), st.sampled_from(["nominal", "ordinal"]))
def test_alpha_equals_the_package_wherever_it_is_defined(ratings: np.ndarray, measurement: Measurement) -> None:
    value = krippendorff_alpha(ratings, measurement=measurement)
    assume(value is not None)
    assert value == pytest.approx(krippendorff.alpha(ratings, level_of_measurement=measurement), abs=1e-12)


@pytest.mark.parametrize(
    "ratings",
    [
        np.full((3, 4), np.nan),
        np.array([[1.0, 2.0, np.nan], [np.nan, np.nan, 3.0]]),  # no sample has two ratings
        np.full((2, 5), 3.0),  # everybody always says the same
        np.empty((0, 0)),
    ],
)
def test_alpha_is_undefined_where_it_has_no_meaning(ratings: np.ndarray) -> None:
    assert krippendorff_alpha(ratings, measurement="ordinal") is None


@given(st.lists(st.tuples(likert, likert), min_size=3, max_size=30), st.sampled_from(sorted(STATISTICS)))
def test_correlation_equals_scipy_wherever_it_is_defined(points: list[tuple[float, float]], statistic: str) -> None:
    x, y = np.array(points).T
    value = correlate(x, y, statistic=statistic)
    if np.ptp(x) == 0 or np.ptp(y) == 0:
        assert value is None
    else:
        assert value == pytest.approx(ORACLES[statistic](x, y).statistic)


def test_correlation_of_unequal_lengths_is_refused() -> None:
    with pytest.raises(ValueError, match="same length, found 2 and 3"):
        correlate(np.zeros(2), np.zeros(3), statistic="pearson")
