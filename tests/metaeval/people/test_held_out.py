"""The human row: a held-out rating against the mean of the others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.stats.association.levels import evaluate
from metaeval.stats.design import Design
from metaeval.stats.people.held_out import HeldOutRow, held_out_rows, hold_out
from metaeval.stats.people.ratings import means_of_the_others, rater_sums
from metaeval.stats.simulation import Population, draw_study

STUDY = draw_study(Population(prompts=30, generators=4), seed=5)


def rows_of(table: np.ndarray, **options: object) -> list[HeldOutRow]:
    chosen = {"statistics": ["pearson"], "levels": ["sample"], "repetitions": 5, **options}
    return held_out_rows(table, STUDY.design, **chosen)  # type: ignore[arg-type]


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000))
def test_the_held_out_rating_is_never_in_the_mean_that_it_is_held_against(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 5, (4, 25)).astype(float)
    table[rng.random(table.shape) < 0.3] = np.nan
    held = hold_out(table, repetitions=3, seed=seed)
    sums = rater_sums(table[:, held.rows])
    assert np.allclose(held.labels * (sums.counts - 1) + held.ratings, sums.totals)
    assert held.dropped == np.sum((~np.isnan(table)).sum(axis=0) < 2)
    assert len(held.rows) + held.dropped == 25


def test_every_rater_of_a_sample_is_held_out_equally_often() -> None:
    table = np.array([[1.0], [2.0], [np.nan], [3.0]])
    held = hold_out(table, repetitions=3000, seed=1)
    shares = [np.mean(held.ratings == value) for value in (1, 2, 3)]
    assert np.allclose(shares, 1 / 3, atol=0.04)


def test_with_two_raters_the_row_is_one_against_the_other() -> None:
    table = STUDY.ratings[:2]
    (row,) = rows_of(table, repetitions=1, seed=3)
    held = hold_out(table, repetitions=1, seed=3)
    assert row.estimate.value == pytest.approx(np.corrcoef(held.ratings[0], held.labels[0])[0, 1])


def test_the_range_holds_the_mean_and_the_interval_is_over_prompts() -> None:
    (row,) = rows_of(STUDY.ratings, repetitions=8)
    assert row.low is not None
    assert row.high is not None
    assert row.estimate.value is not None
    assert row.low < row.estimate.value < row.high
    assert row.estimate.ci_low is not None
    assert row.estimate.ci_high is not None
    assert row.estimate.ci_low < row.estimate.value < row.estimate.ci_high
    assert (row.estimate.ci_unit, row.estimate.ci_method) == ("prompt", "jackknife t")
    assert (row.repetitions, row.dropped, row.estimate.n) == (8, 0, 120)


def test_a_metric_is_scored_on_the_same_reduced_means() -> None:
    human, metric = rows_of(STUDY.ratings, scores=STUDY.scores[None], seed=4)
    assert (human.metric, metric.metric) == (None, 0)
    held = hold_out(STUDY.ratings, repetitions=5, seed=4)
    expected = np.mean([np.corrcoef(STUDY.scores, labels)[0, 1] for labels in held.labels])
    assert metric.estimate.value == pytest.approx(expected)
    whole = evaluate(STUDY.scores, STUDY.labels, STUDY.design, statistic="pearson", level="sample").values[0]
    assert expected < whole  # two raters are a worse yardstick than three


def test_a_metric_with_gaps_is_scored_on_what_it_has() -> None:
    scores = STUDY.scores.copy()
    scores[:20] = np.nan
    _, metric = rows_of(STUDY.ratings, scores=scores[None])
    assert metric.estimate.n == 100


def test_classes_need_a_cut() -> None:
    with pytest.raises(ValueError, match="cut: expected"):
        rows_of(STUDY.ratings, statistics=["auc_roc"])
    (row,) = rows_of(STUDY.ratings, statistics=["auc_roc"], cut=2.0)
    assert row.estimate.value is not None
    assert row.estimate.value > 0.7


def test_a_few_generators_get_the_leave_one_out_range() -> None:
    (row,) = rows_of(STUDY.ratings, levels=["generator"])
    assert (row.estimate.ci_method, row.estimate.ci_unit) == ("leave-one-out range", "generator")


def test_n_is_the_fewest_prompts_of_a_repetition_that_has_a_value() -> None:
    """Only one prompt has spread at all, and only where the one who differs is not held out."""
    table = np.full((3, 8), 2.0)
    table[:, 1] = [4.0, 2.0, 2.0]
    design = Design(np.arange(8) // 4, np.arange(8) % 4)
    scores = np.arange(8.0)[None]
    options = {"statistics": ["pearson"], "levels": ["prompt"], "scores": scores, "repetitions": 40}
    _, metric = held_out_rows(table, design, **options)  # type: ignore[arg-type]
    assert 0 < metric.repetitions < 40
    assert (metric.estimate.n, metric.estimate.note) == (1, "defined in 1 of 2 prompts")


def test_the_note_has_the_prompts_of_all_repetitions() -> None:
    table = np.full((3, 8), 2.0)
    table[:, [1, 5]] = [[4.0, 4.0], [2.0, 3.0], [2.0, 2.0]]
    design = Design(np.arange(8) // 4, np.arange(8) % 4)
    options = {"statistics": ["pearson"], "levels": ["prompt"], "scores": np.arange(8.0)[None], "repetitions": 40}
    _, metric = held_out_rows(table, design, **options)  # type: ignore[arg-type]
    assert (metric.estimate.n, metric.estimate.note) == (1, "defined in 1 to 2 of 2 prompts")


def test_equal_ratings_are_a_named_undefined() -> None:
    (row,) = rows_of(np.full((3, 120), 2.0))
    assert row.estimate.value is None
    assert row.estimate.note.startswith("undefined: constant")
    assert (row.low, row.high, row.repetitions) == (None, None, 0)


def test_one_rating_a_sample_leaves_nothing() -> None:
    (row,) = rows_of(STUDY.ratings[:1])
    assert row.estimate.value is None
    assert row.dropped == 120
    assert row.estimate.note == "undefined: fewer than 2 points"


def test_means_of_the_others_agree_with_a_loop() -> None:
    rng = np.random.default_rng(2)
    table = rng.integers(0, 5, (5, 30)).astype(float)
    table[rng.random(table.shape) < 0.4] = np.nan
    found = means_of_the_others(table)
    for rater, sample in np.ndindex(table.shape):
        others = np.delete(table[:, sample], rater)
        others = others[~np.isnan(others)]
        if np.isnan(table[rater, sample]) or not len(others):
            assert np.isnan(found[rater, sample])
        else:
            assert found[rater, sample] == pytest.approx(others.mean())
