"""Two files and settings become arrays; what does not fit together is said in one line."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.report.assemble import assemble
from metaeval.report.config import AnalysisConfig, ConfigError
from metaeval.report.inputs import InputError, read_ratings, read_scores
from metaeval.report.material import Material, Metric

RATING_COLUMNS = ("sample", "prompt", "generator", "rater", "criterion", "value", "occasion", "subset")
SCORE_COLUMNS = ("sample", "generator", "metric", "value", "direction", "subset")
TIFA = Path(__file__).parents[3] / "../shared/data/tifa160"

Rows = Sequence[Sequence[Any]]


def _write(path: Path, columns: Sequence[str], rows: Rows) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


def _crossed(values: str = "3012", *, criterion: str = "naturalness", raters: Sequence[str] = ("anna", "ben")) -> Rows:
    """Two prompts x two generators, a digit a sample; the second rater gives one more."""
    samples = [(prompt, generator) for prompt in ("a", "b") for generator in ("good", "reference")]
    return [
        (f"{prompt}.{generator}", prompt, generator, rater, criterion, int(digit) + more, 1, "")
        for (prompt, generator), digit in zip(samples, values, strict=True)
        for more, rater in enumerate(raters)
    ]


SCORES: Rows = [
    ("a.good", "good", "jitter", 0.5, "lower", ""),
    ("a.reference", "reference", "jitter", 0.25, "lower", ""),
    ("b.good", "good", "jitter", "", "lower", ""),
    ("b.reference", "reference", "jitter", 0.75, "lower", ""),
    ("", "good", "fid", 12.5, "", ""),
    ("", "good", "fid", 20, "", "walks"),
]


class Files:
    """A pair of files in a folder, assembled with given settings."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(
        self,
        ratings: Rows | None = None,
        scores: Rows = SCORES,
        *,
        columns: Sequence[str] = SCORE_COLUMNS,
        rating_columns: Sequence[str] = RATING_COLUMNS,
        **settings: Any,
    ) -> Material:
        read = read_ratings(_write(self.folder / "ratings.csv", rating_columns, ratings or _crossed()))
        scored = read_scores(_write(self.folder / "scores.csv", columns, scores))
        return assemble(read, scored, AnalysisConfig.from_mapping(settings))


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def _metric(material: Material, name: str) -> Metric:
    return next(metric for metric in material.metrics if metric.name == name)


def test_everything_is_coded_in_the_order_of_the_file(files: Files) -> None:
    material = files()
    assert material.samples == ("a.good", "a.reference", "b.good", "b.reference")
    assert (material.prompts, material.generators, material.raters) == (
        ("a", "b"),
        ("good", "reference"),
        ("anna", "ben"),
    )
    assert material.design.prompt.tolist() == [0, 0, 1, 1]
    assert material.design.generator.tolist() == [0, 1, 0, 1]
    assert material.table("naturalness").tolist() == [[3, 0, 1, 2], [4, 1, 2, 3]]
    assert material.reference == 1
    jitter, fid = _metric(material, "jitter"), _metric(material, "fid")
    assert jitter.direction == "lower"
    np.testing.assert_array_equal(jitter.values, [0.5, 0.25, np.nan, 0.75])
    np.testing.assert_array_equal(jitter.turned(jitter.values), [-0.5, -0.25, np.nan, -0.75])
    np.testing.assert_array_equal(fid.of_generators, [12.5, np.nan])
    assert fid.of_subsets == {(0, "walks"): 20.0}
    assert "metric jitter: 1 of 4 rated samples have no score" in material.warnings
    assert "subsets that no sample belongs to have scores, which are not used: walks" in material.warnings


def test_the_settings_have_the_last_word_on_direction_and_reference(files: Files) -> None:
    material = files(
        metrics={"jitter": {"direction": "higher", "reference_based": True, "search": "k"}},
        generators={"reference": "good"},
    )
    jitter = _metric(material, "jitter")
    assert (jitter.direction, jitter.is_reference_based, jitter.won_search) == ("higher", True, "k")
    assert material.reference == 0
    assert "metric jitter: direction higher by analysis.toml; the scores file says lower" in material.warnings
    assert files(generators={"reference": ""}).reference is None


def test_a_target_is_a_number_or_what_a_generator_has(files: Files) -> None:
    assert _metric(files(metrics={"jitter": {"target": 0.4}}), "jitter").target == 0.4
    near = _metric(files(metrics={"jitter": {"target": "reference"}}), "jitter")
    assert near.target == 0.5
    np.testing.assert_array_equal(near.turned(near.values), [0, -0.25, np.nan, -0.25])
    assert _metric(files(metrics={"fid": {"target": "good"}}), "fid").target == 12.5
    assert _metric(files(metrics={"jitter": {"direction": "target"}}), "jitter").target == 0.5
    with pytest.raises(ConfigError, match=r"metrics.fid.target: expected a number, or a generator that has scores"):
        files(metrics={"fid": {"target": "reference"}})


