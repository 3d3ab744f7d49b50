"""From ratings to labels: derived criteria, float noise, nominal scales, and what other raters might have said."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from metaeval.stats.agreement import Measurement, krippendorff_alpha
from tests.metaeval.analysis.small_study import Study, study, table

pytestmark = pytest.mark.slow

QUICK = '[levels]\nwhich = ["sample"]\n[tests]\nstatistics = ["pearson"]\nlevels = ["sample"]\n'
DERIVED = '[criteria.both]\nderived = "a >= 3 and b >= 3"\n'


def _rows(out: Path, **wanted: str) -> list[dict[str, str]]:
    return [row for row in table(out, "correlations") if all(row[key] == value for key, value in wanted.items())]


def _row(out: Path, **wanted: str) -> dict[str, str]:
    [row] = _rows(out, **wanted)
    return row


def _labels(some: Study, criterion: str) -> dict[str, list[float]]:
    given: dict[str, list[float]] = {}
    for row in some.ratings:
        if row["criterion"] == criterion:
            given.setdefault(row["sample"], []).append(float(row["value"]))
    return given


def _scores(some: Study, metric: str) -> dict[str, float]:
    return {row["sample"]: float(row["value"]) for row in some.scores if row["metric"] == metric}


def test_a_derived_yes_or_no_is_positive_where_half_of_the_raters_say_yes(tmp_path: Path) -> None:
    some = study(criteria=("a", "b"))
    a, b, scores = _labels(some, "a"), _labels(some, "b"), _scores(some, "good")
    share = {sample: np.mean([x >= 3 and y >= 3 for x, y in zip(a[sample], b[sample], strict=True)]) for sample in a}
    yes = np.array([share[sample] >= 0.5 for sample in share])
    assert yes.sum() != sum(value == 1 for value in share.values())
    _, out = some.run(tmp_path, config=QUICK + DERIVED)
    row = _row(out, criterion="both", metric="good", statistic="auc_roc")
    values = np.array([scores[sample] for sample in share])
    u = stats.mannwhitneyu(values[yes], values[~yes]).statistic
    assert float(row["value"]) == pytest.approx(u / (yes.sum() * (~yes).sum()))
    assert "positive: label >= 0.5, the majority" in row["note"]


def test_a_stated_cut_of_a_derived_yes_or_no_comes_first(tmp_path: Path) -> None:
    _, out = study(criteria=("a", "b")).run(tmp_path, config=QUICK + DERIVED + "positive_cut = 1\n")
    note = _row(out, criterion="both", metric="good", statistic="auc_roc")["note"]
    assert "positive: label >= 1" in note
    assert "majority" not in note


def _with_decimals(some: Study, values: tuple[float, ...]) -> Study:
    """The same decimals on every sample, each time by other raters: their mean depends on the order of summing."""
    for place, row in enumerate(some.ratings):
        sample, rater = divmod(place, 3)
        row["value"] = repr(values[(sample + rater * (1 + sample % 2)) % 3])
    return some


def test_labels_that_differ_by_float_noise_only_are_constant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = _with_decimals(study(), (0.1, 0.2, 0.3))
    assert len({np.mean(values) for values in _labels(some, "faith").values()}) > 1
    _, out = some.run(tmp_path)
    assert "No metric can be compared with people on faith." in capsys.readouterr().err
    for row in _rows(out, statistic="spearman"):
        assert row["value"] == ""
        assert "undefined: constant labels" in row["note"]
    noise = table(out, "float_noise")
    assert {row["of"] for row in noise} == {"labels"}
    assert "0.19999999999999998 and 0.2" in noise[0]["example"]
    assert noise[0]["kendall_b_as_is"] != ""
    assert noise[0]["kendall_b_merged"] == ""


def test_a_label_on_the_cut_stays_on_it_in_whatever_order_raters_come(tmp_path: Path) -> None:
    some = study()
    for place, row in enumerate(some.ratings):
        sample, rater = divmod(place, 3)
        values = (0.6, 0.7, 0.8) if sample % 2 else (0.3, 0.3, 0.3)
        row["value"] = repr(values[(sample // 2 + rater * (1 + sample // 2 % 2)) % 3])
    labels = [np.mean(values) for values in _labels(some, "faith").values()]
    assert min(label for label in labels if label > 0.4) < 0.7
    _, out = some.run(tmp_path, config=QUICK + "[criteria.faith]\npositive_cut = 0.7\n")
    positive = [place % 2 == 1 for place in range(len(labels))]
    scores = np.array(list(_scores(some, "good").values()))
    u = stats.mannwhitneyu(scores[positive], scores[np.invert(positive)]).statistic
    assert float(_row(out, metric="good", statistic="mann_whitney_u")["value"]) == u


def test_a_metric_whose_scores_differ_by_float_noise_only_is_constant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = study()
    for place, row in enumerate(some.scores):
        if row["metric"] == "noise":
            row["value"] = repr(0.3 if place % 2 else 0.1 + 0.2)
    _, out = some.run(tmp_path)
    assert "metric noise: all scores are 0.3" in capsys.readouterr().err
    for row in _rows(out, metric="noise", statistic="kendall_b"):
        assert "undefined: constant scores" in row["note"]
    [noise] = table(out, "float_noise")
    assert (noise["of"], noise["metric"], noise["example"]) == ("scores", "noise", "0.3 and 0.30000000000000004")
    assert noise["kendall_b_as_is"] != ""
    assert noise["kendall_b_merged"] == ""


RATERS = QUICK + '[resampling]\nunit = "rater"\n'


def test_with_few_raters_the_unit_rater_gives_the_range_without_each_of_them(tmp_path: Path) -> None:
    some = study(raters=5)
    _, out = some.run(tmp_path, config=RATERS)
    row = _row(out, metric="good", statistic="pearson")
    given, scores = _labels(some, "faith"), _scores(some, "good")
    ratings = np.array(list(given.values())).T
    values = np.array([scores[sample] for sample in given])
    without = [np.corrcoef(values, np.delete(ratings, rater, axis=0).mean(axis=0))[0, 1] for rater in range(5)]
    assert (row["ci_method"], row["ci_unit"]) == ("leave-one-out range", "rater")
    assert [float(row["ci_low"]), float(row["ci_high"])] == pytest.approx([min(without), max(without)])


def test_with_ten_raters_the_interval_is_not_pulled_down_by_copies_of_raters(tmp_path: Path) -> None:
    some = study(raters=10)
    _, out = some.run(tmp_path, config=RATERS)
    row = _row(out, metric="good", statistic="pearson")
    low, value, high = (float(row[key]) for key in ("ci_low", "value", "ci_high"))
    assert (row["ci_method"], row["ci_unit"]) == ("jackknife t", "rater")
    # Around the value on Fisher's scale; raters drawn with replacement gave 0.85 to 0.91 around 0.90.
    assert np.arctanh(high) - np.arctanh(value) == pytest.approx(np.arctanh(value) - np.arctanh(low))


def test_without_raters_to_draw_there_is_a_reason_instead_of_an_interval(tmp_path: Path) -> None:
    _, out = study().run(tmp_path, config=RATERS + '[labels]\noracle = "r0"\n')
    assert "no interval: the labels are the oracle's alone" in _row(out, metric="good", statistic="pearson")["note"]


DESCENDING = QUICK + '[criteria.a]\nscale = [1, 2, 3, 4, 5]\norder = "descending"\n[judges.gpt]\ncriterion = "a"\n'


def _judged() -> Study:
    """A judge that answers a little above the mean rating."""
    some = study(criteria=("a",))
    for sample, values in _labels(some, "a").items():
        answer = min(5.0, np.round(np.mean(values)) + 1.0)
        some.scores.append({"sample": sample, "generator": sample.split(".")[1], "metric": "gpt", "value": answer})
    return some


def test_where_a_low_rating_is_good_judges_are_turned_with_the_labels(tmp_path: Path) -> None:
    some = _judged()
    _, out = some.run(tmp_path, config=DESCENDING)
    labels, answers = _labels(some, "a"), _scores(some, "gpt")
    differences = [answers[sample] - np.mean(values) for sample, values in labels.items()]
    row = next(row for row in table(out, "judges") if row["judge"] == "gpt")
    assert float(row["difference"]) == pytest.approx(np.mean(np.abs(differences)))
    assert float(row["bias"]) == pytest.approx(-np.mean(differences))


def test_where_a_low_rating_is_good_a_judge_correlates_with_a_low_answer_as_the_better(tmp_path: Path) -> None:
    some = _judged()
    _, out = some.run(tmp_path, config=DESCENDING)
    row = _row(out, metric="gpt", statistic="pearson")
    assert float(row["value"]) > 0.8
    assert "sign turned: lower is better" in row["note"]
    (tmp_path / "said").mkdir()
    _, out = some.run(tmp_path / "said", config=DESCENDING + '[metrics.gpt]\ndirection = "higher"\n')
    assert float(_row(out, metric="gpt", statistic="pearson")["value"]) < -0.8


def test_each_criterion_is_measured_in_its_own_way_against_the_oracle(tmp_path: Path) -> None:
    some = study(criteria=("a", "b"))
    config = QUICK + '[criteria.b]\nmeasurement = "nominal"\n[include]\nmetrics = ["good"]\n[labels]\noracle = "r0"\n'
    _, out = some.run(tmp_path, config=config)
    row = next(row for row in table(out, "oracle_agreement") if row["rater"] == "r1")
    kinds: dict[str, Measurement] = {"a": "ordinal", "b": "nominal"}
    for criterion, measurement in kinds.items():
        ratings = np.array(list(_labels(some, criterion).values())).T
        expected = krippendorff_alpha(ratings[:2], measurement=measurement)
        assert float(row[criterion]) == pytest.approx(expected)


def _methods(out: Path) -> str:
    return str(json.loads((out / "results.json").read_text())["methods"])


def test_the_methods_name_the_intervals_that_were_used_and_not_those_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = '[resampling]\ninterval = "bca"\nunit = "prompt+generator"\n[levels]\nwhich = ["sample", "subsplit"]\n'
    _, out = study().run(tmp_path, config=config)
    said, warned = _methods(out), capsys.readouterr().err
    assert "sample by sample: percentiles of bootstrap replicates over prompts and generators" in said
    assert "agreement: bias-corrected and accelerated bootstrap (Efron 1987) over prompts" in said
    assert "over sub-splits of generators: percentiles of bootstrap replicates over prompts" in said
    assert "warning: Some intervals are not bootstrap BCa, which was asked for, but" in warned
    assert "bootstrap percentile over prompts and generators (sample by sample)" in warned


def test_the_methods_name_the_statistics_whose_interval_differs_from_the_others(tmp_path: Path) -> None:
    _, out = study().run(tmp_path, config=QUICK)
    assert "Student's t on leave-one-out values over prompts (AUC-ROC, AUPR" in _methods(out)


def test_the_methods_say_what_was_permuted_at_each_level_and_for_whom_it_holds(tmp_path: Path) -> None:
    some = study()
    some.ratings += [{**row, "occasion": 2, "value": 1} for row in some.ratings[:6]]
    some.ratings = [{"occasion": 1, **row} for row in some.ratings]
    _, out = some.run(tmp_path)
    said = _methods(out)
    for words in (
        "within prompts (prompt level)",
        "all orders of up to 7, exactly",
        "the p is conditional on them",
        "the first rating alone enters labels and agreement",
        "soft pairwise accuracy",
        "krippendorff ",
        "not compared between generators",
    ):
        assert words in said, words


def test_intervals_of_a_kind_have_one_name(tmp_path: Path) -> None:
    _, out = study(raters=10).run(tmp_path)
    names = {row["ci_method"] for name in ("agreement", "correlations") for row in table(out, name)} - {""}
    assert names <= {"bootstrap percentile", "jackknife t", "exact bound", "leave-one-out range"}
