"""The whole of analysis.toml: read, written, and hashed."""

import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from metaeval.report.config import sections
from metaeval.report.config.criteria import Criterion, parse_criterion
from metaeval.report.config.errors import ConfigError
from metaeval.report.config.keys import Keys
from metaeval.report.config.metrics import Judge, MetricSettings, parse_judge, parse_metric
from metaeval.report.config.toml import plain_numbers, toml_of

Section = TypeVar("Section")
_SYNTAX = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)")


@dataclass(frozen=True)
class AnalysisConfig:
    """What an analysis is to do. Without arguments: the defaults, and nothing is confirmatory."""

    criteria: Mapping[str, Criterion] = field(default_factory=dict)
    metrics: Mapping[str, MetricSettings] = field(default_factory=dict)
    judges: Mapping[str, Judge] = field(default_factory=dict)
    labels: sections.Labels = field(default_factory=sections.Labels)
    include: sections.Include = field(default_factory=sections.Include)
    exclude: sections.Exclude = field(default_factory=sections.Exclude)
    resampling: sections.Resampling = field(default_factory=sections.Resampling)
    levels: sections.Levels = field(default_factory=sections.Levels)
    primary: sections.Primary = field(default_factory=sections.Primary)
    generators: sections.Generators = field(default_factory=sections.Generators)
    tests: sections.Tests = field(default_factory=sections.Tests)
    source: str = field(default="analysis.toml", compare=False)  # what messages call it

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any], *, source: str = "analysis.toml") -> "AnalysisConfig":
        """From what `tomllib` or a JSON field gives; `canonical()` is read back as it was."""
        keys = Keys(values, source=source)
        config = cls(
            criteria=_named(keys.table("criteria"), parse_criterion),
            metrics=_named(keys.table("metrics"), parse_metric),
            judges=_named(keys.table("judges"), parse_judge),
            labels=_section(keys.table("labels"), sections.parse_labels),
            include=_section(keys.table("include"), sections.parse_include),
            exclude=_section(keys.table("exclude"), sections.parse_exclude),
            resampling=_section(keys.table("resampling"), sections.parse_resampling),
            levels=_section(keys.table("levels"), sections.parse_levels),
            primary=_section(keys.table("primary"), sections.parse_primary),
            generators=_section(keys.table("generators"), sections.parse_generators),
            tests=_section(keys.table("tests"), sections.parse_tests),
            source=source,
        )
        keys.finish()
        if config.primary.level and config.primary.level not in config.levels.which:
            expected = f"one of {', '.join(config.levels.which)}"
            raise keys.fault("primary.level", expected=expected, found=config.primary.level)
        return config

    def canonical(self) -> dict[str, Any]:
        """Everything that was decided, defaults included, as JSON can hold it: what the hash is of."""
        named = {
            "criteria": {name: criterion.plain() for name, criterion in sorted(self.criteria.items())},
            "metrics": {name: metric.plain() for name, metric in sorted(self.metrics.items())},
            "judges": {name: judge.plain() for name, judge in sorted(self.judges.items())},
        }
        fixed = {
            name: asdict(getattr(self, name))
            for name in ("labels", "include", "exclude", "resampling", "levels", "generators", "tests")
        }
        primary = {"primary": asdict(self.primary)} if self.primary.criterion else {}
        plain: dict[str, Any] = plain_numbers({**named, **fixed, **primary})
        return plain

    def to_toml(self) -> str:
        return toml_of(self.canonical())

    def criterion(self, name: str) -> Criterion:
        return self.criteria.get(name, Criterion())

    def metric(self, name: str) -> MetricSettings:
        return self.metrics.get(name, MetricSettings())

    def with_resampling(
        self, *, seed: int | None = None, replicates: int | None = None, permutations: int | None = None
    ) -> "AnalysisConfig":
        """With what the command line says instead."""
        given = {"seed": seed, "replicates": replicates, "permutations": permutations}
        changes = {key: value for key, value in given.items() if value is not None}
        keys = Keys({**asdict(self.resampling), **changes}, source=self.source, path="resampling")
        return replace(self, resampling=sections.parse_resampling(keys))

    def is_confirmatory(self, *, criterion: str, level: str, statistic: str) -> bool:
        """Whether exactly this was named in `[primary]`."""
        primary = self.primary
        return bool(primary.criterion) and (criterion, level, statistic) == (
            primary.criterion,
            primary.level,
            primary.statistic,
        )

    def is_confirmatory_comparison(
        self, metric_a: str, metric_b: str, *, criterion: str, level: str, statistic: str
    ) -> bool:
        """Whether this pair, in either order, was named in `[primary]`."""
        if not self.is_confirmatory(criterion=criterion, level=level, statistic=statistic):
            return False
        pairs = self.primary.comparisons
        return pairs == "all" or (metric_a, metric_b) in pairs or (metric_b, metric_a) in pairs


def config_hash(config: AnalysisConfig) -> str:
    """The same for two files that decide the same, however they are written."""
    content = json.dumps(config.canonical(), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(content.encode()).hexdigest()


def read_config(path: Path) -> AnalysisConfig:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path.name}: expected UTF-8 text") from None
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path.name}: {_syntax(str(error))}") from None
    return AnalysisConfig.from_mapping(values, source=path.name)


def _syntax(message: str) -> str:
    if (match := _SYNTAX.fullmatch(message)) and match[2]:
        return f"line {match[2]}, column {match[3]}: expected TOML, found: {match[1]}"
    return f"expected TOML, found: {message}"


def _named(keys: Keys, parse: Callable[[Keys], Section]) -> dict[str, Section]:
    return {name: parse(table) for name, table in keys.tables()}


def _section(keys: Keys, parse: Callable[[Keys], Section]) -> Section:
    section = parse(keys)
    keys.finish()
    return section
