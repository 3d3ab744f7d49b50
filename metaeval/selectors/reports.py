"""A report's numbers, arranged for reading: one row a metric, one column a statistic."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metaeval.models import Report

# What a column head says; a statistic that is not here is shown by its own name.
STATISTIC_NAMES = {
    "alpha_nominal": "Krippendorff’s α, nominal",
    "alpha_ordinal": "Krippendorff’s α, ordinal",
    "alpha_interval": "Krippendorff’s α, interval",
    "pearson": "Pearson r",
    "spearman": "Spearman ρ",
    "kendall_b": "Kendall τ-b",
}


@dataclass(frozen=True)
class Cell:
    value: float | None
    n: int
    note: str


@dataclass(frozen=True)
class CorrelationRow:
    metric: str
    cells: tuple[Cell | None, ...]
    n: int

    @property
    def undefined(self) -> str:
        """The one reason, if no statistic of the row is defined."""
        notes = {cell.note if cell else "not computed" for cell in self.cells}
        return notes.pop() if len(notes) == 1 and all(cell is None or cell.value is None for cell in self.cells) else ""


@dataclass(frozen=True)
class CorrelationTable:
    """One criterion at one level, the metric that follows people best on top."""

    criterion: str
    level: str
    statistics: tuple[str, ...]
    rows: tuple[CorrelationRow, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class AgreementRow:
    criterion: str
    statistic: str
    cell: Cell
    raters: int


def provenance_pairs(report: Report) -> list[tuple[str, str]]:
    """Hashes, versions and the command, flat: a nested entry becomes `inputs: ratings`."""
    return [*_flat(report.provenance), ("report hash", report.content_hash)]


def _flat(values: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for name, value in values.items():
        label = f"{prefix}{name.replace('_', ' ')}"
        if isinstance(value, Mapping):
            pairs.extend(_flat(value, f"{label}: "))
        else:
            pairs.append((label, " ".join(map(str, value)) if isinstance(value, list) else str(value)))
    return pairs


def agreement_rows(report: Report) -> list[AgreementRow]:
    return [
        AgreementRow(
            entry["criterion"],
            _statistic_name(entry["statistic"]),
            Cell(entry["value"], entry["n_units"], entry.get("note", "")),
            entry["n_raters"],
        )
        for entry in report.results.get("agreement", [])
    ]


def correlation_tables(report: Report) -> list[CorrelationTable]:
    entries: Sequence[Mapping[str, Any]] = report.results.get("correlations", [])
    groups = dict.fromkeys((entry["criterion"], entry["level"]) for entry in entries)
    return [
        _table(criterion, level, [e for e in entries if (e["criterion"], e["level"]) == (criterion, level)])
        for criterion, level in groups
    ]


def _table(criterion: str, level: str, entries: Sequence[Mapping[str, Any]]) -> CorrelationTable:
    statistics = tuple(dict.fromkeys(entry["statistic"] for entry in entries))
    cells = {
        (entry["metric"], entry["statistic"]): Cell(entry["value"], entry["n"], entry.get("note", ""))
        for entry in entries
    }
    rows = [
        CorrelationRow(
            metric,
            tuple(cells.get((metric, statistic)) for statistic in statistics),
            max(entry["n"] for entry in entries if entry["metric"] == metric),
        )
        for metric in dict.fromkeys(entry["metric"] for entry in entries)
    ]
    main = statistics.index("spearman") if "spearman" in statistics else 0
    rows.sort(key=lambda row: _rank(row.cells[main]))
    notes = _notes([entry for entry in entries if entry["value"] is not None])
    return CorrelationTable(criterion, level, tuple(map(_statistic_name, statistics)), tuple(rows), notes)


def _notes(entries: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Each note once, with the metrics that it is about."""
    notes = dict.fromkeys(entry["note"] for entry in entries if entry.get("note"))
    return tuple(
        f"{note} ({', '.join(dict.fromkeys(entry['metric'] for entry in entries if entry.get('note') == note))})"
        for note in notes
    )


def _rank(cell: Cell | None) -> tuple[bool, float]:
    """Undefined last."""
    value = cell.value if cell else None
    return (value is None, -(value or 0.0))


def _statistic_name(name: str) -> str:
    return STATISTIC_NAMES.get(name, name.replace("_", " "))
