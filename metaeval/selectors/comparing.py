"""Two analyses side by side: the same numbers, what became of them, and what was done differently."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from metaeval.models import Analysis, Report
from metaeval.report.numerals import MINUS
from metaeval.selectors.reports import (
    Estimate,
    Family,
    MetricRow,
    Selector,
    correlations,
    family_key,
    metric_rows,
    select,
)


@dataclass(frozen=True)
class PairRow:
    """One metric in both."""

    metric: str
    a: Estimate
    b: Estimate
    difference: float | None
    rank_a: int | None
    rank_b: int | None
    reading: str

    @property
    def difference_text(self) -> str:
        """One digit more than the values, for it is often smaller than they show."""
        return "" if self.difference is None else f"{self.difference:+.3f}".replace("-", MINUS)

    @property
    def rank_change(self) -> int | None:
        """Places gained from a to b."""
        return None if self.rank_a is None or self.rank_b is None else self.rank_a - self.rank_b

    @property
    def places_lost(self) -> int:
        return -(self.rank_change or 0)


@dataclass(frozen=True)
class Difference:
    name: str
    a: str
    b: str


@dataclass(frozen=True)
class Pair:
    """All of the page. `selector` offers what both have."""

    a: Analysis
    b: Analysis
    selector: Selector | None
    rows: tuple[PairRow, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    differences: tuple[Difference, ...]

    @property
    def moved(self) -> int:
        return sum(1 for row in self.rows if row.rank_change)


def pair_of(a: Analysis, b: Analysis, *, criterion: str = "", level: str = "", statistic: str = "") -> Pair:
    """Both have a report."""
    there = {family_key(row) for row in correlations(b.report)}
    selector = select(a.report, there, criterion=criterion, level=level, statistic=statistic)
    of_a, of_b = ((_rows(each.report, selector.family) if selector else {}) for each in (a, b))
    return Pair(
        a=a,
        b=b,
        selector=selector,
        rows=_pair_rows(of_a, of_b),
        only_a=tuple(name for name in of_a if name not in of_b),
        only_b=tuple(name for name in of_b if name not in of_a),
        differences=tuple(_differences(a, b)),
    )


def _rows(report: Report, family: Family) -> dict[str, MetricRow]:
    return {row.metric: row for row in metric_rows(report, family)}


def _pair_rows(of_a: Mapping[str, MetricRow], of_b: Mapping[str, MetricRow]) -> tuple[PairRow, ...]:
    ranks_a, ranks_b = _ranks(of_a, of_b), _ranks(of_b, of_a)
    return tuple(_pair_row(of_a[name], of_b[name], ranks_a, ranks_b) for name in of_a if name in of_b)


def _ranks(rows: Mapping[str, MetricRow], other: Mapping[str, MetricRow]) -> dict[str, int]:
    """From 1, of fixed metrics that have a value in both: a newcomer moves nobody. `rows` are in that order."""
    defined = [
        name
        for name, row in rows.items()
        if row.estimate.value is not None
        and not row.search
        and name in other
        and other[name].estimate.value is not None
    ]
    return {name: place for place, name in enumerate(defined, start=1)}


def _pair_row(a: MetricRow, b: MetricRow, ranks_a: Mapping[str, int], ranks_b: Mapping[str, int]) -> PairRow:
    values = a.estimate.value, b.estimate.value
    difference = None if values[0] is None or values[1] is None else values[1] - values[0]
    return PairRow(
        a.metric,
        a.estimate,
        b.estimate,
        difference,
        ranks_a.get(a.metric),
        ranks_b.get(b.metric),
        _reading(a.estimate, b.estimate),
    )


def _reading(a: Estimate, b: Estimate) -> str:
    """Which value lies in whose interval. Words and not a p: the two share samples, so their intervals are no test."""
    inside = [
        f"{name} in the other’s interval"
        for name, value, other in (("A", a.value, b), ("B", b.value, a))
        if value is not None and other.low is not None and other.high is not None and other.low <= value <= other.high
    ]
    if len(inside) == 2:
        return "each in the other’s interval"
    if inside:
        return inside[0]
    return "neither in the other’s interval" if a.low is not None and b.low is not None else "no intervals"


def _differences(a: Analysis, b: Analysis) -> list[Difference]:
    """Only what differs: label set, settings, inputs, versions."""
    facts_a, facts_b = _facts(a), _facts(b)
    names = dict.fromkeys([*facts_a, *facts_b])
    return [
        Difference(name, facts_a.get(name, "—"), facts_b.get(name, "—"))
        for name in names
        if facts_a.get(name) != facts_b.get(name)
    ]


def _facts(analysis: Analysis) -> dict[str, str]:
    provenance = analysis.report.provenance
    preregistration = analysis.preregistration
    return {
        "study": analysis.label_set.study.code,
        "label set": f"{analysis.label_set.number} ({analysis.label_set.content_hash[:12]})",
        "preregistration": preregistration.title if preregistration else "none",
        **_dotted(analysis.settings, "setting "),
        **_dotted({key: provenance[key] for key in ("inputs", "versions", "touchstone") if key in provenance}, ""),
    }


def _dotted(values: Mapping[str, Any], prefix: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            found |= _dotted(value, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return found
