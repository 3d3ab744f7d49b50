"""What a table or a sentence could hide: nominal scales, searches elsewhere, rare definedness, pairs that cannot be."""

from pathlib import Path

import numpy as np
import pytest

from tests.metaeval.analysis.small_study import GENERATORS, Study, study, table

pytestmark = pytest.mark.slow

QUICK = '[levels]\nwhich = ["sample"]\n[tests]\nstatistics = ["pearson"]\nlevels = ["sample"]\n'
NOMINAL = '[criteria.faith]\nmeasurement = "nominal"\n'


def test_a_mean_of_more_than_two_nominal_values_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _ = study().run(tmp_path, config=QUICK + NOMINAL)
    assert status == 2
    error = capsys.readouterr().err
    assert "labels.aggregation: faith: mean: expected values with an order, found a nominal scale" in error
    assert "majority, dawid_skene and mace need no order" in error


def test_a_nominal_majority_is_a_value_that_was_given_and_its_correlations_are_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = study(raters=2)
    for place, row in enumerate(some.ratings):
        row["value"] = (1, 5)[place % 2] if place < 60 else row["value"]
    status, out = some.run(tmp_path, config=QUICK + NOMINAL + '[labels]\naggregation = "majority"\n')
    assert status == 0
    said = capsys.readouterr().err
    assert "tied: the lowest of the tied values" in said
    assert "faith is nominal and has more than two values" in said
    statistics = {row["statistic"] for row in table(out, "agreement")}
    assert "alpha_nominal_over_raters" in statistics
    assert not {name for name in statistics if "ordinal" in name or "interval" in name}


def test_two_nominal_values_have_a_share(tmp_path: Path) -> None:
    some = study()
    for row in some.ratings:
        row["value"] = int(row["value"] >= 3)
    assert some.run(tmp_path, config=QUICK + NOMINAL)[0] == 0


def _rarely_defined() -> Study:
    """`rare` is perfect on the two prompts where it is not constant."""
    some = study(raters=3)
    labels: dict[str, list[float]] = {}
    for row in some.ratings:
        labels.setdefault(row["sample"], []).append(row["value"])
    for sample, values in labels.items():
        prompt, generator = sample.split(".")
        value = np.mean(values) if prompt in ("p0", "p1") else 0.0
        some.scores.append({"sample": sample, "generator": generator, "metric": "rare", "value": float(value)})
    return some


def test_a_winner_that_is_rarely_defined_within_prompts_is_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = '[primary]\ncriterion = "faith"\nlevel = "prompt"\nstatistic = "spearman"\n'
    _rarely_defined().run(tmp_path, config=config)
    said = capsys.readouterr().err
    assert "rare follows people best within prompts" in said
    assert (
        "warning: Within prompts, by Spearman ρ, rare is best on faith but defined in 2 of 12 prompts; with undefined "
        "prompts as 0 good is best"
    ) in said


