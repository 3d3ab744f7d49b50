"""The settings of an analysis as data, as analysis.toml and as a hash: all three from the one reader of the command."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from annotation.models import Generator, Study
from metaeval.errors import MetaevalError
from metaeval.report.config import AnalysisConfig, ConfigError, config_hash


@dataclass(frozen=True)
class Settings:
    """Checked, with every default filled in."""

    data: dict[str, Any]
    toml: str
    digest: str
    seed: int


def settings_check(given: Mapping[str, Any]) -> Settings:
    """What `analysis.toml` with these keys means; an error names the key, what was expected and what was found."""
    try:
        config = AnalysisConfig.from_mapping(dict(given))
    except ConfigError as error:
        raise MetaevalError(str(error), field="settings") from None
    return Settings(config.canonical(), config.to_toml(), config_hash(config), config.resampling.seed)


def settings_of_study(study: Study) -> dict[str, Any]:
    """What the study knows and the files do not say: the answers that raters could give, and which generator is real.

    Derived criteria are in the ratings already, so their formulas stay here.
    """
    criteria = study.rubric.criteria.filter(formula="").prefetch_related("options")
    scales = {criterion.code: sorted(option.value for option in criterion.options.all()) for criterion in criteria}
    settings: dict[str, Any] = {
        "criteria": {code: {"scale": scale} for code, scale in scales.items() if len(scale) > 1}
    }
    reference = Generator.objects.filter(is_reference=True, samples__places__study=study).first()
    if reference:
        settings["generators"] = {"reference": reference.name}
    return settings


def settings_read(text: str) -> dict[str, Any]:
    """The text of an analysis.toml as data, not checked yet."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise MetaevalError(f"analysis.toml: {error}", field="toml") from None


def settings_merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """`over` counts where both name something; tables are merged key by key."""
    merged = dict(base)
    for key, value in over.items():
        before = merged.get(key)
        merged[key] = (
            settings_merge(before, value) if isinstance(before, Mapping) and isinstance(value, Mapping) else value
        )
    return merged
