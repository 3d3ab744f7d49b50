"""p of no association: permutations keep clusters and cut links, and p is uniform where there is nothing."""

from itertools import permutations as all_orders
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from metaeval.stats.design import Design
from metaeval.stats.significance import association_p, association_ps
from metaeval.stats.significance.null import null_of
from metaeval.stats.significance.relabelling import draw_sources
from metaeval.stats.significance.walk import codes_of, surplus_of_pairs

pytestmark = pytest.mark.slow

PROMPT, GENERATOR = (axis.ravel() for axis in np.meshgrid(np.arange(8), np.arange(4), indexing="ij"))
DESIGN = Design(PROMPT, GENERATOR)
RAGGED = DESIGN.take(np.delete(np.arange(32), [0, 5, 17]))


def _tau(x: np.ndarray, y: np.ndarray, variant: str) -> float:
    return float(stats.kendalltau(x, y, variant=variant).statistic)


SCIPY = {
    "pearson": lambda x, y: stats.pearsonr(x, y)[0],
    "spearman": lambda x, y: stats.spearmanr(x, y)[0],
    "kendall_b": lambda x, y: _tau(x, y, "b"),
    "kendall_c": lambda x, y: _tau(x, y, "c"),
    "somers_d": lambda x, y: stats.somersd(y, x).statistic,
    "auc_roc": lambda x, y: roc_auc_score(y, x) - 0.5,
    "mann_whitney_u": lambda x, y: roc_auc_score(y, x) - 0.5,
    "ks": lambda x, y: stats.ks_2samp(x[y == 1], x[y == 0]).statistic,
}


def _by_group(statistic: str, x: np.ndarray, y: np.ndarray, group: np.ndarray) -> float:
    defined = []
    for code in np.unique(group):
        inside_x, inside_y = x[group == code], y[group == code]
        binary = statistic in ("auc_roc", "mann_whitney_u", "somers_d")
        if np.ptp(inside_y) > 0 and (binary or np.ptp(inside_x) > 0):
            defined.append(SCIPY[statistic](inside_x, inside_y))
    return float(np.mean(defined))


def _study(seed: int, design: Design, statistic: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=8)[design.prompt] + rng.normal(size=design.size)
    labels = np.round(quality) if statistic not in ("auc_roc", "mann_whitney_u", "ks") else (quality > 0) * 1.0
    scores = quality + rng.normal(size=(3, design.size))
    scores[1] = np.round(scores[1])
    return scores, labels


@pytest.mark.slow
@pytest.mark.parametrize("level", ["sample", "prompt", "within_generator"])
@pytest.mark.parametrize("statistic", sorted(SCIPY))
def test_values_under_permuted_labels_are_those_of_scipy(statistic: str, level: str) -> None:
    if statistic == "ks" and level != "sample":
        pytest.skip("ks is for sample level")
    scores, labels = _study(3, RAGGED, statistic)
    zeros = np.zeros_like(RAGGED.prompt)
    group = {"sample": zeros, "prompt": RAGGED.prompt, "within_generator": RAGGED.generator}[level]
    null = null_of(statistic, scores, labels, group, small_groups=level == "prompt")
    sources = next(draw_sources(RAGGED, level=level, permutations=4, seed=1))
    expected = [[_by_group(statistic, x, labels[source], group) for source in sources] for x in scores]
    assert null(sources) == pytest.approx(np.array(expected), abs=1e-12)