def test_the_target_may_come_from_a_generator_that_nobody_rated(files: Files) -> None:
    material = files(scores=[*SCORES, ("", "real", "fid", 3, "", "")], metrics={"fid": {"target": "real"}})
    assert _metric(material, "fid").target == 3.0
    assert material.generators == ("good", "reference")


def test_gold_counts_towards_no_target(files: Files) -> None:
    settings: dict[str, Any] = {"metrics": {"jitter": {"target": "reference"}}, "exclude": {"gold": ["b.reference"]}}
    assert _metric(files(**settings), "jitter").target == 0.25


def test_a_metric_whose_file_says_target_without_one_is_left_out_with_a_word(files: Files) -> None:
    scores = [*SCORES[:4], ("", "good", "diversity", 9, "target", "")]
    material = files(scores=scores)
    assert [metric.name for metric in material.metrics] == ["jitter"]
    assert any(
        warning.startswith("metric diversity is left out: its direction is target") for warning in material.warnings
    )


def test_derived_criteria_are_computed_per_rater_and_occasion(files: Files) -> None:
    again = ("a.good", "a", "good", "anna", "faithfulness", 0, 2, "")
    alone = ("b.good", "b", "good", "cleo", "faithfulness", 4, 1, "")
    ratings = [*_crossed("3012"), *_crossed("4420", criterion="faithfulness"), again, alone]
    aligned = {"derived": "faithfulness >= 3 and naturalness >= 3"}
    material = files(ratings, criteria={"aligned": aligned, "sum": {"derived": "naturalness + faithfulness"}})
    np.testing.assert_array_equal(material.table("aligned"), [[1, 0, 0, 0], [1, 0, 0, 0], [np.nan] * 4])
    np.testing.assert_array_equal(material.table("sum")[:2], [[7, 4, 3, 2], [9, 6, 5, 4]])
    facts = material.criteria["aligned"]
    assert (facts.scale, facts.positive_cut, facts.formula) == ((0.0, 1.0), None, aligned["derived"])
    assert list(material.ratings) == ["naturalness", "faithfulness", "aligned", "sum"]


def test_in_and_or_not_a_criterion_means_its_positive_cut(files: Files) -> None:
    ratings = [*_crossed("3012"), *_crossed("4420", criterion="faithfulness")]
    criteria: dict[str, Any] = {"both": {"derived": "faithfulness and naturalness"}}
    with pytest.raises(ConfigError, match=r"criteria.both.derived: .*expected 0 or 1 from faithfulness, found 4"):
        files(ratings, criteria=criteria)
    criteria |= {"faithfulness": {"positive_cut": 3}, "naturalness": {"positive_cut": 3}}
    np.testing.assert_array_equal(files(ratings, criteria=criteria).table("both"), [[1, 0, 0, 0], [1, 0, 0, 0]])


def test_derived_criteria_may_build_on_each_other_but_not_in_a_circle(files: Files) -> None:
    material = files(criteria={"c": {"derived": "b * 2"}, "b": {"derived": "naturalness + 1"}})
    assert material.table("c")[0].tolist() == [8, 2, 4, 6]
    with pytest.raises(ConfigError, match=r"criteria.c.derived: .* found a circle among c, b"):
        files(criteria={"c": {"derived": "b"}, "b": {"derived": "c"}})
    with pytest.raises(ConfigError, match=r"criteria.c.derived: expected criteria among .*did you mean 'naturalness'"):
        files(criteria={"c": {"derived": "naturalnes > 1"}})


def test_a_derived_criterion_may_stand_in_the_file_with_the_same_values_only(files: Files) -> None:
    ratings = [*_crossed("3012"), *_crossed("4123", criterion="more")]
    settings: dict[str, Any] = {"criteria": {"more": {"derived": "naturalness + 1"}}}
    assert files(ratings, **settings).table("more").tolist() == [[4, 1, 2, 3], [5, 2, 3, 4]]
    ratings[-1] = (*ratings[-1][:5], 7, 1, "")
    with pytest.raises(
        InputError, match=r"ratings.csv: line 17: value: expected 4 for more, which is derived .* found 7"
    ):
        files(ratings, **settings)