def test_a_winner_that_wins_with_undefined_as_zero_too_is_not_warned_of(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study().run(tmp_path)
    assert "undefined prompts as 0" not in capsys.readouterr().err


GRID = '[metrics.good]\nsearch = "grid"\n[metrics.noise]\nsearch = "grid"\n[levels]\nwhich = ["sample", "{level}"]\n'
PRIMARY = '[primary]\ncriterion = "faith"\nlevel = "{level}"\nstatistic = "{statistic}"\n'


@pytest.mark.parametrize(
    ("level", "statistic", "method"),
    [
        ("prompt", "kendall_b", "permutation within prompts"),
        ("within_generator", "spearman", "permutation of whole prompts within generators"),
        ("generator", "pearson", "exact permutation of 4 generators"),
    ],
)
def test_a_search_is_tested_at_the_primary_level(level: str, statistic: str, method: str, tmp_path: Path) -> None:
    config = (GRID + PRIMARY).format(level=level, statistic=statistic)
    _, out = study().run(tmp_path, config=config)
    [row] = table(out, "searches")
    assert (row["winner"], row["level"], row["statistic"]) == ("good", level, statistic)
    assert method in row["p_method"]
    [alone] = [
        each
        for each in table(out, "correlations")
        if (each["metric"], each["level"], each["statistic"]) == ("good", level, statistic)
    ]
    assert float(row["value"]) == pytest.approx(float(alone["value"]))
    assert row["left_out_value"] != ""
    assert "stands in" not in row["note"]


def test_a_search_by_a_statistic_without_a_test_says_what_stands_in_for_it(tmp_path: Path) -> None:
    _, out = study().run(tmp_path, config=(GRID + PRIMARY).format(level="prompt", statistic="acc_eq"))
    [row] = table(out, "searches")
    assert (row["level"], row["statistic"]) == ("prompt", "spearman")
    assert "has no permutation test of a search: Spearman ρ within prompts stands in for it" in row["note"]


def test_a_search_among_numbers_of_generators_says_why_it_has_no_value(tmp_path: Path) -> None:
    some = study()
    some.scores = [
        {"sample": "", "generator": generator, "metric": name, "value": place * factor}
        for place, generator in enumerate(GENERATORS)
        for name, factor in (("good", 1.0), ("noise", -2.0))
    ]
    _, out = some.run(tmp_path, config=GRID.format(level="generator"))
    [row] = table(out, "searches")
    assert (row["value"], row["winner"], row["members"]) == ("", "", "2")
    assert row["note"] == "undefined: set metric"


ACCURACY = (
    '[primary]\ncriterion = "faith"\nlevel = "{level}"\nstatistic = "acc_eq"\ncomparisons = [["good", "noise"]]\n'
)


@pytest.mark.parametrize("level", ["sample", "prompt", "generator"])
def test_metrics_are_compared_by_pairwise_accuracy(level: str, tmp_path: Path) -> None:
    _, out = study().run(tmp_path, config=ACCURACY.format(level=level))
    found = {
        (row["metric_a"], row["metric_b"]): row for row in table(out, "comparisons") if row["statistic"] == "acc_eq"
    }
    row = found["good", "noise"]
    assert (row["role"], row["level"]) == ("confirmatory", level)
    assert row["p_method"] == "paired permutation by prompt, two-sided"
    alone = {
        each["metric"]: float(each["value"])
        for each in table(out, "correlations")
        if (each["level"], each["statistic"]) == (level, "acc_eq")
    }
    assert float(row["difference"]) == pytest.approx(alone["good"] - alone["noise"])


@pytest.mark.parametrize("level", ["sample", "prompt", "within_generator", "generator"])
def test_the_other_statistics_of_pairs_are_at_every_level(level: str, tmp_path: Path) -> None:
    _, out = study().run(tmp_path)
    rows = {
        row["statistic"]: row for row in table(out, "correlations") if (row["metric"], row["level"]) == ("good", level)
    }
    same = [rows[name]["p"] for name in ("kendall_b", "kendall_c", "somers_d")]
    assert all(rows[name]["value"] for name in ("kendall_c", "somers_d"))
    # Averaged over groups their denominators differ, and with them the test.
    assert len(set(same)) == (1 if level in ("sample", "generator") else 2)


def test_the_table_of_filters_names_its_level_and_statistic(tmp_path: Path) -> None:
    some = study()
    for row in some.ratings:
        row["is_gold"] = "true" if row["sample"].startswith("p0.") else "false"
    _, out = some.run(tmp_path, config='[exclude]\nraters = ["r2"]\n')
    rows = table(out, "filters")
    assert list(dict.fromkeys(row["step"] for row in rows)) == ["all but gold", "exclude.raters"]
    named = {(row["quantity"], row["level"], row["statistic"]) for row in rows}
    assert ("good", "sample", "spearman") in named
    assert ("alpha_ordinal", "", "alpha_ordinal") in named


def test_the_ceiling_is_named_only_where_there_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    some = study()
    for place, row in enumerate(some.ratings):
        row["value"] = 1 + place % 5
    some.run(tmp_path, config=QUICK)
    assert "limited by that; see the ceiling." in capsys.readouterr().err
    some.run(tmp_path, config=QUICK + '[labels]\naggregation = "median"\n')
    said = capsys.readouterr().err
    assert "limited by that." in said
    assert "see the ceiling" not in said


def test_captions_say_once_what_brackets_are(tmp_path: Path) -> None:
    _, out = study().run(tmp_path)
    for file in (out / "tables").glob("*.tex"):
        assert all(line.count("Brackets") <= 1 for line in file.read_text().splitlines()), file