@given(st.integers(0, 2**32 - 1), st.integers(2, 300), st.sampled_from([2, 13, 70, 1_000]), st.booleans())
@settings(max_examples=50, deadline=None)
def test_the_walk_counts_pairs_as_all_signs_do(seed: int, n: int, kinds: int, tied: bool) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 6 if tied else 10_000, n)
    y = rng.integers(0, kinds, n)
    sources = rng.permuted(np.tile(np.arange(n, dtype=np.int32), (3, 1)), axis=1)
    expected = [np.sum(np.sign(x[:, None] - x) * np.sign(y[s][:, None] - y[s])) // 2 for s in sources]
    found = surplus_of_pairs(codes_of(x.astype(float)), codes_of(y.astype(float)), sources)
    assert found.tolist() == expected


def test_at_sample_level_whole_prompts_move_to_prompts_of_their_size() -> None:
    for sources in next(draw_sources(RAGGED, level="sample", permutations=20, seed=2)):
        assert sorted(sources) == list(range(RAGGED.size))
        moved = {(a, b) for a, b in zip(RAGGED.prompt, RAGGED.prompt[sources], strict=True)}
        assert len(moved) == len(np.unique(RAGGED.prompt))
        sizes = np.bincount(RAGGED.prompt)
        assert all(sizes[a] == sizes[b] for a, b in moved)


def test_at_prompt_level_labels_stay_in_their_prompt() -> None:
    sources = next(draw_sources(RAGGED, level="prompt", permutations=20, seed=2))
    assert np.all(RAGGED.prompt[sources] == RAGGED.prompt)


def test_within_generators_whole_prompts_move_and_generators_stay() -> None:
    sources = next(draw_sources(RAGGED, level="within_generator", permutations=20, seed=2))
    assert np.all(RAGGED.generator[sources] == RAGGED.generator)
    for source in sources:
        assert len(set(zip(RAGGED.prompt, RAGGED.prompt[source], strict=True))) == len(np.unique(RAGGED.prompt))


def test_prompts_that_cannot_move_are_counted_in_the_note() -> None:
    design = DESIGN.take(np.delete(np.arange(32), [0]))
    scores, labels = _study(1, design, "pearson")
    (first, *_) = association_p(scores, labels, design, statistic="pearson", level="sample", permutations=9, seed=0)
    assert first.note == "1 of 8 prompts keep their labels: no other has the same number of samples"


def test_up_to_seven_generators_are_enumerated() -> None:
    scores, labels = _study(1, DESIGN, "pearson")
    found = association_p(scores, labels, DESIGN, statistic="kendall_b", level="generator", permutations=99, seed=0)
    x, y = (np.bincount(GENERATOR, weights=each) for each in (scores[0], labels))
    values = np.abs([_tau(x, y[list(order)], "b") for order in all_orders(range(4))])
    assert found[0].p == np.mean(values >= abs(_tau(x, y, "b")) - 1e-12)
    assert found[0].permutations == 24
    assert found[0].method == "exact permutation of 4 generators, two-sided"
    assert found[0].note.startswith("smallest attainable p 0.08")


def test_strong_association_reaches_the_smallest_p_and_none_does_not() -> None:
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 5, 32).astype(float)
    scores = np.stack([labels + 0.1 * rng.normal(size=32), rng.normal(size=32), np.ones(32)])
    options: dict[str, Any] = {"level": "sample", "permutations": 199, "seed": 1}
    found = association_ps(scores, labels, DESIGN, statistics=["pearson", "spearman", "kendall_b"], **options)
    for statistic, (strong, none, constant) in found.items():
        assert strong.p == 1 / 200
        assert none.p is not None
        assert none.p > 0.01
        assert (constant.p, constant.note) == (None, "undefined: constant scores")
        assert found[statistic] == association_p(scores, labels, DESIGN, statistic=statistic, **options)


def test_one_sided_mann_whitney_sees_positives_that_score_higher_only() -> None:
    labels = np.tile([0.0, 1.0], 16)
    scores = np.stack([labels, -labels]) + 0.01 * np.arange(32)
    higher, lower = association_p(
        scores, labels, DESIGN, statistic="mann_whitney_u", level="sample", permutations=199, seed=1
    )
    assert higher.p == 1 / 200
    assert lower.p is not None
    assert lower.p > 0.99


def test_missing_scores_leave_out_their_samples_only() -> None:
    scores, labels = _study(1, DESIGN, "pearson")
    scores[1, 3] = np.nan
    labels[6] = np.nan
    options: dict[str, Any] = {"statistic": "spearman", "level": "prompt", "permutations": 99, "seed": 1}
    together = association_p(scores, labels, DESIGN, **options)
    kept = np.isfinite(scores[1]) & np.isfinite(labels)
    alone = association_p(scores[1:2, kept], labels[kept], DESIGN.take(kept), **options)
    assert together[1] == alone[0]


def test_constant_labels_and_wrong_words_are_named() -> None:
    scores, labels = _study(1, DESIGN, "pearson")
    options: dict[str, Any] = {"permutations": 9, "seed": 0}
    (flat, *_) = association_p(scores, labels * 0, DESIGN, statistic="pearson", level="sample", **options)
    assert (flat.p, flat.note) == (None, "undefined: constant labels")
    with pytest.raises(ValueError, match="labels: expected 0 and 1 for ks"):
        association_p(scores, labels, DESIGN, statistic="ks", level="sample", **options)
    with pytest.raises(ValueError, match="level: expected one of sample"):
        association_p(scores, labels, DESIGN, statistic="pearson", level="subsplit", **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("level", "statistic"), [("sample", "pearson"), ("sample", "kendall_b"), ("prompt", "pearson")]
)
def test_without_association_p_is_uniform_though_prompts_cluster(level: str, statistic: str) -> None:
    """Useless metrics that cluster by prompt, as labels do. Free shuffling would call 30 % of them significant."""
    rng = np.random.default_rng(8)
    prompt, generator = np.repeat(np.arange(30), 5), np.tile(np.arange(5), 30)
    labels = np.round(2 * rng.normal(size=30)[prompt] + rng.normal(size=150))
    scores = 2 * rng.normal(size=(200, 30))[:, prompt] + rng.normal(size=(200, 150))
    found = association_p(
        scores, labels, Design(prompt, generator), statistic=statistic, level=level, permutations=199, seed=3
    )
    p = np.array([each.p for each in found])
    assert np.mean(p <= 0.05) == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 200))
    assert stats.kstest(p, "uniform").pvalue > 0.001
