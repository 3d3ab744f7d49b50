"""Users against the oracle, and criteria against each other."""

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from metaeval.stats.design import Level
from metaeval.stats.people import CriteriaRow, criteria_correlations, users_against_oracle
from metaeval.stats.simulation import Population, draw_study

pytestmark = pytest.mark.slow

STUDY = draw_study(Population(prompts=30, generators=4), seed=6)
SAMPLE: list[Level] = ["sample"]


def test_a_user_row_has_the_values_of_scipy_and_sklearn() -> None:
    table = np.vstack([STUDY.ratings, STUDY.labels])
    rows = users_against_oracle(
        table, STUDY.design, oracle=3, statistics=["pearson", "kendall_b", "auc_roc"], levels=SAMPLE, cut=2.0
    )
    assert [row.rater for row in rows[::3]] == [0, 1, 2]
    for pearson, kendall, auc in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
        ratings = table[pearson.rater]
        assert pearson.estimate.value == pytest.approx(stats.pearsonr(ratings, STUDY.labels).statistic)
        assert kendall.estimate.value == pytest.approx(stats.kendalltau(ratings, STUDY.labels).statistic)
        assert auc.estimate.value == pytest.approx(roc_auc_score(STUDY.labels >= 2, ratings))


def test_the_oracle_has_no_row_of_its_own_and_gaps_are_left_out() -> None:
    table = STUDY.ratings.copy()
    table[1, :30] = np.nan
    rows = users_against_oracle(table, STUDY.design, oracle=0, statistics=["pearson"], levels=SAMPLE)
    assert [(row.rater, row.estimate.n) for row in rows] == [(1, 90), (2, 120)]


def test_a_perfect_user_gets_an_exact_bound_of_the_auc() -> None:
    labels = STUDY.is_positive.astype(float)
    table = np.vstack([labels, labels])
    (row,) = users_against_oracle(table, STUDY.design, oracle=1, statistics=["auc_roc"], levels=SAMPLE)
    prompts = len(np.unique(STUDY.design.prompt[~STUDY.is_positive]))
    assert row.estimate.value == 1
    assert row.estimate.ci_low == pytest.approx(0.025 ** (1 / prompts))
    assert row.estimate.ci_method == "exact bound"


def test_an_oracle_that_is_not_binary_needs_a_cut() -> None:
    with pytest.raises(ValueError, match="cut: expected"):
        users_against_oracle(STUDY.ratings, STUDY.design, oracle=STUDY.labels, statistics=["auc_roc"], levels=SAMPLE)


def test_an_oracle_of_another_length_is_refused() -> None:
    with pytest.raises(ValueError, match="oracle: expected a label for each of 120 samples"):
        users_against_oracle(
            STUDY.ratings, STUDY.design, oracle=STUDY.labels[1:], statistics=["pearson"], levels=SAMPLE
        )


def criteria() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    other = np.clip(np.rint(STUDY.ratings + rng.normal(0, 1, STUDY.ratings.shape)), 0, 4)
    return {"faithful": STUDY.ratings, "natural": other}


def test_criteria_correlate_as_their_labels_do() -> None:
    tables = criteria()
    rows = criteria_correlations(tables, STUDY.design)
    assert [(row.statistic, row.level) for row in rows[:3]] == [
        ("pearson", "sample"),
        ("pearson", "generator"),
        ("pearson", "rating"),
    ]
    means = [table.mean(axis=0) for table in tables.values()]
    assert rows[0].estimate.value == pytest.approx(stats.pearsonr(*means).statistic)
    assert rows[3].estimate.value == pytest.approx(stats.spearmanr(*means).statistic)


def test_halo_is_the_mean_of_the_raters_own_correlations() -> None:
    tables = criteria()
    halo = _halo(criteria_correlations(tables, STUDY.design, statistics=["kendall_b"], levels=[]))
    own = [stats.kendalltau(*pair).statistic for pair in zip(*tables.values(), strict=True)]
    assert halo.estimate.value == pytest.approx(np.mean(own))
    assert (halo.raters, halo.estimate.n) == (3, 360)
    assert halo.estimate.ci_low is not None
    assert halo.estimate.ci_low < np.mean(own)


def test_a_rater_without_spread_is_left_out_of_the_halo() -> None:
    tables = criteria()
    tables["natural"][0] = 2.0
    halo = _halo(criteria_correlations(tables, STUDY.design, statistics=["pearson"], levels=[]))
    assert halo.raters == 2


def test_no_rater_with_common_ratings_is_a_named_undefined() -> None:
    tables = criteria()
    tables["natural"][:, :] = np.nan
    halo = _halo(criteria_correlations(tables, STUDY.design, statistics=["pearson"], levels=[]))
    assert halo.estimate.value is None
    assert halo.estimate.note.startswith("undefined: no rater")


def _halo(rows: list[CriteriaRow]) -> CriteriaRow:
    (row,) = [row for row in rows if row.level == "rating"]
    return row
