"""The linear algebra of the paired permutation test gives what swapping in a loop gives."""

from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import roc_auc_score

from metaeval.stats.association import evaluate
from metaeval.stats.design import Design, Floats
from metaeval.stats.resampling.draws import units_of
from metaeval.stats.significance.paired import PairedUnit, compare_metrics
from metaeval.stats.significance.swaps import draw_swaps

pytestmark = pytest.mark.slow

STATISTICS = ("pearson", "spearman", "kendall_b", "somers_d", "acc_eq", "auc_roc")
UNITS = ("prompt", "sample", "generator")
PERMUTATIONS = 20


def statistic_of(statistic: str, x: Floats, y: Floats) -> float:
    """By definition, over all pairs; the first test holds it against scipy and scikit-learn."""
    if statistic == "acc_eq":
        first, second = np.triu_indices(len(x), 1)
        right = np.sign(x[first] - x[second]) == np.sign(y[first] - y[second])
        return float(right.mean()) if len(right) else np.nan
    if len(x) < 2 or np.all(y == y[0]) or (np.all(x == x[0]) and statistic not in ("auc_roc", "somers_d")):
        return np.nan
    signs_x, signs_y = np.sign(x[:, None] - x), np.sign(y[:, None] - y)
    if statistic == "spearman":
        x, y = signs_x.sum(axis=1), signs_y.sum(axis=1)
    if statistic in ("pearson", "spearman"):
        x, y = x - x.mean(), y - y.mean()
        return float(x @ y / np.sqrt((x @ x) * (y @ y)))
    surplus, of_x, of_y = np.sum(signs_x * signs_y), np.sum(signs_x != 0), np.sum(signs_y != 0)
    if statistic == "kendall_b":
        return float(surplus / np.sqrt(of_x * of_y))
    return float(surplus / of_y) if statistic == "somers_d" else float((1 + surplus / of_y) / 2)


def at_level(statistic: str, level: str, x: Floats, y: Floats, design: Design) -> float:
    if level == "sample":
        return statistic_of(statistic, x, y)
    if level == "prompt":
        values = [statistic_of(statistic, x[rows], y[rows]) for rows in _groups(design.prompt)]
        return float(np.nanmean(values)) if not np.all(np.isnan(values)) else np.nan
    means = np.array([[x[rows].mean(), y[rows].mean()] for rows in _groups(design.generator)])
    return statistic_of(statistic, np.round(means[:, 0], 10), np.round(means[:, 1], 10))


def _groups(codes: np.ndarray) -> list[np.ndarray]:
    return [np.flatnonzero(codes == code) for code in np.unique(codes)]


def naive_exceedances(
    a: Floats, b: Floats, y: Floats, design: Design, statistic: str, level: str, swapped: np.ndarray
) -> tuple[float, int]:
    a, b = (a - a.mean()) / a.std(), (b - b.mean()) / b.std()
    observed = at_level(statistic, level, a, y, design) - at_level(statistic, level, b, y, design)
    count = 0
    for swap in swapped:
        first, second = np.where(swap, b, a), np.where(swap, a, b)
        found = at_level(statistic, level, first, y, design) - at_level(statistic, level, second, y, design)
        count += bool(np.isnan(found) or abs(found) >= abs(observed) - 1e-12)
    return observed, count


def study(seed: int, *, ragged: bool = True, binary: bool = False) -> tuple[Floats, Floats, Design]:
    """Four metrics: continuous, with many ties, with few, and binary; prompts of several sizes, not in order."""
    rng = np.random.default_rng(seed)
    prompt, generator = (axis.ravel() for axis in np.meshgrid(np.arange(9), np.arange(5), indexing="ij"))
    kept = rng.permutation(45)[: 38 if ragged else 45]
    prompt, generator = prompt[kept], generator[kept]
    quality = rng.normal(size=9)[prompt] + rng.normal(size=5)[generator] + rng.normal(size=len(kept))
    labels = np.round(quality + 3)
    if binary:
        labels = (labels >= 3).astype(float)
    noise = rng.normal(size=(4, len(kept)))
    scores = quality + noise
    scores[1], scores[2] = np.round(scores[1]), np.round(scores[2] * 4) / 4
    scores[3] = scores[3] > 0
    return scores, labels, Design(prompt, generator)


