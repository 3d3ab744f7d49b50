"""Corrections, rank clusters, searches, Williams, Fisher and the paired bootstrap."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import false_discovery_control
from statsmodels.stats.multitest import multipletests

from metaeval.stats.design import Design, Floats
from metaeval.stats.significance import (
    association_p,
    benjamini_hochberg,
    fisher_interval,
    holm,
    leave_one_generator_out,
    mann_whitney_test,
    paired_bootstrap,
    rank_clusters,
    search_p,
    tie_structures_differ,
    too_few_permutations,
    williams_p,
)

pytestmark = pytest.mark.slow

PROMPT, GENERATOR = np.repeat(np.arange(20), 4), np.tile(np.arange(4), 20)
DESIGN = Design(PROMPT, GENERATOR)


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 7, 40])
def test_corrections_are_those_of_statsmodels(size: int) -> None:
    p = np.round(np.random.default_rng(size).beta(0.3, 1, size), 2)  # rounded: with ties
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1], abs=1e-12)
    assert benjamini_hochberg(p) == pytest.approx(multipletests(p, method="fdr_bh")[1], abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
@settings(max_examples=60)
def test_corrections_agree_with_scipy_and_with_each_other(p: list[float]) -> None:
    by_holm, by_hochberg = holm(np.array(p)), benjamini_hochberg(np.array(p))
    assert by_hochberg == pytest.approx(false_discovery_control(p), abs=1e-12)
    assert np.all(by_holm >= by_hochberg - 1e-12)
    assert np.all(by_hochberg >= np.array(p) - 1e-12)
    # Only the smallest p pays for all tests.
    assert by_holm.min() == pytest.approx(min(1, min(p) * len(p)))


def test_what_was_not_tested_does_not_count() -> None:
    assert holm(np.array([0.01, np.nan, 0.03])) == pytest.approx([0.02, np.nan, 0.03], nan_ok=True)
    assert len(benjamini_hochberg(np.array([]))) == 0


def test_too_few_permutations_are_warned_of() -> None:
    assert too_few_permutations(9_999, 105) == ""
    assert "at least 2,099 are needed" in too_few_permutations(999, 105)
    assert too_few_permutations(2_099, 105) == ""


def _p(size: int, differing: set[tuple[int, int]]) -> Floats:
    p = np.ones((size, size))
    for a, b in differing:
        p[a, b] = 0.001
    return p


def test_a_cluster_ends_before_a_metric_that_a_member_beats() -> None:
    p = _p(4, {(0, 2), (0, 3), (1, 2), (1, 3)})
    assert rank_clusters([0.9, 0.8, 0.4, 0.3], p) == [1, 1, 2, 2]
    assert rank_clusters([0.3, 0.4, 0.8, 0.9], p) == [2, 2, 1, 1]


def test_a_long_chain_of_neighbours_is_not_one_cluster() -> None:
    assert rank_clusters([0.9, 0.8, 0.7], _p(3, {(0, 2)})) == [1, 1, 2]
    assert rank_clusters([0.9, 0.8, 0.7, 0.6], _p(4, {(0, 2), (1, 3)})) == [1, 1, 2, 2]


def test_a_metric_without_value_has_no_cluster_and_separates_nothing() -> None:
    p = _p(3, {(0, 2)})
    p[1, :] = p[:, 1] = np.nan
    assert rank_clusters([0.9, None, 0.2], p) == [1, None, 2]
    assert rank_clusters([None, float("nan")], np.ones((2, 2))) == [None, None]


def test_a_search_over_one_member_is_a_plain_one_sided_test() -> None:
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 80).astype(float)
    scores = labels * 0.4 + rng.normal(size=(1, 80))
    options: dict[str, Any] = {"statistic": "mann_whitney_u", "level": "sample", "permutations": 199, "seed": 5}
    assert search_p(scores, labels, DESIGN, **options).p == association_p(scores, labels, DESIGN, **options)[0].p


@pytest.mark.slow
def test_the_luckiest_of_many_is_not_taken_for_a_find() -> None:
    """The best of 30 useless members is below .05 in a plain test most of the time, in the search's test seldom."""
    rng = np.random.default_rng(2)
    plain, searched = [], []
    options: dict[str, Any] = {"statistic": "pearson", "level": "sample", "permutations": 99, "seed": 5}
    for _ in range(60):
        labels, grid = rng.normal(size=80), rng.normal(size=(30, 80))
        searched.append(search_p(grid, labels, DESIGN, **options).p)
        plain.append(min(each.p or 0.0 for each in association_p(grid, labels, DESIGN, **options)))
    assert np.mean(np.array(plain) <= 0.05) > 0.5
    assert np.mean(np.array(searched) <= 0.05) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 60)


