"""Missing and odd data, through the whole command: a named reason in every cell that has no value, and no traceback."""

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.metaeval.analysis.small_study import Study, study, table

pytestmark = pytest.mark.slow

SET_SCORES = [("mdm", 9.0), ("t2m", 5.0), ("momask", 3.0), ("reference", 0.1)]


@pytest.fixture(autouse=True)
def numpy_warnings_are_errors() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


def _changed(change: Callable[[Study], None]) -> Study:
    changed = study()
    change(changed)
    return changed


def _with_equal_ratings(some: Study) -> None:
    for row in some.ratings:
        row["value"] = 3


def _with_a_constant_metric(some: Study) -> None:
    for row in some.scores:
        row["value"] = 1.0 if row["metric"] == "good" else row["value"]


def _with_half_the_scores(some: Study) -> None:
    mine = [row for row in some.scores if row["metric"] == "good"]
    some.scores = [row for row in some.scores if row not in mine[: len(mine) // 2]]


def _with_huge_scores(some: Study) -> None:
    for row in some.scores:
        row["value"] = float(row["value"]) * 1e300


def _with_scores_of_sets_only(some: Study) -> None:
    some.scores = [
        {"sample": "", "generator": generator, "metric": "FID", "value": value, "direction": "lower"}
        for generator, value in SET_SCORES
    ]


ODD: dict[str, Callable[[], Study]] = {
    "one rater": lambda: study(raters=1),
    "one generator": lambda: study(generators=1),
    "one prompt": lambda: study(prompts=1),
    "two samples of one prompt": lambda: study(prompts=1, generators=2),
    "two samples of one generator": lambda: study(prompts=2, generators=1),
    "one sample": lambda: study(prompts=1, generators=1),
    "equal ratings": lambda: _changed(_with_equal_ratings),
    "a constant metric": lambda: _changed(_with_a_constant_metric),
    "half the scores": lambda: _changed(_with_half_the_scores),
    "huge scores": lambda: _changed(_with_huge_scores),
    "scores of sets only": lambda: _changed(_with_scores_of_sets_only),
}
CONFIGS = {
    "no replicates": ("", {"replicates": 0}),
    "no permutations": ("", {"permutations": 0}),
    "neither": ("", {"replicates": 0, "permutations": 0}),
    "raters": ('[resampling]\nunit = "rater"\n', {}),
    "prompts and generators": ('[resampling]\nunit = "prompt+generator"\n', {}),
    "bca": ('[resampling]\ninterval = "bca"\n', {}),
    "jackknife": ('[resampling]\ninterval = "jackknife_t"\n', {}),
    "one level": ('[levels]\nwhich = ["generator"]\n', {}),
    "an oracle": ('[labels]\noracle = "r0"\n', {}),
}


def _assert_every_gap_is_named(out: Path) -> None:
    for row in table(out, "correlations"):
        assert (row["value"] == "") == row["note"].startswith("undefined: "), row
        assert (row["ci_low"] == "") == (row["ci_method"] == ""), row
        assert (row["p"] == "") == (row["p_method"] == ""), row
        assert row["value"] == "" or "undefined: " not in row["note"], row
    for row in table(out, "agreement"):
        assert row["value"] != "" or row["note"].startswith("undefined: "), row
    for row in table(out, "comparisons"):
        assert row["p"] != "" or row["note"], row


@pytest.mark.parametrize("name", ODD)
def test_odd_data_gets_reasons_instead_of_values(name: str, tmp_path: Path) -> None:
    status, out = ODD[name]().run(tmp_path)
    assert status == 0
    _assert_every_gap_is_named(out)


@pytest.mark.parametrize("name", CONFIGS)
def test_every_way_of_resampling_gets_through(name: str, tmp_path: Path) -> None:
    config, options = CONFIGS[name]
    status, out = study().run(tmp_path, config=config, **options)
    assert status == 0
    _assert_every_gap_is_named(out)


def test_one_prompt_has_no_interval_over_prompts(tmp_path: Path) -> None:
    _, out = study(prompts=1).run(tmp_path)
    row = next(row for row in table(out, "correlations") if (row["level"], row["statistic"]) == ("sample", "pearson"))
    assert row["ci_low"] == ""
    assert "no interval: 1 unit to resample" in row["note"]


def test_without_permutations_differences_have_no_p(tmp_path: Path) -> None:
    _, out = study().run(tmp_path, permutations=0)
    rows = table(out, "comparisons")
    assert rows
    assert all(row["p"] == "" and "no p" in row["note"] for row in rows if row["difference"])
    assert any(row["difference"] for row in rows)


def test_huge_scores_have_the_p_of_their_small_copies(tmp_path: Path) -> None:
    small, huge = study(), _changed(_with_huge_scores)
    (tmp_path / "small").mkdir()
    (tmp_path / "huge").mkdir()
    rows = [table(each.run(tmp_path / name)[1], "correlations") for name, each in (("small", small), ("huge", huge))]
    for one, other in zip(*rows, strict=True):
        assert one["p"] == other["p"], (one, other)


def test_a_metric_of_whole_generators_is_named_where_it_has_a_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _changed(_with_scores_of_sets_only).run(tmp_path)
    assert "FID follows people best generator by generator" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ("[levels]\nwhich = []\n", "levels.which: expected at least one of sample"),
        ('[tests]\nstatistics = ["kendal_b"]\n', "did you mean kendall_b?"),
        (
            '[primary]\ncriterion = "faith"\nlevel = "sample"\nstatistic = "auc_roc@>=44"\n',
            "primary.statistic: cut: expected one of >=",
        ),
        (
            '[primary]\ncriterion = "faith"\nlevel = "sample"\nstatistic = "kendall_c"\ncomparisons = "all"\n',
            "primary.statistic, for there are comparisons: expected one of pearson",
        ),
        ('[labels]\naggregation = "standardised_mean"\n[exclude]\nprompts = ["p0"]\n', "labels.aggregation: faith"),
    ],
)
def test_a_mistake_in_the_settings_is_one_line(
    config: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = study()
    if "standardised" in config:
        for row in some.ratings:
            row["rater"] += row["prompt"]  # nobody rates enough
    status, out = some.run(tmp_path, config=config)
    error = capsys.readouterr().err
    assert status == 2
    assert message in error
    assert error.count("\n") == 1
    assert not out.exists()


def test_a_negative_count_names_its_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert study().run(tmp_path, replicates=-1)[0] == 2
    assert capsys.readouterr().err == "error: --replicates: expected an integer from 0, found -1\n"
