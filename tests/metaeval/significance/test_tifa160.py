"""The figures that scipy, nlpstats and mt-metrics-eval give on TIFA160, from ours."""

import csv
import itertools
import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from metaeval.stats.design import Design, Floats
from metaeval.stats.resampling import draw_weights, percentile_interval
from metaeval.stats.significance import compare_metrics, fisher_interval, ks_test, mann_whitney_test, williams_p
from metaeval.stats.significance.grouped import values_of_prompts
from metaeval.stats.significance.paired import _kernel
from metaeval.stats.significance.swaps import draw_swaps, standardised, swaps_of

FOLDER = Path(__file__).parents[3] / "../shared/data/tifa160"

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not FOLDER.exists(), reason="../shared/data/tifa160 is absent")]

# nlpstats compared metrics on this criterion: its Fisher intervals are around these correlations.
COMPARED = "faithfulness_dsg"
PAIRS = (
    ("tifa_mplug-large", "tifa_blip2-flant5xl"),
    ("tifa_mplug-large", "clipscore_vitb32"),
    ("meteor", "rouge"),
)
CORRELATIONS = {"pearson": stats.pearsonr, "kendall": stats.kendalltau}


def _rows(name: str) -> list[dict[str, str]]:
    with (FOLDER / name).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def reference() -> dict:
    return json.loads((FOLDER / "reference.json").read_text())


@pytest.fixture(scope="module")
def samples() -> tuple[dict[str, Floats], dict[str, Floats], Design]:
    """Mean ratings by criterion and scores by metric, on items x systems; NaN where there are none."""
    ratings: dict[str, dict] = defaultdict(lambda: defaultdict(list))
    scores: dict[str, dict] = defaultdict(dict)
    for row in _rows("ratings.csv"):
        ratings[row["criterion"]][row["item"], row["system"]].append(float(row["score"]))
    for row in _rows("metrics.csv"):
        scores[row["metric"]][row["item"], row["system"]] = float(row["score"])
    items, systems = (sorted({cell[axis] for cell in ratings[COMPARED]}) for axis in (0, 1))
    cells = list(itertools.product(items, systems))
    labels = {each: np.array([np.mean(of.get(cell, np.nan)) for cell in cells]) for each, of in ratings.items()}
    values = {each: np.array([of.get(cell, np.nan) for cell in cells]) for each, of in scores.items()}
    design = Design(np.repeat(np.arange(len(items)), len(systems)), np.tile(np.arange(len(systems)), len(items)))
    return labels, values, design


def _pair(samples: tuple, first: str, second: str) -> tuple[Floats, Floats, Design]:
    labels, scores, design = samples
    return np.stack([scores[first], scores[second]]), labels[COMPARED], design


def test_ks_and_mann_whitney_are_those_of_scipy(reference: dict, samples: tuple) -> None:
    labels, scores, _ = samples
    for criterion, metrics in reference["correlations"].items():
        for metric, figures in metrics.items():
            x = scores[metric]
            positive = labels[criterion] >= figures["binary_threshold"]
            known = np.isfinite(x) & np.isfinite(labels[criterion])
            ks = ks_test(x[known & positive], x[known & ~positive])
            # The file's p is two-sided; ours is one-sided unless asked.
            mwu = mann_whitney_test(x[known & positive], x[known & ~positive], alternative="two-sided")
            assert ks.statistic == pytest.approx(figures["ks"], abs=1e-9)
            assert ks.p == pytest.approx(figures["ks_p"], rel=1e-9)
            assert mwu.statistic == figures["mwu_u"]
            assert mwu.p == pytest.approx(figures["mwu_p"], rel=1e-9)


@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
@pytest.mark.parametrize("pair", PAIRS)
def test_williams_and_fisher_are_those_of_nlpstats(
    reference: dict, samples: tuple, pair: tuple[str, str], coefficient: str
) -> None:
    (a, b), labels, _ = _pair(samples, *pair)
    expected = reference["significance"][" vs ".join(pair)][f"global_{coefficient}"]
    correlate = CORRELATIONS[coefficient]
    r_a, r_b, r_ab = (float(correlate(x, y)[0]) for x, y in ((a, labels), (b, labels), (a, b)))
    assert williams_p(r_a, r_b, r_ab, len(labels)) == pytest.approx(expected["williams_p"], rel=1e-9)
    interval = fisher_interval(r_a, len(labels), "pearson" if coefficient == "pearson" else "kendall_b")
    assert [interval.low, interval.high] == pytest.approx(expected["fisher_ci95_of_first"], abs=1e-9)


