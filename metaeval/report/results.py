"""The numbers of an analysis: what goes into tables, figures, report.html and results.json."""

from dataclasses import dataclass, field
from typing import Literal

Role = Literal["confirmatory", "exploratory"]
Cell = str | float | int | None


@dataclass(frozen=True)
class Agreement:
    """A row of tables/agreement.csv."""

    criterion: str
    statistic: str
    value: float | None
    n_units: int
    n_raters: int
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str = ""
    ci_unit: str = ""
    note: str = ""


@dataclass(frozen=True)
class Correlation:
    """A row of tables/correlations.csv, and beside it what the pages want to know."""

    criterion: str
    metric: str
    level: str
    statistic: str
    value: float | None
    n: int
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str = ""
    ci_unit: str = ""
    p: float | None = None
    p_method: str = ""
    note: str = ""
    role: Role = "exploratory"
    # Rank clusters (1 is the best; None where metrics were not compared) and p after Holm within
    # (criterion, level, statistic).
    cluster: int | None = None
    p_holm: float | None = None
    undefined_as_zero: float | None = None  # within prompts: the value with undefined prompts counted as 0


@dataclass(frozen=True)
class Comparison:
    """A row of tables/comparisons.csv: does metric A follow people better than metric B?"""

    criterion: str
    level: str
    statistic: str
    metric_a: str
    metric_b: str
    value_a: float | None
    value_b: float | None
    difference: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    p_bh: float | None = None
    p_method: str = ""
    unit: str = ""
    n: int = 0
    permutations: int = 0
    role: Role = "exploratory"
    note: str = ""


@dataclass(frozen=True)
class Listing:
    """Any further table: tables/<name>.csv and .tex, and a section of report.html."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class MetricFacts:
    """What is to be known about a metric before reading its numbers."""

    name: str
    direction: str  # higher, lower, target
    is_reference_based: bool
    scored: int  # samples that have a score
    missing: int
    notes: tuple[str, ...] = ()
    search: str = ""  # the search whose member it is: such a metric is never ranked among fixed ones


@dataclass(frozen=True)
class Finding:
    """All numbers of an analysis, and the answer in words."""

    summary: str
    warnings: tuple[str, ...]
    methods: str
    agreement: tuple[Agreement, ...]
    correlations: tuple[Correlation, ...]
    comparisons: tuple[Comparison, ...]
    listings: tuple[Listing, ...]
    metrics: tuple[MetricFacts, ...]
    # Which criterion, level and statistic come first: what analysis.toml names, or the defaults.
    primary: dict[str, str] = field(default_factory=dict)
    settings: dict[str, object] = field(default_factory=dict)
    settings_hash: str = ""
    seed: int = 0


def confidence_of(finding: Finding) -> float:
    """Of every interval, as the settings have it."""
    return _setting(finding, "resampling", "confidence", 0.95)


def alpha_of(finding: Finding) -> float:
    """Below which p two metrics count as different."""
    return _setting(finding, "tests", "alpha", 0.05)


def _setting(finding: Finding, section: str, key: str, default: float) -> float:
    settings = finding.settings.get(section)
    value = settings.get(key, default) if isinstance(settings, dict) else default
    return float(value) if isinstance(value, int | float) else default
