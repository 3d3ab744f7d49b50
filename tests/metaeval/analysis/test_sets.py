"""Metrics of whole sets, which come with their function; and Williams' test beside the others."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from metaeval.report.analysis import SetMetric, analyse
from metaeval.report.config import AnalysisConfig
from metaeval.report.filters import filter_steps
from metaeval.report.inputs import read_ratings, read_scores
from metaeval.report.results import Correlation, Finding
from metaeval.stats.design import Ints

GENERATORS, PROMPTS = ("a", "b", "c", "d", "e"), 12


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    rng = np.random.default_rng(5)
    ratings = ["sample,prompt,generator,rater,criterion,value"]
    scores = ["sample,generator,metric,value"]
    for prompt in range(PROMPTS):
        for place, generator in enumerate(GENERATORS):
            sample = f"p{prompt}.{generator}"
            for rater in "xyz":
                value = int(np.clip(np.rint(place + rng.normal()), 0, 4))
                ratings.append(f"{sample},p{prompt},{generator},{rater},natural,{value}")
            scores += [f"{sample},{generator},{name},{place + rng.normal() * 2!r}" for name in ("one", "two")]
    (tmp_path / "ratings.csv").write_text("\n".join(ratings) + "\n")
    (tmp_path / "scores.csv").write_text("\n".join(scores) + "\n")
    return tmp_path / "ratings.csv", tmp_path / "scores.csv"


def _finding(files: tuple[Path, Path], **options: SetMetric) -> Finding:
    config = AnalysisConfig.from_mapping({"resampling": {"replicates": 20, "permutations": 19}})
    steps = filter_steps(read_ratings(files[0]), read_scores(files[1]), config)
    return analyse(steps, config, set_metrics=tuple(options.values())).finding


def _row(finding: Finding, metric: str, level: str) -> Correlation:
    rows = [row for row in finding.correlations if (row.metric, row.level, row.statistic) == (metric, level, "pearson")]
    assert len(rows) == 1
    return rows[0]


@pytest.mark.slow
def test_a_set_metric_is_evaluated_again_on_every_set(files: tuple[Path, Path]) -> None:
    sizes: list[int] = []

    def spread(samples: Ints) -> float:
        sizes.append(len(samples))
        return float(samples.mean() % 7)

    finding = _finding(files, spread=SetMetric("spread", spread, direction="lower"))
    row = _row(finding, "spread", "generator")
    assert row.n == len(GENERATORS)
    assert "sign turned" in row.note
    assert row.ci_unit == "generator"
    assert _row(finding, "spread", "subsplit").n == len(GENERATORS) * 2 * 10
    assert {PROMPTS, PROMPTS // 2} <= set(sizes)


@pytest.mark.slow
def test_the_mean_of_a_metric_as_a_set_metric_correlates_as_the_metric_does(files: tuple[Path, Path]) -> None:
    table = read_scores(files[1])
    values = np.array([row.value for row in table if row.metric == "one"])
    plain = _finding(files)
    as_set = _finding(files, one=SetMetric("mean of one", lambda samples: float(values[samples].mean())))
    assert _row(as_set, "mean of one", "generator").value == pytest.approx(_row(plain, "one", "generator").value)


@pytest.mark.slow
def test_williams_test_over_generators_is_beside_the_permutations(files: tuple[Path, Path]) -> None:
    listing = next(listing for listing in _finding(files).listings if listing.name == "williams")
    (row,) = listing.rows
    found = dict(zip(listing.columns, row, strict=True))
    assert (found["level"], found["n"]) == ("generator", 5)
    scores = [row for row in read_scores(files[1]) if row.metric == "one"]
    ratings = list(read_ratings(files[0]))
    means = [
        (
            np.mean([row.value for row in scores if row.generator == generator]),
            np.mean([row.value for row in ratings if row.generator == generator]),
        )
        for generator in GENERATORS
    ]
    assert found["pearson_a"] == pytest.approx(stats.pearsonr(*zip(*means, strict=True)).statistic)


def _fid_like(samples: Ints) -> float:
    return float(np.mean(samples % 7) + np.std(samples))


@pytest.mark.slow
def test_a_set_metric_with_a_target_is_best_where_it_is_nearest_to_it(files: tuple[Path, Path]) -> None:
    options = {"function": _fid_like, "direction": "target", "target": 10.0}
    finding = _finding(files, near=SetMetric("near", **options))  # type: ignore[arg-type]
    row = _row(finding, "near", "generator")
    ratings = list(read_ratings(files[0]))
    samples = list(dict.fromkeys((rating.sample, rating.generator) for rating in ratings))
    values, means = [], []
    for generator in GENERATORS:
        codes = np.array([place for place, sample in enumerate(samples) if sample[1] == generator])
        values.append(-abs(_fid_like(codes) - 10.0))
        means.append(np.mean([rating.value for rating in ratings if rating.generator == generator]))
    assert row.value == pytest.approx(stats.pearsonr(values, means).statistic)
    assert "as -|x - 10|: nearest to the target is best" in row.note


@pytest.mark.slow
def test_without_a_number_the_target_is_the_references_value_and_the_reference_is_left_out(
    files: tuple[Path, Path],
) -> None:
    for file in files:
        file.write_text(file.read_text().replace(",e,", ",reference,").replace(".e,", ".reference,"))
    finding = _finding(files, near=SetMetric("near", _fid_like, direction="target"))
    row = _row(finding, "near", "generator")
    assert row.n == len(GENERATORS) - 1
    assert "without the reference, which the target is of" in row.note
    assert " with the reference" in row.note
    assert " with the reference" in _row(finding, "near", "subsplit").note


@pytest.mark.slow
def test_a_set_metric_has_the_exact_p_that_its_imported_numbers_have(files: tuple[Path, Path]) -> None:
    finding = _finding(files, fid=SetMetric("fid", _fid_like, direction="lower"))
    row = _row(finding, "fid", "generator")
    ratings = list(dict.fromkeys((rating.sample, rating.generator) for rating in read_ratings(files[0])))
    with files[1].open("a") as file:
        for generator in GENERATORS:
            codes = np.array([place for place, sample in enumerate(ratings) if sample[1] == generator])
            file.write(f",{generator},imported,{-_fid_like(codes)!r}\n")
    imported = _row(_finding(files), "imported", "generator")
    assert row.p is not None
    assert (row.value, row.p, row.p_method) == (pytest.approx(imported.value), imported.p, imported.p_method)
