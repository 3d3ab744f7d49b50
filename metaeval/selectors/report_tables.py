"""The other tables of a report: every statistic, pairs of metrics, agreement, provenance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page, Paginator

from metaeval.models import Report
from metaeval.report.naming import statistic_name, statistic_short, unit_name
from metaeval.report.numerals import number, probability
from metaeval.selectors.reports import (
    Estimate,
    Family,
    Row,
    confidence_of,
    correlations,
    distinct,
    estimate_of,
    metric_rows,
    pieces_of,
)

COMPARISONS_PER_PAGE = 20


@dataclass(frozen=True)
class ComparisonRow:
    metric_a: str
    metric_b: str
    value_a: str
    value_b: str
    difference: Estimate
    p: float | None
    p_text: str
    p_holm: float | None
    p_holm_text: str
    test: str


@dataclass(frozen=True)
class Matrix:
    """Every statistic of one criterion at one level."""

    statistics: tuple[tuple[str, str], ...]  # short, in full
    rows: tuple[tuple[str, tuple[Estimate | None, ...]], ...]


@dataclass(frozen=True)
class AgreementRow:
    """One statistic, criterion by criterion; None where it was not computed."""

    statistic: str
    cells: tuple[Estimate | None, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class AgreementTable:
    """What has a value for some criterion, and what has none, with the reasons."""

    criteria: tuple[str, ...]
    rows: tuple[AgreementRow, ...]
    undefined: tuple[AgreementRow, ...]


def statistics_matrix(report: Report, family: Family) -> Matrix:
    """The other statistics at the same level, metrics in the order of the main table."""
    rows = [row for row in correlations(report) if (row["criterion"], row["level"]) == (family.criterion, family.level)]
    statistics = sorted(distinct(row["statistic"] for row in rows), key=lambda name: name != family.statistic)
    confidence = confidence_of(report)
    cells = {(row["metric"], row["statistic"]): estimate_of(row, confidence=confidence) for row in rows}
    order = [row.metric for row in metric_rows(report, family)]
    metrics = distinct((*order, *(row["metric"] for row in rows)))
    return Matrix(
        tuple((statistic_short(name), statistic_name(name)) for name in statistics),
        tuple((metric, tuple(cells.get((metric, name)) for name in statistics)) for metric in metrics),
    )


def comparison_page(report: Report, family: Family, *, page: str = "1", metric: str = "") -> Page[Any]:
    """Pairs of metrics, the clearest differences first, those with a metric of that name only."""
    rows = [
        row
        for row in report.results.get("comparisons", [])
        if family.holds(row) and metric.lower() in f"{row['metric_a']} {row['metric_b']}".lower()
    ]
    rows.sort(key=lambda row: (_last(row.get("p_holm")), _last(row.get("p")), -abs(row.get("difference") or 0.0)))
    found: Page[Any] = Paginator(rows, COMPARISONS_PER_PAGE).get_page(page)
    confidence = confidence_of(report)
    found.object_list = [_comparison_row(row, confidence) for row in found.object_list]
    return found


def _comparison_row(row: Row, confidence: float) -> ComparisonRow:
    return ComparisonRow(
        metric_a=row["metric_a"],
        metric_b=row["metric_b"],
        value_a=number(row.get("value_a")),
        value_b=number(row.get("value_b")),
        difference=estimate_of(row, "difference", confidence=confidence),
        p=row.get("p"),
        p_text=probability(row.get("p")),
        p_holm=row.get("p_holm"),
        p_holm_text=probability(row.get("p_holm")),
        test=_test(row.get("p_method") or "", row.get("unit") or ""),
    )


def _test(method: str, unit: str) -> str:
    """Most methods name their unit; one that does not gets it behind."""
    return method if not method or not unit or unit in method else f"{method}, by {unit_name(unit)}"


def agreement_table(report: Report) -> AgreementTable:
    found = {(row["statistic"], row["criterion"]): row for row in report.results.get("agreement", [])}
    criteria = distinct(criterion for _, criterion in found)
    confidence = confidence_of(report)
    names = distinct(statistic for statistic, _ in found)
    rows = [_agreement_row(name, [found.get((name, each)) for each in criteria], confidence) for name in names]
    has_value = [any(cell and cell.value is not None for cell in row.cells) for row in rows]
    return AgreementTable(
        criteria,
        tuple(row for row, has in zip(rows, has_value, strict=True) if has),
        tuple(row for row, has in zip(rows, has_value, strict=True) if not has),
    )


def _agreement_row(name: str, cells: Sequence[Row | None], confidence: float) -> AgreementRow:
    estimates = tuple(None if cell is None else estimate_of(cell, n="n_units", confidence=confidence) for cell in cells)
    remarks = distinct(
        piece
        for estimate in estimates
        if estimate and estimate.value is not None
        for piece in (*pieces_of(estimate.note), *((estimate.brackets,) if estimate.interval else ()))
    )
    return AgreementRow(statistic_name(name), estimates, remarks)


def provenance_pairs(report: Report) -> list[tuple[str, str]]:
    """Hashes, versions and the command, flat: a nested entry becomes `inputs: ratings`.

    Without the hash of each single file: there are a hundred, and provenance.json has them.
    """
    shown = {name: value for name, value in report.provenance.items() if name != "files"}
    return [*_flat(shown), ("report hash", report.content_hash)]


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in values.items():
        label = f"{prefix}{name.replace('_', ' ')}"
        if isinstance(value, Mapping):
            pairs.extend(_flat(value, f"{label}: "))
        else:
            pairs.append((label, " ".join(map(str, value)) if isinstance(value, list) else str(value)))
    return pairs


def _last(p: float | None) -> float:
    return 2.0 if p is None else p
