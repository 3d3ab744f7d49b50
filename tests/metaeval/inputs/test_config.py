"""analysis.toml: defaults, what is refused, and that it is written as it was read."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metaeval.report.config import AnalysisConfig, ConfigError, Scale, config_hash, read_config
from metaeval.report.inputs import InputError


def _read(tmp_path: Path, text: str) -> AnalysisConfig:
    (tmp_path / "analysis.toml").write_text(text)
    return read_config(tmp_path / "analysis.toml")


def test_an_empty_file_is_the_defaults_and_nothing_is_confirmatory(tmp_path: Path) -> None:
    config = _read(tmp_path, "")
    assert config == AnalysisConfig()
    assert (config.resampling.replicates, config.resampling.permutations) == (1000, 9999)
    assert config.resampling.unit == "prompt"
    assert config.levels.which == ("sample", "prompt", "within_generator", "generator", "subsplit")
    assert not config.is_confirmatory(criterion="", level="", statistic="")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[label]", "label: expected one of .*, found 'label' \\(did you mean 'labels'\\?\\)"),
        ("[labels]\naggregate = 'mean'", "labels.aggregate: expected one of .* \\(did you mean 'aggregation'\\?\\)"),
        ("[labels]\naggregation = 'means'", "labels.aggregation: expected one of mean, .*, found 'means' .*'mean'"),
        ("[labels]\nratings_at_least = -1", "labels.ratings_at_least: expected an integer from 0, found -1"),
        ("[labels]\nratings_at_least = true", "labels.ratings_at_least: expected an integer from 0, found true"),
        ("labels = 3", "labels: expected a table, found '3'"),
        ("[resampling]\nreplicates = 1e3", "resampling.replicates: expected an integer from 0, found 1000.0"),
        ("[resampling]\nconfidence = 95", "resampling.confidence: expected a number between 0 and 1, found 95"),
        (
            "[resampling]\nunit = 'prompts'",
            "resampling.unit: expected one of prompt, .* \\(did you mean 'prompt'\\?\\)",
        ),
        ("[resampling]\nearly_stopping = 1", "resampling.early_stopping: expected true or false, found 1"),
        ("[exclude]\nraters = 'anna'", "exclude.raters: expected a list of names, found 'anna'"),
        ("[exclude]\nraters = ['a', 'a']", "exclude.raters: expected each name once, found 'a'"),
        ("[levels]\nwhich = ['samples']", "levels.which: expected some of sample, .* \\(did you mean 'sample'\\?\\)"),
        ("[levels]\nsubsplit_groups = 1", "levels.subsplit_groups: expected an integer from 2, found 1"),
        ("[criteria.a]\nscale = [1]", "criteria.a.scale: expected two or more increasing numbers, found \\[1\\]"),
        ("[criteria.a]\nscale = [2, 1]", "criteria.a.scale: expected two or more increasing numbers"),
        ("[criteria.a]\nscale = ['x']", "criteria.a.scale: expected a number, found 'x'"),
        ("[criteria.a]\nscale = {min = 1}", "criteria.a.scale: expected a list of values, or { min"),
        ("[criteria.a]\nscale = {min = 1, mx = 2}", "criteria.a.scale.mx: expected one of min, max"),
        ("[criteria.a]\nscale = {min = 0, max = inf}", "criteria.a.scale.max: expected a finite number, found inf"),
        ("[criteria.a]\nscale = [0, 1]\npositive_cut = 2", "criteria.a.positive_cut: expected a number from 0 to 1"),
        ("[criteria.a]\norder = 'descending'", "criteria.a.scale: expected the scale, .*, found nothing"),
        ("[criteria.a]\nderived = 'b and'", "criteria.a.derived: expected a formula, found 'b and'"),
        ("[criteria.a]\nderived = '__import__(1)'", "criteria.a.derived: expected and, or, not.* found call"),
        ("[metrics.m]\ndirection = 'up'", "metrics.m.direction: expected one of higher, lower, target, found 'up'"),
        ("[metrics.m]\ntarget = true", "metrics.m.target: expected a number or the name of a generator, found true"),
        ("[metrics.m]\ntarget = 1\ndirection = 'lower'", "metrics.m.direction: expected target, for a target is given"),
        ("[metrics]\nm = 1", "metrics.m: expected a table, found '1'"),
        ("[judges.m]", "judges.m.criterion: expected the criterion that the judge answers, found nothing"),
        ("[judges.m]\ncriterion = 'a'\nrange = [5, 1]", "judges.m.range: expected the lowest and the highest answer"),
        ("[primary]\ncriterion = 'a'", "primary.level: expected criterion, level and statistic together"),
        ("[primary]\ncomparisons = 'all'", "primary.criterion: expected criterion, level and statistic together"),
        ("[tests]\nalpha = 0", "tests.alpha: expected a number between 0 and 1, found 0.0"),
        ("[tests]\nalpha == 0", "line 2, column 8: expected TOML, found: Invalid value"),
        ("x = '", "expected TOML"),
    ],
)
def test_what_is_wrong_is_named_with_its_key(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"^analysis.toml: {message}") as caught:
        _read(tmp_path, text)
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, InputError)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none.toml: No such file"):
        read_config(tmp_path / "none.toml")


@pytest.mark.parametrize("comparisons", ["[['a']]", "[['a', 'a']]", "[['a', 'b'], ['b', 'a']]", "'some'", "['ab']"])
def test_comparisons_are_pairs_of_two_metrics_or_all(tmp_path: Path, comparisons: str) -> None:
    primary = "[primary]\ncriterion = 'c'\nlevel = 'sample'\nstatistic = 'pearson'\n"
    with pytest.raises(ConfigError, match=r"primary.comparisons: expected"):
        _read(tmp_path, f"{primary}comparisons = {comparisons}")


def test_the_primary_level_must_be_among_those_that_are_computed(tmp_path: Path) -> None:
    primary = "[primary]\ncriterion = 'c'\nlevel = 'prompt'\nstatistic = 'pearson'\n"
    with pytest.raises(ConfigError, match=r"primary.level: expected one of sample, found 'prompt'"):
        _read(tmp_path, f"{primary}[levels]\nwhich = ['sample']")


def test_confirmatory_is_exactly_what_primary_names() -> None:
    primary = {"criterion": "c", "level": "sample", "statistic": "pearson", "comparisons": [["a", "b"]]}
    config = AnalysisConfig.from_mapping({"primary": primary})
    named = {"criterion": "c", "level": "sample", "statistic": "pearson"}
    assert config.is_confirmatory(**named)
    for key in named:
        assert not config.is_confirmatory(**{**named, key: "other"})
    assert config.is_confirmatory_comparison("b", "a", **named)
    assert not config.is_confirmatory_comparison("a", "z", **named)
    assert not config.is_confirmatory_comparison("a", "b", **{**named, "level": "prompt"})
    everything = AnalysisConfig.from_mapping({"primary": {**primary, "comparisons": "all"}})
    assert everything.is_confirmatory_comparison("a", "z", **named)


def test_a_range_is_measured_as_an_interval_unless_it_says_otherwise() -> None:
    config = AnalysisConfig.from_mapping({"criteria": {"a": {"scale": {"min": 0, "max": 100}}, "b": {"scale": [0, 1]}}})
    assert config.criterion("a").measurement == "interval"
    assert config.criterion("a").scale == Scale(0, 100)
    assert config.criterion("b").measurement == "ordinal"


def test_the_command_line_has_the_last_word_and_is_checked_too() -> None:
    config = AnalysisConfig().with_resampling(seed=7, replicates=10)
    assert (config.resampling.seed, config.resampling.replicates, config.resampling.permutations) == (7, 10, 9999)
    with pytest.raises(ConfigError, match=r"resampling.seed: expected an integer from 0, found -1"):
        AnalysisConfig().with_resampling(seed=-1)


def test_the_hash_is_of_what_was_decided_not_of_how_it_is_written(tmp_path: Path) -> None:
    plain = _read(tmp_path, "")
    spelt = _read(tmp_path, "# defaults, spelt out\n[resampling]\npermutations = 9999\nreplicates = 1_000\n")
    other = _read(tmp_path, "[resampling]\nseed = 1\n")
    assert config_hash(plain) == config_hash(spelt) != config_hash(other)
    ordered = AnalysisConfig.from_mapping({"metrics": {"a": {}, "b": {"target": 1}}})
    turned = AnalysisConfig.from_mapping({"metrics": {"b": {"target": 1.0, "direction": "target"}, "a": {}}})
    assert config_hash(ordered) == config_hash(turned)


names = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
numbers = st.integers(-5, 5) | st.floats(-1e6, 1e6)


def _optional(**keys: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=keys)


lists = st.lists(names, max_size=3, unique=True)
levels = st.sampled_from(["sample", "prompt", "within_generator", "generator", "subsplit"])
criterion = _optional(
    scale=st.just([0, 1, 2.5]) | st.just({"min": -1, "max": 3.5}),
    measurement=st.sampled_from(["ordinal", "nominal", "interval", "ratio"]),
    positive_cut=st.sampled_from([0, 1, 0.5]),
    derived=st.sampled_from(["a and b", "(a + `b c`) / 2", "a >= 3\nand b > 1"]),
    include=st.booleans(),
)
metric = _optional(
    target=numbers | names, reference_based=st.booleans(), search=names, include=st.booleans()
) | _optional(direction=st.sampled_from(["higher", "lower", "target"]))
mappings = _optional(
    criteria=st.dictionaries(names, criterion, max_size=3),
    metrics=st.dictionaries(names, metric, max_size=3),
    judges=st.dictionaries(
        names, st.fixed_dictionaries({"criterion": names}, optional={"range": st.just([1, 5]), "judge": names})
    ),
    labels=_optional(aggregation=st.sampled_from(["mean", "mace"]), ratings_at_least=st.integers(0, 9), oracle=names),
    include=_optional(metrics=lists, criteria=lists),
    exclude=_optional(raters=lists, samples=lists, prompts=lists, generators=lists, gold=lists),
    resampling=_optional(seed=st.integers(0, 2**63 - 1), confidence=st.floats(0.01, 0.99), unit=st.just("rater")),
    levels=_optional(subsplit_groups=st.integers(2, 5)),
    primary=st.fixed_dictionaries(
        {"criterion": names, "level": levels, "statistic": names},
        optional={"comparisons": st.just("all") | st.just([["a", "b"], ["a", "c"]])},
    ),
    generators=_optional(reference=names | st.just("")),
    tests=_optional(statistics=lists, levels=st.lists(levels, unique=True), alpha=st.floats(0.01, 0.2)),
)


@settings(max_examples=100, deadline=None)
@given(mapping=mappings)
def test_settings_survive_toml_json_and_hashing(mapping: dict[str, Any]) -> None:
    config = AnalysisConfig.from_mapping(mapping)
    written = AnalysisConfig.from_mapping(tomllib.loads(config.to_toml()))
    assert written == config
    assert AnalysisConfig.from_mapping(config.canonical()) == config
    assert config_hash(written) == config_hash(config)
