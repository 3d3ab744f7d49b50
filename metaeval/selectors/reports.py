"""A report's numbers, arranged for reading: one criterion, level and statistic at a time, the best metric on top."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from metaeval.models import Report
from metaeval.report.naming import interval_name, level_name, statistic_name, statistic_short
from metaeval.report.numerals import interval, number, probability

_LEVELS = ("sample", "prompt", "within_generator", "generator", "subsplit")
_STATISTICS = ("kendall_b", "spearman", "pearson", "auc_roc", "acc_eq")
_KEYS = ("criterion", "level", "statistic")
# What the marks beside a metric's name say already.
_TOLD = ("sign turned: lower is better", "without the reference, which has no error against itself")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Family:
    """Which numbers: those that are compared, and corrected, together."""

    criterion: str
    level: str
    statistic: str

    def holds(self, row: Row) -> bool:
        return family_key(row) == (self.criterion, self.level, self.statistic)

    @property
    def in_words(self) -> str:
        return f"{statistic_name(self.statistic)} on {self.criterion}, {self.level_in_words}"

    @property
    def level_in_words(self) -> str:
        return level_name(self.level)

    @property
    def statistic_short(self) -> str:
        return statistic_short(self.statistic)

    @property
    def query(self) -> str:
        return urlencode({"criterion": self.criterion, "level": self.level, "statistic": self.statistic})


@dataclass(frozen=True)
class Choice:
    """An option of a select."""

    value: str
    label: str
    is_chosen: bool


@dataclass(frozen=True)
class Selector:
    """What can be looked at, and what is."""

    family: Family
    criteria: tuple[Choice, ...]
    levels: tuple[Choice, ...]
    statistics: tuple[Choice, ...]
    is_primary: bool


@dataclass(frozen=True)
class Estimate:
    """A number with all that it carries; no value has its reason in `note`."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    note: str = ""
    brackets: str = ""
    raters: int = 0

    @property
    def text(self) -> str:
        return number(self.value) if self.value is not None else ""

    @property
    def interval(self) -> str:
        return interval(self.low, self.high)

    @property
    def hint(self) -> str:
        of = f"{self.n} samples, {self.raters} raters" if self.raters else f"n = {self.n}"
        return "; ".join(part for part in (of, self.brackets) if part)

    @property
    def reason(self) -> str:
        """Why there is no value, and nothing else that the note says."""
        pieces = pieces_of(self.note)
        return next((piece for piece in pieces if piece.startswith("undefined")), "; ".join(pieces) or "undefined")


@dataclass(frozen=True)
class MetricRow:
    """One metric of the main table."""

    metric: str
    estimate: Estimate
    p: float | None
    p_text: str
    p_method: str
    p_holm: float | None
    p_holm_text: str
    cluster: int | None
    role: str
    direction: str
    is_reference_based: bool
    search: str
    missing: int | None
    remarks: tuple[str, ...]


def select(
    report: Report,
    among: Collection[tuple[str, str, str]] | None = None,
    /,
    *,
    criterion: str = "",
    level: str = "",
    statistic: str = "",
) -> Selector | None:
    """What was asked for where it exists, else what the analysis was made for. None if nothing was correlated.

    `among` keeps the families that another report has as well.
    """
    rows = [row for row in correlations(report) if among is None or family_key(row) in among]
    if not rows:
        return None
    primary = report.results.get("primary", {})
    criteria = distinct(row["criterion"] for row in rows)
    chosen = _first((criterion, primary.get("criterion")), criteria)
    levels = _in_order(_LEVELS, (row["level"] for row in rows if row["criterion"] == chosen))
    at = _first((level, primary.get("level")), levels)
    here = [row for row in rows if (row["criterion"], row["level"]) == (chosen, at)]
    statistics = distinct(row["statistic"] for row in here)
    by = _first((statistic, primary.get("statistic"), *_STATISTICS), statistics)
    family = Family(chosen, at, by)
    return Selector(
        family,
        tuple(Choice(name, name, name == chosen) for name in criteria),
        tuple(Choice(name, level_name(name), name == at) for name in levels),
        tuple(Choice(name, statistic_name(name), name == by) for name in statistics),
        is_primary=bool(primary) and family == Family(*(primary.get(key, "") for key in _KEYS)),
    )


def family_key(row: Row) -> tuple[str, str, str]:
    return row["criterion"], row["level"], row["statistic"]


def metric_rows(report: Report, family: Family) -> list[MetricRow]:
    """The metric that follows people best on top, members of a search below the fixed ones, undefined ones last."""
    facts = {fact["name"]: fact for fact in report.results.get("metrics", [])}
    found = [row for row in correlations(report) if family.holds(row)]
    confidence = confidence_of(report)
    rows = [_metric_row(row, facts.get(row["metric"], {}), confidence) for row in found]
    return sorted(rows, key=_rank)


def _metric_row(row: Row, facts: Row, confidence: float) -> MetricRow:
    estimate = estimate_of(row, confidence=confidence)
    pieces = [piece for note in (row.get("note") or "", *facts.get("notes", ())) for piece in pieces_of(note)]
    remarks = (piece for piece in pieces if piece not in _TOLD and not piece.startswith("undefined"))
    return MetricRow(
        metric=row["metric"],
        estimate=estimate,
        p=row.get("p"),
        p_text=probability(row.get("p")),
        p_method=row.get("p_method") or "",
        p_holm=row.get("p_holm"),
        p_holm_text=probability(row.get("p_holm")),
        cluster=row.get("cluster"),
        role=row.get("role") or "exploratory",
        direction=facts.get("direction", ""),
        is_reference_based=bool(facts.get("is_reference_based")),
        search=facts.get("search") or "",
        missing=facts.get("missing"),
        remarks=distinct(remarks),
    )


def correlations(report: Report) -> Sequence[Row]:
    rows: Sequence[Row] = report.results.get("correlations", [])
    return rows


def confidence_of(report: Report) -> float:
    """Of every interval, as the settings have it."""
    settings: Row = report.results.get("settings") or {}
    found: Row = settings.get("resampling") or {}
    return float(found.get("confidence", 0.95))


def estimate_of(row: Row, value: str = "value", n: str = "n", *, confidence: float) -> Estimate:
    method = row.get("ci_method") or ""
    return Estimate(
        value=row.get(value),
        low=row.get("ci_low"),
        high=row.get("ci_high"),
        n=row.get(n) or 0,
        note=row.get("note") or "",
        brackets=interval_name(method, row.get("ci_unit") or "", confidence) if method else "",
        raters=row.get("n_raters") or 0,
    )


def brackets_of(rows: Iterable[MetricRow]) -> str:
    """What the brackets of a table are, in words; empty where there are none."""
    return "; ".join(distinct(row.estimate.brackets for row in rows if row.estimate.interval))


def tests_of(rows: Iterable[MetricRow]) -> str:
    return "; ".join(distinct(row.p_method for row in rows if row.p is not None and row.p_method))


def pieces_of(note: str) -> list[str]:
    return [piece for piece in note.split("; ") if piece]


def _rank(row: MetricRow) -> tuple[bool, bool, float]:
    """A metric that won a search had more chances than the fixed ones: it is not ranked among them."""
    return (row.estimate.value is None, bool(row.search), -(row.estimate.value or 0.0))


def distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))


def _in_order(order: Sequence[str], names: Iterable[str]) -> tuple[str, ...]:
    found = distinct(names)
    return tuple(sorted(found, key=lambda name: order.index(name) if name in order else len(order)))


def _first(wanted: Iterable[str | None], present: Sequence[str]) -> str:
    return next((name for name in wanted if name in present and name), present[0])
