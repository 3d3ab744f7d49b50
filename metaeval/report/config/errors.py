"""The error of settings that cannot be used."""

from metaeval.report.inputs.errors import InputError


class ConfigError(InputError):
    """`analysis.toml: labels.aggregation: expected ..., found ...`"""
