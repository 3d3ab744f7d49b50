import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.stats.association import STATISTICS, evaluate, evaluate_many
from metaeval.stats.design import Design, Floats, Level, Weights
from tests.metaeval.association.oracles import copies, oracle

PROMPTS, GENERATORS = 12, 4
VALUED = [name for name, statistic in STATISTICS.items() if statistic.needs == "values"]


def make(seed: int, *, missing: int = 0) -> tuple[Floats, Floats, Design]:
    rng = np.random.default_rng(seed)
    rows = np.sort(rng.permutation(PROMPTS * GENERATORS)[missing:])
    design = Design(np.repeat(np.arange(PROMPTS), GENERATORS)[rows], np.tile(np.arange(GENERATORS), PROMPTS)[rows])
    scores, labels = rng.integers(0, 6, (2, design.size)).astype(float)
    return scores, labels, design


def by_prompt(design: Design, *, replicates: int, seed: int = 0) -> Weights:
    counts = np.random.default_rng(seed).multinomial(PROMPTS, np.full(PROMPTS, 1 / PROMPTS), size=replicates)
    return Weights(counts.astype(float), design.prompt)


def by_sample(design: Design, *, replicates: int, seed: int = 0) -> Weights:
    counts = np.random.default_rng(seed).multinomial(design.size, np.full(design.size, 1 / design.size), replicates)
    return Weights(counts.astype(float), np.arange(design.size))


@pytest.mark.parametrize("name", list(STATISTICS))
def test_prompt_level_averages_over_prompts_where_it_is_defined(name: str) -> None:
    scores, labels, design = make(1, missing=5)
    if STATISTICS[name].needs == "classes":
        labels = (labels > 2).astype(float)
    parts = [oracle(name, scores[design.prompt == p], labels[design.prompt == p]) for p in range(PROMPTS)]
    found = evaluate(scores, labels, design, statistic=name, level="prompt")
    assert found.values[0] == pytest.approx(np.nanmean(parts), abs=1e-9)
    assert (found.n, found.total) == (np.isfinite(parts).sum(), PROMPTS)
    assert found.if_undefined_zero == pytest.approx(np.nan_to_num(parts).mean(), abs=1e-9)


@settings(max_examples=20)
@given(seed=st.integers(0, 10_000), name=st.sampled_from(["pearson", "kendall_b", "acc_eq"]))
def test_prompts_drawn_as_wholes_count_as_often_as_drawn(seed: int, name: str) -> None:
    scores, labels, design = make(seed, missing=4)
    weights = by_prompt(design, replicates=5, seed=seed)
    parts = np.array([oracle(name, scores[design.prompt == p], labels[design.prompt == p]) for p in range(PROMPTS)])
    expected = [np.nanmean(copies(parts, row)) for row in weights.counts]
    found = evaluate(scores, labels, design, statistic=name, level="prompt", weights=weights)
    assert found.values == pytest.approx(expected, abs=1e-9)


def test_prompt_level_is_the_same_whether_prompts_are_drawn_as_wholes_or_sample_by_sample() -> None:
    scores, labels, design = make(3, missing=4)
    whole = by_prompt(design, replicates=6)
    single = Weights(whole.expand(), np.arange(design.size))
    for name in ("pearson", "spearman", "kendall_b", "somers_d"):
        first = evaluate(scores, labels, design, statistic=name, level="prompt", weights=whole)
        second = evaluate(scores, labels, design, statistic=name, level="prompt", weights=single)
        assert second.values == pytest.approx(first.values, abs=1e-9)


@pytest.mark.parametrize("name", VALUED)
def test_within_generator_is_the_mean_over_generators_in_every_replicate(name: str) -> None:
    scores, labels, design = make(4, missing=3)
    weights = by_prompt(design, replicates=4)
    found = evaluate(scores, labels, design, statistic=name, level="within_generator", weights=weights)
    for value, row in zip(found.values, weights.expand(), strict=True):
        parts = [
            oracle(name, copies(scores[member], row[member]), copies(labels[member], row[member]))
            for member in (design.generator == g for g in range(GENERATORS))
        ]
        assert value == pytest.approx(np.nanmean(parts), abs=1e-9)
    assert (found.n, found.total) == (GENERATORS, GENERATORS)


@pytest.mark.parametrize("name", VALUED)
def test_generator_level_takes_means_of_what_a_replicate_holds(name: str) -> None:
    scores, labels, design = make(5, missing=3)
    weights = by_sample(design, replicates=6)
    weights.counts[0, design.generator == 2] = 0.0  # a generator that drops out
    found = evaluate(scores, labels, design, statistic=name, level="generator", weights=weights)
    for value, row in zip(found.values, weights.counts, strict=True):
        held = [g for g in range(GENERATORS) if row[design.generator == g].any()]
        x, y = (
            np.array([np.average(side[design.generator == g], weights=row[design.generator == g]) for g in held])
            for side in (scores, labels)
        )
        assert value == pytest.approx(oracle(name, x, y), abs=1e-9, nan_ok=True)


