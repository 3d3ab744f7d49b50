"""The reference as a leverage point: left out wherever it would be compared with itself; the value with it beside."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tests.metaeval.analysis.small_study import GENERATORS, Study, study, table

pytestmark = pytest.mark.slow

DIVERSITY = {"mdm": 5.0, "t2m": 6.5, "momask": 8.0, "reference": 9.0}


def _row(out: Path, **wanted: str) -> dict[str, str]:
    [found] = [row for row in table(out, "correlations") if all(row[key] == value for key, value in wanted.items())]
    return found


def _with_diversity(some: Study) -> Study:
    some.scores += [
        {"sample": "", "generator": generator, "metric": "diversity", "value": value}
        for generator, value in DIVERSITY.items()
    ]
    return some


def _means(some: Study) -> dict[str, float]:
    return {
        generator: float(np.mean([row["value"] for row in some.ratings if row["generator"] == generator]))
        for generator in GENERATORS
    }


def test_what_the_target_was_taken_from_is_no_point_of_its_own(tmp_path: Path) -> None:
    some = _with_diversity(study())
    _, out = some.run(tmp_path, config='[metrics.diversity]\ntarget = "reference"\n')
    row = _row(out, metric="diversity", level="generator", statistic="pearson")
    means = _means(some)
    near = {generator: -abs(value - 9.0) for generator, value in DIVERSITY.items()}
    without = [generator for generator in GENERATORS if generator != "reference"]
    expected = stats.pearsonr([near[name] for name in without], [means[name] for name in without]).statistic
    whole = stats.pearsonr([near[name] for name in GENERATORS], [means[name] for name in GENERATORS]).statistic
    assert row["n"] == "3"
    assert float(row["value"]) == pytest.approx(expected)
    assert "without the reference, which the target is of" in row["note"]
    assert f"{whole:.3f} with the reference" in row["note"]


def test_the_settings_have_the_last_word_on_the_reference_of_a_target(tmp_path: Path) -> None:
    config = '[metrics.diversity]\ntarget = "reference"\nreference_based = false\n'
    _, out = _with_diversity(study()).run(tmp_path, config=config)
    assert _row(out, metric="diversity", level="generator", statistic="pearson")["n"] == "4"


def test_a_number_for_a_target_leaves_nobody_out(tmp_path: Path) -> None:
    _, out = _with_diversity(study()).run(tmp_path, config="[metrics.diversity]\ntarget = 9\n")
    assert _row(out, metric="diversity", level="generator", statistic="pearson")["n"] == "4"


BASED = '[metrics.error]\ndirection = "lower"\nreference_based = true\n'


@pytest.mark.parametrize(
    ("level", "statistic"),
    [
        ("sample", "pearson"),
        ("subsplit", "kendall_b"),
        ("generator", "pairwise_accuracy"),
        ("generator", "soft_pairwise_accuracy"),
    ],
)
def test_the_value_with_the_reference_stands_beside_every_value_without(
    level: str, statistic: str, tmp_path: Path
) -> None:
    _, out = study().run(tmp_path, config=BASED)
    row = _row(out, metric="error", level=level, statistic=statistic)
    assert "without the reference" in row["note"]
    beside = float(row["note"].split(" with the reference")[0].rsplit("; ", 1)[1])
    (tmp_path / "with").mkdir()
    _, out = study().run(tmp_path / "with", config=BASED.replace("true", "false"))
    assert float(_row(out, metric="error", level=level, statistic=statistic)["value"]) == pytest.approx(
        beside, abs=5e-4
    )


def test_numbers_of_sub_splits_alone_are_those_of_a_set_metric(tmp_path: Path) -> None:
    some = study()
    for row in some.ratings:
        row["subset"] = "odd" if int(row["sample"].split(".")[0][1:]) % 2 else "even"
    some.scores += [
        {"sample": "", "generator": generator, "metric": "fid_sub", "subset": subset, "value": place + len(subset)}
        for place, generator in enumerate(GENERATORS)
        for subset in ("odd", "even")
    ]
    _, out = some.run(tmp_path)
    for level, statistic in (("sample", "pearson"), ("prompt", "spearman"), ("generator", "pairwise_accuracy")):
        assert _row(out, metric="fid_sub", level=level, statistic=statistic)["note"].startswith("undefined: set metric")
    assert _row(out, metric="fid_sub", level="subsplit", statistic="pearson")["value"] != ""