def _pearson(scores: Floats, labels: Floats, design: Design) -> Floats:
    return np.array([np.corrcoef(row, labels)[0, 1] for row in scores])


def test_the_winner_is_judged_on_generators_that_did_not_choose_it() -> None:
    rng = np.random.default_rng(3)
    labels = rng.normal(size=80)
    # Member 1 is perfect on generator 0 alone; member 0 is good everywhere else.
    grid = np.stack([labels + 0.3 * rng.normal(size=80), np.where(GENERATOR == 0, labels * 9, rng.normal(size=80))])
    found = leave_one_generator_out(grid, labels, DESIGN, evaluate=_pearson)
    assert found.winners == (0, 0, 0, 0)
    expected = [np.corrcoef(grid[0, g == GENERATOR], labels[g == GENERATOR])[0, 1] for g in range(4)]
    assert found.value == pytest.approx(np.mean(expected))
    alone = leave_one_generator_out(grid[:, :20], labels[:20], Design(PROMPT[:20], PROMPT[:20] * 0), evaluate=_pearson)
    assert alone.value is None


def test_williams_has_no_direction_and_needs_four_units() -> None:
    assert williams_p(0.5, 0.3, 0.2, 50) == williams_p(0.3, 0.5, 0.2, 50) == williams_p(-0.5, 0.3, -0.2, 50)
    assert williams_p(0.5, 0.5, 1.0, 50) == 1.0
    assert williams_p(0.5, 0.3, 0.2, 3) is None


def test_fisher_is_undefined_for_few_units_and_perfect_correlation() -> None:
    assert fisher_interval(0.5, 4, "kendall_b").note == "undefined: 4 units"
    assert fisher_interval(1.0, 40, "pearson").low is None
    with pytest.raises(ValueError, match="statistic: expected one of pearson, spearman, kendall_b, found 'ks'"):
        fisher_interval(0.5, 40, "ks")


def test_the_paired_bootstrap_gives_interval_and_p_of_the_difference() -> None:
    rng = np.random.default_rng(5)
    shared = rng.normal(size=999)
    a, b = 0.5 + 0.1 * shared, 0.4 + 0.1 * shared + 0.01 * rng.normal(size=999)
    found = paired_bootstrap(a, b, points=(0.5, 0.4), pair=(3, 5), n=80)
    assert (found.a, found.b, found.p, found.n) == (3, 5, 2 / 1_000, 80)
    assert found.ci_low == pytest.approx(0.08, abs=0.01)
    assert paired_bootstrap(a, a, points=(0.5, 0.5)).p == 1
    assert paired_bootstrap(a * np.nan, b, points=(0.5, 0.4)).p is None


def test_a_binary_metric_and_a_continuous_one_differ_in_ties() -> None:
    rng = np.random.default_rng(5)
    continuous, binary = rng.normal(size=80), rng.integers(0, 2, 80).astype(float)
    assert tie_structures_differ(continuous, binary)
    assert not tie_structures_differ(continuous, rng.normal(size=80))
    assert not tie_structures_differ(binary, 1 - binary)


def test_without_negatives_there_is_a_reason() -> None:
    assert mann_whitney_test(np.ones(3), np.empty(0)).note == "undefined: 3 positives and 0 negatives"
