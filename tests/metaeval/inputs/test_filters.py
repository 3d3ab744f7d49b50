"""What is left out, step by step."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from metaeval.report.assemble import assemble
from metaeval.report.config import AnalysisConfig, ConfigError
from metaeval.report.filters import FilterStep, filter_steps
from metaeval.report.inputs import RatingRows, ScoreRows, read_ratings, read_scores

COLUMNS = ("sample", "prompt", "generator", "rater", "criterion", "value", "is_gold")
ROWS = [
    (f"{prompt}.{generator}", prompt, generator, rater, "naturalness", place % 3, "false")
    for prompt in ("a", "b", "c")
    for generator in ("good", "bad")
    for place, rater in enumerate(("anna", "ben", "cleo"))
    if (prompt, generator, rater) != ("c", "bad", "cleo")
]


def _read(folder: Path, rows: Sequence[Sequence[Any]] = ROWS) -> tuple[RatingRows, ScoreRows]:
    scores = [
        (sample, sample.split(".")[1], "m", place) for place, sample in enumerate(dict.fromkeys(r[0] for r in rows))
    ]
    for name, columns, lines in (
        ("ratings.csv", COLUMNS, rows),
        ("scores.csv", ("sample", "generator", "metric", "value"), scores),
    ):
        with (folder / name).open("w", newline="") as file:
            csv.writer(file).writerows([columns, *lines])
    return read_ratings(folder / "ratings.csv"), read_scores(folder / "scores.csv")


def _removed(step: FilterStep) -> tuple[int, int, int, int]:
    return step.removed_ratings, step.removed_samples, step.removed_raters, step.removed_prompts


def test_without_filters_there_is_one_step_which_is_what_is_analysed(tmp_path: Path) -> None:
    ratings, scores = _read(tmp_path)
    steps = filter_steps(ratings, scores, AnalysisConfig())
    assert [(step.name, _removed(step)) for step in steps] == [("all ratings", (0, 0, 0, 0))]
    assert len(steps[0].material.ratings["naturalness"].value) == 17
    assert assemble(ratings, scores).samples == steps[0].material.samples


def test_each_exclusion_is_a_step_that_says_what_it_took_away(tmp_path: Path) -> None:
    exclude = {"raters": ["anna"], "samples": ["a.good"], "prompts": ["b"], "generators": ["bad"]}
    ratings, scores = _read(tmp_path)
    steps = filter_steps(ratings, scores, AnalysisConfig.from_mapping({"exclude": exclude}))
    assert [(step.name, _removed(step)) for step in steps] == [
        ("all ratings", (0, 0, 0, 0)),
        ("exclude.raters", (6, 0, 1, 0)),
        ("exclude.samples", (2, 1, 0, 0)),
        ("exclude.prompts", (4, 2, 0, 1)),
        ("exclude.generators", (3, 2, 0, 1)),
    ]
    last = steps[-1].material
    assert (last.samples, last.generators, last.prompts, last.raters) == (
        ("c.good",),
        ("good",),
        ("c",),
        ("ben", "cleo"),
    )
    assert last.metrics[0].values.tolist() == [4.0]
    assert "there is one generator" in " ".join(last.warnings)
    assert steps[1].description == "without the raters anna"


def test_gold_is_gone_before_the_first_step(tmp_path: Path) -> None:
    rows = [(*row[:6], "true" if row[0] == "b.bad" else "") for row in ROWS]
    ratings, scores = _read(tmp_path, rows)
    config = AnalysisConfig.from_mapping({"exclude": {"gold": ["a.good"]}})
    steps = filter_steps(ratings, scores, config)
    assert [step.description for step in steps] == ["all ratings, without gold"]
    assert _removed(steps[0]) == (6, 2, 0, 0)
    assert steps[0].material.samples == ("a.bad", "b.good", "c.good", "c.bad")


def test_only_complete_prompts_are_kept(tmp_path: Path) -> None:
    ratings, scores = _read(tmp_path)
    steps = filter_steps(ratings, scores, AnalysisConfig.from_mapping({"labels": {"ratings_at_least": 3}}))
    assert steps[-1].description == "only prompts with at least 3 ratings on every generator"
    assert _removed(steps[-1]) == (5, 2, 0, 1)
    assert steps[-1].material.prompts == ("a", "b")


def test_a_prompt_without_a_generator_is_not_complete_and_exclusions_come_first(tmp_path: Path) -> None:
    rows = [row for row in ROWS if row[0] != "b.bad"]
    ratings, scores = _read(tmp_path, rows)
    settings: dict[str, Any] = {"labels": {"ratings_at_least": 2}}
    assert filter_steps(ratings, scores, AnalysisConfig.from_mapping(settings))[-1].material.prompts == ("a", "c")
    settings["exclude"] = {"generators": ["bad"]}
    assert assemble(ratings, scores, AnalysisConfig.from_mapping(settings)).prompts == ("a", "b", "c")


def test_completeness_is_judged_criterion_by_criterion(tmp_path: Path) -> None:
    rows = [*ROWS, *((*row[:4], "faithfulness", 1, "") for row in ROWS if row[3] == "anna" and row[1] != "a")]
    ratings, scores = _read(tmp_path, rows)
    material = assemble(ratings, scores, AnalysisConfig.from_mapping({"labels": {"ratings_at_least": 1}}))
    prompts = {
        name: {material.prompts[material.design.prompt[sample]] for sample in given.sample}
        for name, given in material.ratings.items()
    }
    assert prompts == {"naturalness": {"a", "b", "c"}, "faithfulness": {"b", "c"}}


def test_a_filter_that_leaves_nothing_is_refused(tmp_path: Path) -> None:
    ratings, scores = _read(tmp_path)
    with pytest.raises(ConfigError, match=r"labels.ratings_at_least: expected to leave some ratings, found none left"):
        assemble(ratings, scores, AnalysisConfig.from_mapping({"labels": {"ratings_at_least": 4}}))


def test_derived_ratings_follow_their_rater_and_are_not_counted(tmp_path: Path) -> None:
    ratings, scores = _read(tmp_path)
    config = AnalysisConfig.from_mapping(
        {"criteria": {"good": {"derived": "naturalness >= 1"}}, "exclude": {"raters": ["cleo"]}}
    )
    steps = filter_steps(ratings, scores, config)
    assert steps[1].removed_ratings == 5
    assert len(steps[1].material.ratings["good"].value) == 12
