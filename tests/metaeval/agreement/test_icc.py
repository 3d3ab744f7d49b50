"""Intraclass correlations against Shrout & Fleiss (1979), statsmodels' analysis of variance and simulation."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from metaeval.stats.agreement import icc_one_way, icc_two_way

# Shrout & Fleiss (1979), Table 2: six targets, four judges.
JUDGES = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float).T


def test_the_six_forms_equal_shrout_and_fleiss() -> None:
    found = {estimate.statistic: estimate.value for estimate in (*icc_one_way(JUDGES), *icc_two_way(JUDGES))}
    published = {
        "icc_1_1": 0.17,
        "icc_2_1": 0.29,
        "icc_3_1": 0.71,
        "icc_1_k": 0.44,
        "icc_2_k": 0.62,
        "icc_3_k": 0.91,
    }
    assert found == pytest.approx(published, abs=0.005)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_icc_1_with_unequal_numbers_has_the_mean_squares_of_a_one_way_anova(seed: int) -> None:
    random = np.random.default_rng(seed)
    ratings = random.normal(size=8) + random.normal(size=(5, 8))
    ratings[random.random(ratings.shape) < 0.3] = np.nan
    groups = [column[~np.isnan(column)] for column in ratings.T]
    groups = [group for group in groups if len(group) >= 2]
    sizes = np.array([len(group) for group in groups])
    within = sum(((group - group.mean()) ** 2).sum() for group in groups) / (sizes.sum() - len(groups))
    between = stats.f_oneway(*groups).statistic * within
    n0 = (sizes.sum() - (sizes**2).sum() / sizes.sum()) / (len(groups) - 1)
    single, mean = icc_one_way(ratings)
    assert single.value == pytest.approx((between - within) / (between + (n0 - 1) * within))
    assert mean.value == pytest.approx((between - within) / between)


def test_nested_raters_have_no_two_way_icc_and_say_so() -> None:
    ratings = np.full((10, 50), np.nan)
    for block in range(5):  # two raters a HIT of ten samples
        ratings[2 * block : 2 * block + 2, 10 * block : 10 * block + 10] = np.random.default_rng(block).normal(
            size=(2, 10)
        )
    for estimate in icc_two_way(ratings):
        assert estimate.value is None
        assert estimate.note.startswith("undefined: raters do not cross")
    assert icc_one_way(ratings)[0].value is not None


def test_a_few_holes_leave_the_complete_block_and_the_note_says_how_large_it_is() -> None:
    ratings = np.random.default_rng(0).normal(size=(3, 40))
    ratings[0, :2] = np.nan
    estimate = icc_two_way(ratings)[0]
    assert estimate.note == "complete block of 3 raters x 38 samples, 97% of the ratings"
    assert estimate.value == icc_two_way(ratings[:, 2:])[0].value


@pytest.mark.parametrize(
    "ratings",
    [np.full((3, 5), 2.0), np.full((3, 5), np.nan), np.ones((1, 4)), np.array([[1.0], [2.0]]), np.empty((0, 0))],
)
def test_icc_is_undefined_by_name(ratings: np.ndarray) -> None:
    for estimate in (*icc_one_way(ratings), *icc_two_way(ratings)):
        assert estimate.value is None
        assert estimate.note.startswith("undefined: ")


def test_perfect_agreement_is_one() -> None:
    ratings = np.tile(np.arange(6.0), (3, 1))
    assert [estimate.value for estimate in (*icc_one_way(ratings), *icc_two_way(ratings))] == pytest.approx([1.0] * 6)