@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
@pytest.mark.parametrize("pair", PAIRS)
def test_williams_at_prompt_level_takes_the_systems_as_units(
    reference: dict, samples: tuple, pair: tuple[str, str], coefficient: str
) -> None:
    (a, b), labels, design = _pair(samples, *pair)
    statistic = "pearson" if coefficient == "pearson" else "kendall_b"
    means = [
        float(np.nanmean(values_of_prompts(statistic, x[None, :], y, design.prompt)))
        for x, y in ((a, labels), (b, labels), (a, b))
    ]
    expected = reference["significance"][" vs ".join(pair)][f"input_{coefficient}"]["williams_p"]
    first, second, between = means
    assert williams_p(first, second, between, 5) == pytest.approx(expected, rel=1e-9)


def _within_monte_carlo_error(ours: float, theirs: float, resamples: int, permutations: int) -> bool:
    pooled = (ours * permutations + theirs * resamples + 1) / (permutations + resamples + 2)
    return abs(ours - theirs) <= 4 * np.sqrt(pooled * (1 - pooled) * (1 / resamples + 1 / permutations)) + 1 / resamples


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize(
    ("name", "level", "statistic"),
    [
        ("global_pearson", "sample", "pearson"),
        ("global_kendall", "sample", "kendall_b"),
        ("input_pearson", "prompt", "pearson"),
        ("input_kendall", "prompt", "kendall_b"),
    ],
)
def test_swapping_samples_gives_perm_both_of_nlpstats(
    reference: dict, samples: tuple, pair: tuple[str, str], name: str, level: str, statistic: str
) -> None:
    scores, labels, design = _pair(samples, *pair)
    expected = reference["significance"][" vs ".join(pair)][name]
    options: dict[str, Any] = {
        "statistic": statistic,
        "level": level,
        "unit": "sample",
        "permutations": 1_999,
        "seed": 1,
    }
    (test,) = compare_metrics(scores, labels, design, pairs=[(0, 1)], **options)
    assert test.p is not None
    assert _within_monte_carlo_error(test.p, expected["perm_both_p"], expected["n_resamples"], 1_999)


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS)
def test_one_sided_share_is_that_of_mt_metrics_eval(reference: dict, samples: tuple, pair: tuple[str, str]) -> None:
    scores, labels, design = _pair(samples, *pair)
    everything = np.arange(design.size)
    swaps = swaps_of(draw_swaps(design.size, 1_999, 2), everything, everything)
    kernel = _kernel(standardised(scores), labels, design, swaps, "kendall_b", "sample", "sample")
    differences = kernel.differences(0, 1, slice(None))
    share = float(np.mean(differences >= kernel.value(0) - kernel.value(1) - 1e-12))
    expected = reference["significance"][" vs ".join(pair)]["mtme_none_kendall_onesided_p_first_better"]
    assert _within_monte_carlo_error(share, expected, 1_000, 1_999)


@pytest.mark.slow
@pytest.mark.parametrize("pair", [PAIRS[0], PAIRS[2]])
def test_drawing_prompts_and_generators_gives_bootstrap_both_of_nlpstats(
    reference: dict, samples: tuple, pair: tuple[str, str]
) -> None:
    scores, labels, design = _pair(samples, *pair)
    weights = draw_weights(design, unit="prompt+generator", replicates=4_000, seed=3).expand()
    x, y = scores[0], labels
    total = weights.sum(axis=1)
    mean_x, mean_y = weights @ x / total, weights @ y / total
    covariance = weights @ (x * y) / total - mean_x * mean_y
    replicates = covariance / np.sqrt((weights @ x**2 / total - mean_x**2) * (weights @ y**2 / total - mean_y**2))
    interval = percentile_interval(replicates)
    expected = reference["significance"][" vs ".join(pair)]["global_pearson"]["bootstrap_both_ci95_of_first"]
    # The 2.5 % point of 1,000 normal replicates has a standard error of 0.084 standard deviations.
    error = 4 * 0.084 * np.std(replicates) * np.sqrt(1 + 1 / 4)
    assert [interval.low, interval.high] == pytest.approx(expected, abs=error)
