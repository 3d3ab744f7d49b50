"""`analysis.toml`: what an analysis is to do, checked key by key. Every key is optional; see docs/analysis-config.md.

`metaeval.report.assemble` checks that the names in it occur in the data.
"""

from metaeval.report.config.analysis import AnalysisConfig, config_hash, read_config
from metaeval.report.config.criteria import Criterion, Scale
from metaeval.report.config.errors import ConfigError
from metaeval.report.config.metrics import Judge, MetricSettings
from metaeval.report.config.sections import (
    Exclude,
    Generators,
    Include,
    Labels,
    Levels,
    Primary,
    Resampling,
    Tests,
)

__all__ = [
    "AnalysisConfig",
    "ConfigError",
    "Criterion",
    "Exclude",
    "Generators",
    "Include",
    "Judge",
    "Labels",
    "Levels",
    "MetricSettings",
    "Primary",
    "Resampling",
    "Scale",
    "Tests",
    "config_hash",
    "read_config",
]