def test_the_loop_computes_what_scipy_and_scikit_learn_compute() -> None:
    scores, labels, _ = study(1)
    _, binary, _ = study(1, binary=True)
    for x in scores:
        assert statistic_of("pearson", x, labels) == pytest.approx(stats.pearsonr(x, labels)[0])
        assert statistic_of("spearman", x, labels) == pytest.approx(stats.spearmanr(x, labels)[0])
        assert statistic_of("kendall_b", x, labels) == pytest.approx(stats.kendalltau(x, labels)[0])
        assert statistic_of("somers_d", x, labels) == pytest.approx(stats.somersd(labels, x).statistic)
        assert statistic_of("auc_roc", x, binary) == pytest.approx(roc_auc_score(binary, x))


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("level", ["sample", "prompt", "generator"])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_linear_algebra_counts_what_a_loop_counts(statistic: str, level: str, unit: PairedUnit) -> None:
    if statistic == "auc_roc" and level == "generator":
        pytest.skip("a generator's label is a share")
    scores, labels, design = study(7, binary=statistic == "auc_roc")
    pairs = [(0, 1), (1, 2), (1, 3), (3, 0)]
    tests = compare_metrics(
        scores,
        labels,
        design,
        statistic=statistic,
        level=level,
        pairs=pairs,
        unit=unit,
        permutations=PERMUTATIONS,
        seed=5,
    )
    unit_of, units = units_of(design, unit)
    swapped = draw_swaps(units, PERMUTATIONS, 5)[:, unit_of]
    for test in tests:
        observed, count = naive_exceedances(scores[test.a], scores[test.b], labels, design, statistic, level, swapped)
        # Means of generators are rounded before they are swapped; the value that is printed is not.
        assert test.difference == pytest.approx(observed, abs=1e-9)
        assert test.p == (count + 1) / (PERMUTATIONS + 1)
        assert test.n == design.size


def test_the_values_are_those_of_the_scores_as_they_came() -> None:
    """Standardised, 1e-155 and 1e-232 are one value, and a rank statistic would see a tie."""
    scores, labels, design = study(7)
    scores[0, ::2] = 10.0 ** -np.arange(100.0, 100.0 + len(scores[0, ::2]))
    for statistic in ("spearman", "kendall_b"):
        [test] = compare_metrics(
            scores, labels, design, statistic=statistic, level="sample", pairs=[(0, 1)], permutations=9, seed=5
        )
        expected = evaluate(scores[0], labels, design, statistic=statistic, level="sample").values[0]
        assert test.value_a == pytest.approx(expected, abs=1e-15)


def test_one_sample_a_prompt_leaves_nothing_to_compare_within_prompts() -> None:
    scores, labels, design = study(7)
    alone = Design(np.arange(design.size), design.generator)
    [test] = compare_metrics(
        scores, labels, alone, statistic="pearson", level="prompt", pairs=[(0, 1)], permutations=9, seed=5
    )
    assert (test.p, test.note) == (None, "undefined: no prompt has two samples")


@pytest.mark.parametrize("statistic", STATISTICS)
def test_a_pair_is_compared_on_the_samples_that_both_have(statistic: str) -> None:
    scores, labels, design = study(3, binary=statistic == "auc_roc")
    scores[0, :4] = np.nan
    scores[1, 3:6] = np.nan
    labels[-1] = np.nan
    test, other = compare_metrics(
        scores, labels, design, statistic=statistic, level="sample", pairs=[(0, 1), (2, 3)], permutations=50, seed=5
    )
    both = np.isfinite(scores[0]) & np.isfinite(scores[1]) & np.isfinite(labels)
    assert test.n == both.sum() == design.size - 7
    assert other.n == design.size - 1
    unit_of, units = units_of(design, "prompt")
    swapped = draw_swaps(units, 50, 5)[:, unit_of[both]]
    observed, count = naive_exceedances(
        scores[0, both], scores[1, both], labels[both], design.take(both), statistic, "sample", swapped
    )
    assert test.difference == pytest.approx(observed, abs=1e-12)
    assert test.p == (count + 1) / 51


