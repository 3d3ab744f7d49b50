"""Each rater by themselves."""

import krippendorff
import numpy as np
import pytest

from metaeval.stats.agreement import (
    agreement_matrix,
    krippendorff_alpha,
    rater_summaries,
    raters_against_oracle,
    self_consistency,
)
from metaeval.stats.agreement.raters import MatrixStatistic

nan = np.nan


def study(raters: int = 4, units: int = 40) -> np.ndarray:
    random = np.random.default_rng(2)
    return np.clip(np.round(3 + random.normal(size=units) + 0.5 * random.normal(size=(raters, units))), 1, 5)


def test_bias_is_the_mean_deviation_from_the_others_on_the_same_samples() -> None:
    table = np.array([[1.0, 2.0, 5.0, nan], [2.0, 3.0, nan, 1.0], [2.0, nan, nan, 1.0]])
    first, second, third = rater_summaries(table, measurement="interval")
    assert first.bias == pytest.approx(((1 - 2) + (2 - 3)) / 2)
    assert (first.ratings, first.shared) == (3, 2)
    assert second.bias == pytest.approx(((2 - 1.5) + (3 - 2) + 0) / 3)
    assert third.bias_standardised == pytest.approx(third.bias / np.nanstd(table))


def test_a_random_rater_lowers_alpha_and_the_others_do_not() -> None:
    table = study()
    table[3] = np.random.default_rng(9).integers(1, 6, size=40)
    influence = np.array([row.influence for row in rater_summaries(table, measurement="ordinal")], float)
    assert influence[3] == influence.max() > 0
    whole, without = (krippendorff_alpha(part, measurement="ordinal") for part in (table, table[:3]))
    assert whole is not None
    assert without is not None
    assert influence[3] == pytest.approx(without - whole)


def test_a_rater_who_meets_nobody_has_no_bias() -> None:
    row = rater_summaries(np.array([[1.0, nan], [nan, 2.0]]), measurement="ordinal")[0]
    assert (row.bias, row.bias_standardised, row.influence) == (None, None, None)


def test_rater_against_oracle_has_one_row_a_rater_and_one_alpha_a_criterion() -> None:
    table, oracle = study(), np.random.default_rng(4).integers(1, 6, size=40).astype(float)
    oracle[:5] = nan
    silent = np.vstack([table, np.full(40, nan)])
    rows = raters_against_oracle({"a": silent, "b": silent}, {"a": oracle}, measurement="ordinal")
    assert [row.rater for row in rows] == [0, 1, 2, 3]
    assert rows[1].common == {"a": 35}
    expected = krippendorff.alpha(np.stack([table[1], oracle]), level_of_measurement="ordinal")
    assert rows[1].alpha["a"] == pytest.approx(expected)


@pytest.mark.parametrize("statistic", ["alpha", "cohen_kappa_quadratic"])
def test_the_matrix_is_symmetric_and_empty_below_two_common_samples(statistic: MatrixStatistic) -> None:
    table = study(3)
    table[2, 1:] = nan
    found = agreement_matrix(table, measurement="ordinal", statistic=statistic)
    assert found.common.tolist() == [[40, 40, 1], [40, 40, 1], [1, 1, 1]]
    assert np.array_equal(found.values, found.values.T, equal_nan=True)
    assert np.isnan(found.values[2]).all()
    assert 0 < found.values[0, 1] < 1


def test_self_consistency_is_alpha_between_occasions() -> None:
    sample = np.array([0, 1, 2, 0, 1, 2, 3, 0])
    rater = np.array([0, 0, 0, 0, 0, 0, 0, 1])
    occasion = np.array([1, 1, 1, 2, 2, 2, 1, 1])
    value = np.array([1.0, 2, 3, 1, 2, 4, 5, 1])
    (row,) = self_consistency(rater=rater, sample=sample, occasion=occasion, value=value, measurement="ordinal")
    assert (row.rater, row.samples, row.equal) == (0, 3, pytest.approx(2 / 3))
    assert row.alpha == pytest.approx(krippendorff.alpha([[1, 2, 3], [1, 2, 4]], level_of_measurement="ordinal"))
