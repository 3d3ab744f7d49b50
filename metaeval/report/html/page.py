"""The page: what stands where, and in what words."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from metaeval.report.html import others, rankings
from metaeval.report.html.listings import listing_table
from metaeval.report.html.svg import inline
from metaeval.report.naming import level_name, statistic_name
from metaeval.report.ranking import criteria_of, primary_family
from metaeval.report.results import Finding

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Shown:
    """A figure as saved, or the reason why there is none."""

    name: str
    title: str
    caption: str = ""
    alt: str = ""
    svg: str = ""
    reason: str = ""

    @property
    def picture(self) -> Markup:
        return inline(self.svg, name=self.name, alt=self.alt)


def render_report(
    finding: Finding, *, figures: Sequence[Shown], provenance: Mapping[str, Any], config_text: str | None
) -> str:
    style, script = (_own(name) for name in ("report.css", "report.js"))
    # Every text that came from a file is escaped: the template has no `safe`, and Markup is made only of our own files
    # and of what matplotlib wrote.
    environment = Environment(
        loader=FileSystemLoader(HERE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    pairs, pairs_left_out = others.pairs(finding)
    family = primary_family(finding)
    return environment.get_template("report.html.j2").render(
        finding=finding,
        criteria=criteria_of(finding),
        primary={
            "criterion": family.criterion,
            "level": level_name(family.level),
            "statistic": statistic_name(family.statistic),
            "role": _role(finding),
        },
        main=rankings.main_table(finding),
        levels=rankings.level_tables(finding),
        cuts=rankings.level_tables(finding, at_other_cuts=True),
        families=others.families_table(finding),
        pairs=pairs,
        pairs_left_out=pairs_left_out,
        agreement=others.agreement_table(finding),
        listings=[listing_table(listing) for listing in finding.listings],
        figures=[figure for figure in figures if not figure.reason],
        missing=[figure for figure in figures if figure.reason],
        provenance=provenance,
        settings=json.dumps(finding.settings, indent=2, default=str, ensure_ascii=False),
        config_text=config_text,
        style=style,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def _own(name: str) -> Markup:
    return Markup((HERE / name).read_text(encoding="utf-8").strip())


def _role(finding: Finding) -> str:
    family = primary_family(finding)
    named = any(row.role == "confirmatory" for row in finding.correlations if family.holds(row))
    return "confirmatory" if named else "exploratory"
