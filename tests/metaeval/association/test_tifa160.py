"""Every deterministic figure of ../shared/data/tifa160/reference.json that concerns association, on real data.

It was made with scipy, scikit-learn, nlpstats and mt-metrics-eval.
"""

import csv
import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metaeval.stats.association.cuts import binarise
from metaeval.stats.association.levels import evaluate
from metaeval.stats.association.soft_pairwise import pairwise_accuracy, soft_pairwise_accuracy
from metaeval.stats.association.tie_calibration import calibrate_ties
from metaeval.stats.design import Design, Floats, Level

FOLDER = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "tifa160"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not FOLDER.exists(), reason="../shared/data/tifa160 is absent")]

CRITERIA = ("faithfulness_dsg", "faithfulness_tifa")
METRICS = (
    "bleu",
    "clipscore_vitb32",
    "dsg_instructblip_yesrate",
    "dsg_mplug_yesrate",
    "dsg_pali17b_yesrate",
    "meteor",
    "rouge",
    "spice",
    "tifa_blip2-flant5xl",
    "tifa_git-large",
    "tifa_mplug-large",
    "tifa_ofa-large",
    "tifa_vilt",
    "vq2a_instructblip_yesrate",
    "vq2a_mplug_yesrate",
    "vq2a_pali17b_yesrate",
)
FIGURES: dict[str, tuple[Level, str]] = {
    "sample_pearson": ("sample", "pearson"),
    "sample_spearman": ("sample", "spearman"),
    "sample_kendall": ("sample", "kendall_b"),
    "sample_kendall_c": ("sample", "kendall_c"),
    "item_grouped_pearson": ("prompt", "pearson"),
    "item_grouped_spearman": ("prompt", "spearman"),
    "item_grouped_kendall": ("prompt", "kendall_b"),
    "mtme_item_pearson": ("prompt", "pearson"),
    "mtme_item_kendall_b": ("prompt", "kendall_b"),
    "mtme_item_acc23_eps0": ("prompt", "acc_eq"),
    "system_pearson": ("generator", "pearson"),
    "system_spearman": ("generator", "spearman"),
    "system_kendall": ("generator", "kendall_b"),
    "system_pairwise_accuracy": ("generator", "acc_eq"),
}
CLASS_FIGURES = {
    "auc_roc": "auc_roc",
    "aupr_average_precision": "average_precision",
    "ks": "ks",
    "mwu_u": "mann_whitney_u",
}


@cache
def reference() -> dict[str, Any]:
    figures: dict[str, Any] = json.loads((FOLDER / "reference.json").read_text())["correlations"]
    return figures


@cache
def table(name: str) -> dict[str, dict[tuple[str, str], list[float]]]:
    """Criterion or metric -> (item, system) -> values."""
    found: dict[str, dict[tuple[str, str], list[float]]] = {}
    with (FOLDER / name).open(newline="") as file:
        for row in csv.DictReader(file):
            if row["score"]:
                cells = found.setdefault(row.get("criterion") or row["metric"], {})
                cells.setdefault((row["item"], row["system"]), []).append(float(row["score"]))
    return found


@cache
def case(criterion: str, metric: str) -> tuple[Floats, Floats, Design]:
    ratings, scores = table("ratings.csv")[criterion], table("metrics.csv")[metric]
    samples = [sample for sample in ratings if sample in scores]
    items = {item: code for code, item in enumerate(dict.fromkeys(item for item, _ in samples))}
    systems = {system: code for code, system in enumerate(dict.fromkeys(system for _, system in samples))}
    design = Design(
        np.array([items[item] for item, _ in samples]), np.array([systems[system] for _, system in samples])
    )
    return (
        np.array([scores[sample][0] for sample in samples]),
        np.array([np.mean(ratings[sample]) for sample in samples]),
        design,
    )


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("criterion", CRITERIA)
class TestFigures:
    def test_of_all_levels_are_reproduced(self, criterion: str, metric: str) -> None:
        expected = reference()[criterion][metric]
        scores, labels, design = case(criterion, metric)
        assert expected["n"] == design.size
        for figure, (level, statistic) in FIGURES.items():
            found = evaluate(scores, labels, design, statistic=statistic, level=level)
            assert found.values[0] == pytest.approx(expected[figure], abs=1e-9), figure
        assert pairwise_accuracy(scores, labels, design)[0] == pytest.approx(expected["system_pairwise_accuracy"])

    def test_of_classes_are_reproduced(self, criterion: str, metric: str) -> None:
        expected = reference()[criterion][metric]
        scores, labels, design = case(criterion, metric)
        classes = binarise(labels, expected["binary_threshold"])
        assert classes.sum() == expected["positives"]
        for figure, statistic in CLASS_FIGURES.items():
            found = evaluate(scores, classes, design, statistic=statistic, level="sample")
            assert found.values[0] == pytest.approx(expected[figure], abs=1e-9), figure

    def test_of_tie_calibration_are_reproduced(self, criterion: str, metric: str) -> None:
        expected = reference()[criterion][metric]
        scores, labels, design = case(criterion, metric)
        found = calibrate_ties(scores, labels, design)
        assert found.at_zero == pytest.approx(expected["mtme_item_acc23_eps0"], abs=1e-9)
        assert found.value == pytest.approx(expected["mtme_item_acc23_tiecal"], abs=1e-9)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_soft_pairwise_accuracy_is_met_within_monte_carlo_error(criterion: str) -> None:
    for metric in METRICS:
        found = soft_pairwise_accuracy(*case(criterion, metric), permutations=2000)
        expected = reference()[criterion][metric]["mtme_soft_pairwise_accuracy"]
        # Ten pairs, two p of 1,000 permutations each: a standard error of at most .0158 * sqrt(2 / 10) = .007.
        assert found.value == pytest.approx(expected, abs=0.025), metric
        assert found.pairs == 10