@pytest.mark.parametrize("level", ["sample", "prompt", "generator"])
@pytest.mark.parametrize("statistic", ["pearson", "spearman", "kendall_b"])
def test_a_metric_does_not_differ_from_itself_on_another_scale(statistic: str, level: str) -> None:
    """Standardised, the two are equal but for rounding, and rounding must decide nothing."""
    scores, labels, design = study(11)
    pair = np.stack([scores[1], 0.1 + 3.7 * scores[1]])
    (test,) = compare_metrics(
        pair, labels, design, statistic=statistic, level=level, pairs=[(0, 1)], unit="sample", permutations=99, seed=1
    )
    assert test.difference == pytest.approx(0, abs=1e-12)
    assert test.p == 1


@pytest.mark.parametrize("statistic", STATISTICS)
def test_the_order_of_a_pair_changes_the_sign_only(statistic: str) -> None:
    scores, labels, design = study(2, binary=statistic == "auc_roc")
    first, second = compare_metrics(
        scores, labels, design, statistic=statistic, level="sample", pairs=[(0, 1), (1, 0)], permutations=199, seed=4
    )
    assert first.difference is not None
    assert second.difference == pytest.approx(-first.difference, abs=1e-12)
    assert first.p == second.p


def test_stopping_early_gives_the_p_of_besag_and_clifford() -> None:
    scores, labels, design = study(2)
    same = np.stack([scores[0], scores[0] + 1e-3 * scores[1]])
    (test,) = compare_metrics(
        same, labels, design, statistic="pearson", level="sample", pairs=[(0, 1)], seed=4, stop_early=True
    )
    assert test.permutations < 9_999
    assert test.p == 20 / test.permutations
    assert "Besag-Clifford" in test.method


def test_constant_scores_and_labels_are_named() -> None:
    scores, labels, design = study(2)
    scores[2] = 4.0
    options: dict[str, Any] = {"statistic": "pearson", "level": "sample", "permutations": 9, "seed": 0}
    fine, constant = compare_metrics(scores, labels, design, pairs=[(0, 1), (0, 2)], **options)
    assert fine.p is not None
    assert (constant.p, constant.note) == (None, "undefined: constant scores")
    (flat,) = compare_metrics(scores, labels * 0, design, pairs=[(0, 1)], **options)
    assert flat.note == "undefined: constant labels"


def test_what_cannot_be_asked_is_refused_by_name() -> None:
    scores, labels, design = study(2)
    with pytest.raises(ValueError, match="level: expected one of sample, prompt, generator, found 'subsplit'"):
        compare_metrics(scores, labels, design, statistic="pearson", level="subsplit", pairs=[], seed=0)
    with pytest.raises(ValueError, match="statistic"):
        compare_metrics(scores, labels, design, statistic="ks", level="sample", pairs=[], seed=0)
    with pytest.raises(ValueError, match="labels: expected 0 and 1"):
        compare_metrics(scores, labels, design, statistic="auc_roc", level="sample", pairs=[(0, 1)], seed=0)


@pytest.mark.slow
@pytest.mark.parametrize("statistic", ["pearson", "kendall_b"])
def test_between_metrics_that_are_alike_p_is_uniform(statistic: str) -> None:
    """Two metrics that follow people equally well, with errors that cluster by prompt."""
    rng = np.random.default_rng(6)
    prompt, generator = np.repeat(np.arange(30), 4), np.tile(np.arange(4), 30)
    labels = np.round(rng.normal(size=30)[prompt] + rng.normal(size=120))
    errors = 2 * rng.normal(size=(300, 30))[:, prompt] + rng.normal(size=(300, 120))
    tests = compare_metrics(
        labels + errors,
        labels,
        Design(prompt, generator),
        statistic=statistic,
        level="sample",
        pairs=[(first, first + 1) for first in range(0, 300, 2)],
        permutations=199,
        seed=2,
    )
    p = np.array([test.p for test in tests])
    assert np.mean(p <= 0.05) <= 0.05 + 4 * np.sqrt(0.05 * 0.95 / 150)
    assert stats.kstest(p, "uniform").pvalue > 0.001
