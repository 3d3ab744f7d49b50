"""docs/analysis-config.md: its example is read, and no key is missing from it."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from metaeval.report.config import AnalysisConfig
from metaeval.report.config.criteria import Criterion
from metaeval.report.config.metrics import Judge, MetricSettings

PAGE = (Path(__file__).parents[3] / "docs" / "analysis-config.md").read_text()


@pytest.fixture
def example() -> dict[str, Any]:
    blocks = re.findall(r"```toml\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(blocks) == 1
    return tomllib.loads(blocks[0])


def test_the_example_is_read_and_survives_being_written(example: dict[str, Any]) -> None:
    config = AnalysisConfig.from_mapping(example)
    assert AnalysisConfig.from_mapping(tomllib.loads(config.to_toml())) == config
    assert config.is_confirmatory(criterion="aligned", level="sample", statistic="kendall_b")


@pytest.mark.parametrize(("section", "kind"), [("criteria", Criterion), ("metrics", MetricSettings), ("judges", Judge)])
def test_the_example_and_the_tables_have_every_key_of_a_named_section(
    example: dict[str, Any], section: str, kind: type[Criterion | MetricSettings | Judge]
) -> None:
    keys = {field.name for field in fields(kind)}
    assert {key for table in example[section].values() for key in table} == keys
    for key in keys:
        assert f"| `{key}` |" in PAGE


def test_the_example_has_every_key_of_the_other_sections_and_the_page_explains_it(example: dict[str, Any]) -> None:
    config = AnalysisConfig()
    for section in config.__dataclass_fields__.keys() - {"criteria", "metrics", "judges", "source"}:
        keys = set(getattr(config, section).__dataclass_fields__)
        assert set(example[section]) == keys, section
        for key in keys:
            assert f"`{key}`" in PAGE or f"`{section}.{key}`" in PAGE, key


def test_the_defaults_in_the_example_are_the_defaults(example: dict[str, Any]) -> None:
    shown = {name: example[name] for name in ("resampling", "levels", "generators", "tests")}
    assert AnalysisConfig.from_mapping(shown) == AnalysisConfig()
