"""Names in analysis.toml must occur in the data: a misspelt one would do nothing, and nobody would notice."""

from collections.abc import Collection, Iterable

from metaeval.report.config import AnalysisConfig, ConfigError
from metaeval.report.inputs import RatingRows, ScoreRows
from metaeval.report.inputs.errors import did_you_mean, listed, shown


def included_criteria(known: Collection[str], config: AnalysisConfig) -> list[str]:
    only = config.include.criteria or known
    return [name for name in known if name in only and config.criterion(name).include]


def included_metrics(known: Collection[str], config: AnalysisConfig) -> list[str]:
    only = config.include.metrics or known
    return [name for name in known if name in only and config.metric(name).include]


def check_names(criteria: Collection[str], ratings: RatingRows, scores: ScoreRows, config: AnalysisConfig) -> None:
    """`criteria` are those of the ratings and the derived ones."""
    metrics = scores.metric.names
    everywhere = {
        "samples": dict.fromkeys([*ratings.sample.names, *scores.sample.names]),
        "generators": dict.fromkeys([*ratings.generator.names, *scores.generator.names]),
    }
    _check(config, "criteria", config.criteria, criteria)
    _check(config, "metrics", config.metrics, metrics)
    _check(config, "include.criteria", config.include.criteria, criteria)
    _check(config, "include.metrics", config.include.metrics, metrics)
    _check(config, "exclude.raters", config.exclude.raters, ratings.rater.names)
    _check(config, "exclude.prompts", config.exclude.prompts, ratings.prompt.names)
    _check(config, "exclude.samples", config.exclude.samples, everywhere["samples"])
    _check(config, "exclude.gold", config.exclude.gold, everywhere["samples"])
    _check(config, "exclude.generators", config.exclude.generators, everywhere["generators"])
    if config.generators.reference not in ("", "reference"):
        _check(config, "generators.reference", [config.generators.reference], everywhere["generators"])
    for name, metric in config.metrics.items():
        if isinstance(metric.target, str):
            _check(config, f"metrics.{name}.target", [metric.target], everywhere["generators"])
    _check_oracle(ratings, config)
    _check_analysed(included_criteria(criteria, config), included_metrics(metrics, config), config)


def _check_oracle(ratings: RatingRows, config: AnalysisConfig) -> None:
    if config.labels.oracle:
        raters = [name for name in ratings.rater.names if name not in config.exclude.raters]
        _check(config, "labels.oracle", [config.labels.oracle], raters)


def _check_analysed(criteria: Collection[str], metrics: Collection[str], config: AnalysisConfig) -> None:
    """What is confirmatory, and what judges answer, must be among what is analysed at all."""
    if config.primary.criterion:
        _check(config, "primary.criterion", [config.primary.criterion], criteria)
    if config.primary.comparisons != "all":
        named = dict.fromkeys(name for pair in config.primary.comparisons for name in pair)
        _check(config, "primary.comparisons", named, metrics)
    _check(config, "judges", config.judges, metrics)
    for name, judge in config.judges.items():
        _check(config, f"judges.{name}.criterion", [judge.criterion], criteria)


def _check(config: AnalysisConfig, key: str, names: Iterable[str], known: Collection[str]) -> None:
    quick = set(known)
    for name in names:
        if name not in quick:
            raise ConfigError(
                f"{config.source}: {key}: expected one of {listed(known, limit=20)}, "
                f"found {shown(name)}{did_you_mean(name, known)}"
            )
