"""The whole command on real data: its tables against ../shared/data/tifa160/reference.json, to 1e-9."""

import json
from pathlib import Path
from typing import Any

import pytest

from metaeval.__main__ import main
from tests.metaeval.analysis.small_study import table

FOLDER = Path(__file__).resolve().parents[3].parent / "shared" / "data" / "tifa160"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not FOLDER.exists(), reason="../shared/data/tifa160 is absent")]

FIGURES = {
    "sample_pearson": ("sample", "pearson"),
    "sample_spearman": ("sample", "spearman"),
    "sample_kendall": ("sample", "kendall_b"),
    "sample_kendall_c": ("sample", "kendall_c"),
    "item_grouped_pearson": ("prompt", "pearson"),
    "item_grouped_spearman": ("prompt", "spearman"),
    "item_grouped_kendall": ("prompt", "kendall_b"),
    "mtme_item_acc23_eps0": ("prompt", "acc_eq"),
    "system_pearson": ("generator", "pearson"),
    "system_spearman": ("generator", "spearman"),
    "system_kendall": ("generator", "kendall_b"),
    "system_pairwise_accuracy": ("generator", "pairwise_accuracy"),
    "auc_roc": ("sample", "auc_roc"),
    "aupr_average_precision": ("sample", "average_precision"),
    "ks": ("sample", "ks"),
    "mwu_u": ("sample", "mann_whitney_u"),
}
CUT = "\n".join(f"[criteria.{name}]\npositive_cut = 4" for name in ("faithfulness_dsg", "faithfulness_tifa"))


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tifa160")
    (folder / "analysis.toml").write_text(CUT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("metaeval.report.files.writing.plates", lambda *_: [])
        words = ("analyse", FOLDER / "ratings.csv", FOLDER / "metrics.csv", "-o", folder / "out")
        options = ("--config", folder / "analysis.toml", "--replicates", 20, "--permutations", 19)
        assert main([str(word) for word in (*words, *options)]) == 0
    return folder / "out"


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((FOLDER / "reference.json").read_text())
    return found


def test_agreement_is_that_of_the_reference(out: Path, reference: dict[str, Any]) -> None:
    rows = {(row["criterion"], row["statistic"]): row for row in table(out, "agreement")}
    for criterion, expected in reference["agreement"].items():
        for kind in ("nominal", "ordinal", "interval"):
            row = rows[criterion, f"alpha_{kind}"]
            assert float(row["value"]) == pytest.approx(expected[kind], abs=1e-9)
            assert (int(row["n_units"]), int(row["n_raters"])) == (expected["units"], expected["raters"])


def test_every_correlation_is_that_of_the_reference(out: Path, reference: dict[str, Any]) -> None:
    rows = {
        (row["criterion"], row["metric"], row["level"], row["statistic"]): row for row in table(out, "correlations")
    }
    compared = 0
    for criterion, metrics in reference["correlations"].items():
        for metric, expected in metrics.items():
            assert expected["binary_threshold"] == 4
            for figure, (level, statistic) in FIGURES.items():
                if figure in expected and expected[figure] is not None:
                    row = rows[criterion, metric, level, statistic]
                    assert float(row["value"]) == pytest.approx(expected[figure], rel=1e-9, abs=1e-9), figure
                    compared += 1
            assert int(rows[criterion, metric, "sample", "pearson"]["n"]) == expected["n"]
            assert float(rows[criterion, metric, "sample", "ks"]["p"]) == pytest.approx(expected["ks_p"], rel=1e-9)
            two_sided = rows[criterion, metric, "sample", "mann_whitney_u"]["note"].split("two-sided p ")[1]
            assert float(two_sided.partition(";")[0]) == pytest.approx(expected["mwu_p"], rel=1e-9)
            soft = rows[criterion, metric, "generator", "soft_pairwise_accuracy"]
            assert float(soft["value"]) == pytest.approx(expected["mtme_soft_pairwise_accuracy"], abs=0.03)
    assert compared > 400
