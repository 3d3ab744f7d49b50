"""What the orchestrator does with its numbers: families, searches, clusters, words, and the same bytes again."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from metaeval.report.cuts import cuts_of
from metaeval.report.files.finite import check_finite
from tests.metaeval.analysis.small_study import Study, study, table

pytestmark = pytest.mark.slow

GRID = '[metrics.k0]\nsearch = "best k"\n[metrics.k1]\nsearch = "best k"\n[metrics.error]\ndirection = "lower"\n'
ANNOUNCED = '[primary]\ncriterion = "b"\nlevel = "prompt"\nstatistic = "kendall_b"\ncomparisons = [["good", "noise"]]\n'


def _labels(some: Study, criterion: str = "faith") -> dict[str, float]:
    given: dict[str, list[float]] = {}
    for row in some.ratings:
        if row["criterion"] == criterion:
            given.setdefault(row["sample"], []).append(row["value"])
    return {sample: float(np.mean(values)) for sample, values in given.items()}


def _searched() -> Study:
    """`k0` is the labels themselves: were it ranked, it would be the best everywhere."""
    some = study()
    labels = _labels(some)
    rng = np.random.default_rng(1)
    for sample, label in labels.items():
        own = {"sample": sample, "generator": sample.split(".")[1]}
        some.scores.append({**own, "metric": "k0", "value": label})
        some.scores.append({**own, "metric": "k1", "value": rng.normal()})
    return some


def test_a_member_of_a_search_is_never_ranked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out = _searched().run(tmp_path, config=GRID)
    said = capsys.readouterr().err
    assert "On faith, good follows people best" in said
    assert "k0" not in said
    found = json.loads((out / "results.json").read_text())
    members = [row for row in found["correlations"] if row["metric"] in ("k0", "k1")]
    assert members
    assert all(row["cluster"] is None and row["p_holm"] is None for row in members)
    assert {fact["name"]: fact["search"] for fact in found["metrics"]}["k0"] == "best k"
    assert not [row for row in table(out, "comparisons") if {row["metric_a"], row["metric_b"]} & {"k0", "k1"}]
    tex = (out / "tables" / "correlations-faith-sample.tex").read_text()
    line = next(line for line in tex.splitlines() if line.startswith("k0"))
    assert r"\textbf" not in line
    assert r"\underline" not in line
    assert "not ranked" in tex
    page = (out / "report.html").read_text()
    assert page.index('<th scope="row">noise') < page.index('<th scope="row">k0')
    [row] = table(out, "searches")
    assert (row["winner"], row["members"]) == ("k0", "2")


def test_holm_runs_within_criterion_level_and_statistic(tmp_path: Path) -> None:
    _, out = study(criteria=("a", "b")).run(tmp_path, config=ANNOUNCED)
    families: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in table(out, "comparisons"):
        if row["p"]:
            families.setdefault((row["criterion"], row["level"], row["statistic"]), []).append(row)
    assert len(families) > 10
    for rows in families.values():
        p = np.array([float(row["p"]) for row in rows])
        order = np.argsort(p, kind="stable")
        expected = np.empty(len(p))
        expected[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
        np.testing.assert_allclose([float(row["p_holm"]) for row in rows], expected)
    confirmed = [row for row in table(out, "comparisons") if row["role"] == "confirmatory"]
    assert [(row["criterion"], row["metric_a"], row["metric_b"]) for row in confirmed] == [("b", "good", "noise")]


def test_what_is_announced_is_compared_and_comes_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tests = '[tests]\nstatistics = ["pearson"]\nlevels = ["sample"]\n'
    _, out = study(criteria=("a", "b")).run(tmp_path, config=ANNOUNCED + tests)
    assert {(row["level"], row["statistic"]) for row in table(out, "comparisons")} == {
        ("sample", "pearson"),
        ("prompt", "kendall_b"),
    }
    said = capsys.readouterr().err
    assert said.index("On b,") < said.index("On a,")


def test_values_of_pairs_are_those_of_the_scores_as_they_came(tmp_path: Path) -> None:
    """Standardised, 1e-200 and 1e-300 are one value; people see two."""
    some = study()
    for place, row in enumerate(some.scores):
        if row["metric"] == "noise" and place % 2:
            row["value"] = repr(10.0 ** -(100 + 3 * place))
    labels = _labels(some)
    _, out = some.run(tmp_path)
    scores = {(row["metric"], row["sample"]): float(row["value"]) for row in some.scores}
    rows = [row for row in table(out, "comparisons") if (row["level"], row["statistic"]) == ("sample", "kendall_b")]
    for row in rows:
        values = [
            stats.kendalltau([scores[metric, sample] for sample in labels], list(labels.values())).statistic
            for metric in (row["metric_a"], row["metric_b"])
        ]
        assert float(row["value_a"]) == pytest.approx(values[0], abs=1e-12)
        assert float(row["difference"]) == pytest.approx(values[0] - values[1], abs=1e-12)


def test_pairs_are_compared_on_the_samples_that_both_have(tmp_path: Path) -> None:
    some = study()
    mine = [row for row in some.scores if row["metric"] == "good"]
    gone = {row["sample"] for row in mine[::3]}
    some.scores = [row for row in some.scores if not (row["metric"] == "good" and row["sample"] in gone)]
    labels = _labels(some)
    _, out = some.run(tmp_path)
    common = [sample for sample in labels if sample not in gone]
    noise = {row["sample"]: float(row["value"]) for row in some.scores if row["metric"] == "noise"}
    rows = table(out, "comparisons")
    [pair] = [
        row
        for row in rows
        if (row["level"], row["statistic"]) == ("sample", "pearson")
        and {row["metric_a"], row["metric_b"]} == {"good", "noise"}
    ]
    assert int(pair["n"]) == len(common)
    side = "value_a" if pair["metric_a"] == "noise" else "value_b"
    alone = stats.pearsonr([noise[sample] for sample in common], [labels[sample] for sample in common]).statistic
    assert float(pair[side]) == pytest.approx(alone, abs=1e-12)


def test_orders_of_generators_are_rows_of_the_correlations(tmp_path: Path) -> None:
    _, out = study().run(tmp_path)
    rows = {(row["metric"], row["statistic"]): row for row in table(out, "correlations") if row["level"] == "generator"}
    for metric in ("good", "noise"):
        plain, soft = rows[metric, "pairwise_accuracy"], rows[metric, "soft_pairwise_accuracy"]
        assert plain["n"] == soft["n"] == "4"
        assert "6 pairs of generators" in plain["note"]
        assert plain["value"] == rows[metric, "acc_eq"]["value"]
        listed = next(row for row in table(out, "generator_pairs") if row["metric"] == metric)
        assert listed["soft_pairwise_accuracy"] == soft["value"]


def test_mann_whitney_says_the_two_sided_p_too(tmp_path: Path) -> None:
    some = study()
    labels = _labels(some)
    _, out = some.run(tmp_path)
    rows = {(row["metric"], row["statistic"]): row for row in table(out, "correlations") if row["level"] == "sample"}
    row = rows["good", "mann_whitney_u"]
    cut = float(re.search(r"label >= ([\d.]+)", row["note"]).group(1))  # type: ignore[union-attr]
    scores = {each["sample"]: float(each["value"]) for each in some.scores if each["metric"] == "good"}
    sides = [[scores[sample] for sample in labels if (labels[sample] >= cut) is positive] for positive in (True, False)]
    two_sided = stats.mannwhitneyu(*sides, alternative="two-sided").pvalue
    assert f"two-sided p {float(two_sided)!r}" in row["note"]
    assert float(row["p"]) == pytest.approx(stats.mannwhitneyu(*sides, alternative="greater").pvalue, rel=1e-12)
    assert "two-sided p" not in rows["good", "mann_whitney_u_by_prompt"]["note"]


def test_the_sub_split_has_generators_times_groups_times_repetitions_points(tmp_path: Path) -> None:
    _, out = study().run(tmp_path, config="[levels]\nsubsplit_groups = 3\nsubsplit_repetitions = 4\n")
    assert {row["n"] for row in table(out, "correlations") if row["level"] == "subsplit"} == {str(4 * 3 * 4)}


def test_warnings_name_levels_as_people_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = study()
    for row in some.scores:  # best over generators, useless within them
        if row["metric"] == "noise":
            row["value"] = float(row["value"]) / 100 + ("mdm", "t2m", "momask", "reference").index(row["generator"])
    some.run(tmp_path)
    said = capsys.readouterr().err
    assert "differs between levels, by Spearman ρ: sample by sample good; within prompts" in said
    assert "within_generator" not in said


def test_intervals_are_named_by_the_confidence_that_was_asked_for(tmp_path: Path) -> None:
    _, out = study().run(tmp_path, config="[resampling]\nconfidence = 0.9\n")
    page = (out / "report.html").read_text()
    assert "90% bootstrap percentile" in page
    assert "95% bootstrap percentile" not in page


def test_equal_inputs_and_seed_write_equal_bytes(tmp_path: Path) -> None:
    outs = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        outs.append(study().run(tmp_path / name, seed=7)[1])
    files = [sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file()) for out in outs]
    assert files[0] == files[1]
    assert len(files[0]) > 20
    for file in files[0]:
        assert (outs[0] / file).read_bytes() == (outs[1] / file).read_bytes(), file


def test_a_number_that_is_none_is_named_by_its_cell() -> None:
    row = {"criterion": "faith", "metric": "good", "level": "sample", "statistic": "ks", "ci_low": float("nan")}
    expected = r"results.json, correlations 2 \(faith, good, sample, ks\), ci_low: expected a finite number"
    with pytest.raises(ValueError, match=expected):
        check_finite({"correlations": ({}, row)}, "results.json")


def test_the_stated_cut_comes_first_and_a_binary_criterion_is_cut_at_one_half() -> None:
    ratings, labels = np.array([1.0, 2, 3, 4, 5]), np.array([1.0, 2, 3, 4, 5])
    assert cuts_of(ratings, labels, 4.0) == (4.0, 2.0, 3.0, 5.0)
    assert cuts_of(ratings, labels, None)[0] == 3.0
    assert cuts_of(np.array([0.0, 1.0]), np.array([0.0, 1.0]), None) == (0.5,)
    assert cuts_of(np.array([2.0, 2.0]), np.array([2.0, 2.0]), None) == ()