def test_generators_drawn_twice_are_two_points() -> None:
    scores, labels, design = make(6)
    weights = Weights(np.array([[2.0, 1.0, 1.0, 0.0], [1.0, 1.0, 1.0, 1.0]]), design.generator)
    crossed = Weights(weights.expand(), np.arange(design.size))
    x, y = (np.array([side[design.generator == g].mean() for g in range(GENERATORS)]) for side in (scores, labels))
    for name in ("pearson", "kendall_b", "acc_eq"):
        expected = [oracle(name, copies(x, row), copies(y, row)) for row in weights.counts]
        for drawn in (weights, crossed):
            found = evaluate(scores, labels, design, statistic=name, level="generator", weights=drawn)
            assert found.values == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("level", ["sample", "prompt", "within_generator", "generator"])
def test_weights_of_one_give_the_point_estimate(level: Level) -> None:
    scores, labels, design = make(7, missing=2)
    ones = Weights(np.ones((3, design.size)), np.arange(design.size))
    for name in VALUED:
        point = evaluate(scores, labels, design, statistic=name, level=level)
        drawn = evaluate(scores, labels, design, statistic=name, level=level, weights=ones)
        assert drawn.values == pytest.approx(np.repeat(point.values, 3), abs=1e-12)
        assert (drawn.n, drawn.total, drawn.if_undefined_zero) == (point.n, point.total, point.if_undefined_zero)


def test_many_metrics_at_once_equal_one_at_a_time() -> None:
    scores, labels, design = make(8)
    stacked = np.stack([scores, -scores, labels + scores])
    weights = by_prompt(design, replicates=80)
    levels: tuple[Level, ...] = ("sample", "prompt", "generator")
    for level in levels:
        together = evaluate_many(stacked, labels, design, statistic="spearman", level=level, weights=weights)
        for row, found in zip(stacked, together, strict=True):
            alone = evaluate(row, labels, design, statistic="spearman", level=level, weights=weights)
            assert found.values == pytest.approx(alone.values, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("level", ["sample", "prompt", "within_generator", "generator"])
def test_what_is_undefined_says_why(level: Level) -> None:
    scores, labels, design = make(9)
    constant = np.full(design.size, 0.1)
    for x, y, reason in (
        (constant, labels, "undefined: constant scores"),
        (scores, constant, "undefined: constant labels"),
    ):
        found = evaluate(x, y, design, statistic="kendall_b", level=level)
        assert np.isnan(found.values[0])
        assert found.reason == reason
    one = np.array([0])
    alone = evaluate(scores[one], labels[one], design.take(one), statistic="pearson", level=level)
    assert alone.reason == "undefined: fewer than 2 points"


def test_one_class_only_is_undefined_and_a_generator_has_no_class() -> None:
    scores, labels, design = make(10)
    ones = np.ones(design.size)
    assert evaluate(scores, ones, design, statistic="auc_roc", level="sample").reason == "undefined: one class only"
    found = evaluate(scores, (labels > 2).astype(np.float64), design, statistic="auc_roc", level="generator")
    assert np.isnan(found.values[0])
    assert found.reason == "undefined: a generator has no class"


def test_a_selection_of_samples_may_leave_prompts_and_units_behind() -> None:
    scores, labels, design = make(11)
    rows = design.prompt >= 7
    weights = by_prompt(design, replicates=5).take(rows)
    found = evaluate(
        scores[rows], labels[rows], design.take(rows), statistic="pearson", level="prompt", weights=weights
    )
    assert found.total == PROMPTS - 7
    # Draws in which none of them is held are undefined, not zero.
    assert np.array_equal(np.isnan(found.values), ~(weights.counts[:, 7:] > 0).any(axis=1))


def test_equal_generator_means_are_tied_in_spite_of_rounding() -> None:
    design = Design(np.tile(np.arange(3), 3), np.repeat(np.arange(3), 3))
    scores = np.array([0.1, 0.2, 0.3, 0.3, 0.2, 0.1, 0.9, 0.9, 0.9])
    labels = np.array([1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0])
    found = evaluate(scores, labels, design, statistic="kendall_b", level="generator")
    assert found.values[0] == pytest.approx(oracle("kendall_b", np.array([2, 2, 9]), np.array([1, 2, 3])))


def test_bad_input_is_refused_by_name() -> None:
    scores, labels, design = make(12)
    with pytest.raises(ValueError, match=r"statistic: expected one of pearson, .*, found 'tau'"):
        evaluate(scores, labels, design, statistic="tau", level="sample")
    with pytest.raises(ValueError, match="labels: expected 0 and 1 only for auc_roc"):
        evaluate(scores, labels, design, statistic="auc_roc", level="sample")
    with pytest.raises(ValueError, match="scores: expected finite numbers, found 1 others"):
        evaluate(np.where(np.arange(design.size) == 0, np.nan, scores), labels, design, statistic="ks", level="sample")
    with pytest.raises(ValueError, match="level: expected sample"):
        evaluate(scores, labels, design, statistic="pearson", level="subsplit")
