"""The sections of analysis.toml that have fixed keys, with their defaults."""

from dataclasses import dataclass
from typing import Literal

from metaeval.report.config.keys import Keys
from metaeval.stats.design import LEVELS, Level, Unit

Aggregation = Literal["mean", "median", "majority", "dawid_skene", "mace", "standardised_mean"]
Interval = Literal["auto", "percentile", "bca", "jackknife_t"]
AGGREGATIONS: tuple[Aggregation, ...] = ("mean", "median", "majority", "dawid_skene", "mace", "standardised_mean")
INTERVALS: tuple[Interval, ...] = ("auto", "percentile", "bca", "jackknife_t")
UNITS: tuple[Unit, ...] = ("prompt", "sample", "generator", "rater", "prompt+generator")


@dataclass(frozen=True)
class Labels:
    """How ratings become labels."""

    aggregation: Aggregation = "mean"
    ratings_at_least: int = 0  # keep only prompts that have so many ratings on every generator
    oracle: str = ""  # the rater whose ratings are the labels


@dataclass(frozen=True)
class Exclude:
    """What is left out; gold never enters, the rest is shown before and after."""

    raters: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    generators: tuple[str, ...] = ()
    gold: tuple[str, ...] = ()


@dataclass(frozen=True)
class Include:
    """Only these, where any are named."""

    metrics: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()


@dataclass(frozen=True)
class Resampling:
    seed: int = 0
    replicates: int = 1000
    permutations: int = 9999
    unit: Unit = "prompt"
    interval: Interval = "auto"
    confidence: float = 0.95
    early_stopping: bool = False  # with the p-value of Besag and Clifford (1991)


@dataclass(frozen=True)
class Levels:
    which: tuple[Level, ...] = LEVELS
    subsplit_groups: int = 2
    subsplit_repetitions: int = 10


@dataclass(frozen=True)
class Primary:
    """What was decided before looking. Empty: nothing was, and everything is exploratory."""

    criterion: str = ""
    level: Level | Literal[""] = ""
    statistic: str = ""
    comparisons: tuple[tuple[str, str], ...] | Literal["all"] = ()


@dataclass(frozen=True)
class Generators:
    reference: str = "reference"  # "": none is the reference


@dataclass(frozen=True)
class Tests:
    """Which differences between metrics are tested."""

    statistics: tuple[str, ...] = ("pearson", "spearman", "kendall_b", "auc_roc")
    levels: tuple[Level, ...] = ("sample", "prompt", "generator")
    alpha: float = 0.05


def parse_labels(keys: Keys) -> Labels:
    return Labels(
        aggregation=keys.choice("aggregation", "mean", AGGREGATIONS),
        ratings_at_least=keys.integer("ratings_at_least", 0, at_least=0),
        oracle=keys.text("oracle"),
    )


def parse_exclude(keys: Keys) -> Exclude:
    return Exclude(
        raters=keys.texts("raters"),
        samples=keys.texts("samples"),
        prompts=keys.texts("prompts"),
        generators=keys.texts("generators"),
        gold=keys.texts("gold"),
    )


def parse_include(keys: Keys) -> Include:
    return Include(metrics=keys.texts("metrics"), criteria=keys.texts("criteria"))


def parse_resampling(keys: Keys) -> Resampling:
    return Resampling(
        seed=keys.integer("seed", 0, at_least=0),
        replicates=keys.integer("replicates", 1000, at_least=0),
        permutations=keys.integer("permutations", 9999, at_least=0),
        unit=keys.choice("unit", "prompt", UNITS),
        interval=keys.choice("interval", "auto", INTERVALS),
        confidence=keys.share("confidence", 0.95),
        early_stopping=keys.boolean("early_stopping", False),
    )


def parse_levels(keys: Keys) -> Levels:
    which = keys.choices("which", LEVELS, LEVELS)
    if not which:
        raise keys.fault("which", expected=f"at least one of {', '.join(LEVELS)}", found=[])
    return Levels(
        which=which,
        subsplit_groups=keys.integer("subsplit_groups", 2, at_least=2),
        subsplit_repetitions=keys.integer("subsplit_repetitions", 10, at_least=1),
    )


def parse_primary(keys: Keys) -> Primary:
    """All three of criterion, level and statistic, or none: a default would be a choice that nobody made."""
    needed = ("criterion", "level", "statistic")
    given = [key for key in needed if keys.has(key)]
    if not given and not keys.has("comparisons"):
        return Primary()
    if missing := [key for key in needed if key not in given]:
        raise keys.fault(missing[0], expected="criterion, level and statistic together", found="nothing")
    return Primary(
        criterion=keys.text("criterion", may_be_empty=False),
        level=keys.choice("level", "sample", LEVELS),
        statistic=keys.text("statistic", may_be_empty=False),
        comparisons=_comparisons(keys),
    )


def parse_generators(keys: Keys) -> Generators:
    return Generators(reference=keys.text("reference", "reference"))


def parse_tests(keys: Keys) -> Tests:
    defaults = Tests()
    return Tests(
        statistics=keys.texts("statistics", defaults.statistics),
        levels=keys.choices("levels", defaults.levels, LEVELS),
        alpha=keys.share("alpha", defaults.alpha),
    )


def _comparisons(keys: Keys) -> tuple[tuple[str, str], ...] | Literal["all"]:
    value = keys.raw("comparisons", ())
    if value == "all":
        return "all"
    if not isinstance(value, list | tuple) or not all(_is_pair(pair) for pair in value):
        raise keys.fault("comparisons", expected='"all" or pairs of two metrics', found=value)
    pairs = tuple((pair[0], pair[1]) for pair in value)
    if again := [pair for place, pair in enumerate(pairs) if {*pair} in [{*before} for before in pairs[:place]]]:
        raise keys.fault("comparisons", expected="each pair once", found=list(again[0]))
    return pairs


def _is_pair(value: object) -> bool:
    return (
        isinstance(value, list | tuple)
        and len(value) == 2
        and all(isinstance(name, str) and name for name in value)
        and value[0] != value[1]
    )