def test_where_a_low_rating_is_good_values_and_cut_are_turned(files: Files) -> None:
    scale = {"scale": [0, 1, 2, 3, 4], "order": "descending", "positive_cut": 1}
    material = files(criteria={"naturalness": scale, "fine": {"derived": "not not naturalness"}})
    assert material.table("naturalness")[0].tolist() == [1, 4, 3, 2]
    facts = material.criteria["naturalness"]
    assert (facts.positive_cut, facts.is_turned) == (3.0, True)
    # The formula sees what people gave: at most 1 is positive.
    assert material.table("fine")[0].tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    ("scale", "message"),
    [
        ([0, 1, 2, 3], "line 3: value: expected one of 0, 1, 2, 3 for naturalness, found 4"),
        ({"min": 0, "max": 3.5}, "line 3: value: expected a number from 0 to 3.5 for naturalness, found 4"),
    ],
)
def test_a_rating_off_the_scale_is_named(files: Files, scale: object, message: str) -> None:
    with pytest.raises(InputError, match=f"ratings.csv: {message}"):
        files(criteria={"naturalness": {"scale": scale}})


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (("a.good", "bad", "m", 1, "", ""), "scores.csv: line 2: generator: expected 'good' for sample 'a.good'"),
        (("x", "good", "m", 1, "", ""), "line 2: sample: expected samples that ratings.csv has \\(a.good, .*only x"),
        (("", "best", "m", 1, "", ""), "generator: expected generators that ratings.csv has .* found only best"),
    ],
)
def test_scores_that_do_not_fit_the_ratings_are_refused(files: Files, row: Sequence[Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        files(scores=[row])


def test_scores_of_samples_that_nobody_rated_are_left_out_with_a_word(files: Files) -> None:
    material = files(scores=[*SCORES, ("x", "good", "jitter", 1, "", ""), ("y", "else", "jitter", 1, "", "")])
    assert "scores.csv: 2 samples have scores but were rated by nobody and left out: x, y" in material.warnings


def test_scores_without_a_sample_column_find_their_sample_by_prompt_and_generator(files: Files) -> None:
    columns = ("item", "system", "metric", "score")
    material = files(scores=[("b", "good", "m", 7), ("", "good", "fid", 1)], columns=columns)
    np.testing.assert_array_equal(_metric(material, "m").values, [np.nan, np.nan, 7, np.nan])
    np.testing.assert_array_equal(_metric(material, "fid").of_generators, [1, np.nan])
    twins = [*_crossed(), ("b.good2", "b", "good", "anna", "naturalness", 1, 1, "")]
    with pytest.raises(InputError, match=r"scores.csv: line 2: sample: expected which of b.good, b.good2 it is"):
        files(twins, [("b", "good", "m", 7)], columns=columns)


def test_ratings_without_a_sample_column_are_found_by_the_prompt_of_a_score(files: Files) -> None:
    ratings = [row[1:6] for row in _crossed()]
    rating_columns = ("prompt", "generator", "rater", "criterion", "value")
    columns = ("sample", "prompt", "generator", "metric", "value")
    scores = [("x1", "b", "good", "m", 7), ("x2", "a", "reference", "m", 8)]
    material = files(ratings, scores, columns=columns, rating_columns=rating_columns)
    assert material.samples == ("a/good", "a/reference", "b/good", "b/reference")
    np.testing.assert_array_equal(_metric(material, "m").values, [np.nan, 8, 7, np.nan])
    by_name = files(ratings, [("b/good", "good", "m", 7, "", "")], rating_columns=rating_columns)
    np.testing.assert_array_equal(_metric(by_name, "m").values, [np.nan, np.nan, 7, np.nan])


def test_subsets_have_members_from_either_file(files: Files) -> None:
    ratings = [(*row[:7], "walks" if row[1] == "a" else "") for row in _crossed()]
    scores = [*SCORES, ("b.good", "good", "m", 1, "", "runs")]
    material = files(ratings, scores)
    assert {name: members.tolist() for name, members in material.subsets.items()} == {
        "walks": [True, True, False, False],
        "runs": [False, False, True, False],
    }


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"criteria": {"natural": {}}}, "criteria: expected one of naturalness, found 'natural'"),
        ({"metrics": {"Jitter": {}}}, "metrics: expected one of jitter, fid, found 'Jitter' \\(did you mean 'jitter'"),
        ({"exclude": {"raters": ["ana"]}}, "exclude.raters: expected one of anna, ben, found 'ana' .*'anna'"),
        ({"exclude": {"samples": ["x"]}}, "exclude.samples: expected one of a.good, .*, found 'x'"),
        ({"exclude": {"gold": ["x"]}}, "exclude.gold: expected one of a.good, .*, found 'x'"),
        ({"exclude": {"prompts": ["x"]}}, "exclude.prompts: expected one of a, b, found 'x'"),
        ({"exclude": {"generators": ["x"]}}, "exclude.generators: expected one of good, reference, found 'x'"),
        ({"generators": {"reference": "x"}}, "generators.reference: expected one of good, reference, found 'x'"),
        ({"labels": {"oracle": "x"}}, "labels.oracle: expected one of anna, ben, found 'x'"),
        ({"labels": {"oracle": "ben"}, "exclude": {"raters": ["ben"]}}, "labels.oracle: expected one of anna, found"),
        ({"judges": {"x": {"criterion": "naturalness"}}}, "judges: expected one of jitter, fid, found 'x'"),
        ({"judges": {"fid": {"criterion": "x"}}}, "judges.fid.criterion: expected one of naturalness, found 'x'"),
        ({"metrics": {"fid": {"target": "x"}}}, "metrics.fid.target: expected one of good, reference, found 'x'"),
        ({"include": {"metrics": ["x"]}}, "include.metrics: expected one of jitter, fid, found 'x'"),
        (
            {"primary": {"criterion": "x", "level": "sample", "statistic": "pearson"}},
            "primary.criterion: expected one of naturalness, found 'x'",
        ),
    ],
)
def test_a_name_that_the_data_do_not_have_is_refused(files: Files, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=f"^analysis.toml: {message}"):
        files(**settings)


def test_only_what_is_included_is_analysed_and_the_oracle_is_found(files: Files) -> None:
    ratings = [*_crossed(), *_crossed(criterion="faithfulness")]
    material = files(
        ratings,
        include={"metrics": ["fid"]},
        criteria={"faithfulness": {"include": False}},
        labels={"oracle": "ben"},
    )
    assert [metric.name for metric in material.metrics] == ["fid"]
    assert list(material.ratings) == list(material.criteria) == ["naturalness"]
    assert material.oracle == 1


def test_odd_data_are_remarked_on(files: Files) -> None:
    one = [("s", "p", "g", "anna", "c", 1, 1, ""), ("t", "p", "g", "anna", "c", 1, 1, "")]
    scores = [("s", "g", "m", 2, "", ""), ("t", "g", "m", 2, "", ""), ("t", "g", "M", "", "", "")]
    warnings = files(one, scores).warnings
    assert warnings == (
        "metrics: 'm' and 'M' differ only in capitals or spaces; they are kept apart",
        "there is one rater: agreement among raters is undefined",
        "there is one generator: correlations over generators and within prompts are undefined",
        "there is one prompt: intervals over prompts and correlations within generators are undefined",
        "c: all 2 ratings are 1; nothing can be correlated with them",
        "metric m: all scores are 2; its correlations are undefined",
        "metric M: no rated sample and no rated generator has a score",
    )
    bare = files(one, scores[:1]).warnings
    assert "1 of 2 rated samples have no scores at all: t" in bare


@settings(max_examples=50, deadline=None)
@given(data=st.data())
def test_arrays_say_what_the_rows_say(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    cells = st.tuples(*[st.integers(0, 3)] * 3, st.integers(0, 1))  # prompt, generator, rater, criterion
    keys = data.draw(st.lists(cells, min_size=1, max_size=25, unique=True))
    values = data.draw(st.lists(st.integers(0, 4), min_size=len(keys), max_size=len(keys)))
    ratings = {(f"p{p}", f"g{g}", f"r{r}", f"c{c}"): value for (p, g, r, c), value in zip(keys, values, strict=True)}
    scores = {key[:2]: place / 7 for place, key in enumerate(ratings)}
    rows = [(p, g, r, c, value) for (p, g, r, c), value in ratings.items()]
    files = Files(tmp_path_factory.mktemp("rows"))
    material = files(
        rows,
        [(p, g, "m", value) for (p, g), value in scores.items()],
        rating_columns=("prompt", "generator", "rater", "criterion", "value"),
        columns=("prompt", "generator", "metric", "value"),
    )
    found = {}
    for criterion, given_ratings in material.ratings.items():
        for sample, rater, value in zip(given_ratings.sample, given_ratings.rater, given_ratings.value, strict=True):
            prompt = material.prompts[material.design.prompt[sample]]
            generator = material.generators[material.design.generator[sample]]
            found[prompt, generator, material.raters[rater], criterion] = value
    assert found == ratings
    for sample, score in enumerate(material.metrics[0].values.tolist()):
        prompt = material.prompts[material.design.prompt[sample]]
        generator = material.generators[material.design.generator[sample]]
        assert scores[prompt, generator] == score


@pytest.mark.skipif(not TIFA.is_dir(), reason="../shared/data/tifa160 is not there")
def test_a_real_set_without_a_sample_column_is_read_whole() -> None:
    material = assemble(read_ratings(TIFA / "ratings.csv"), read_scores(TIFA / "metrics.csv"))
    assert (len(material.prompts), len(material.generators), len(material.samples)) == (160, 5, 800)
    assert len(material.metrics) == 16
    with (TIFA / "metrics.csv").open(newline="") as file:
        spice = {(row["item"], row["system"]): row["score"] for row in csv.DictReader(file) if row["metric"] == "spice"}
    values = _metric(material, "spice").values
    for sample, value in enumerate(values.tolist()):
        key = material.prompts[material.design.prompt[sample]], material.generators[material.design.generator[sample]]
        assert value == float(spice[key])
