"""tables/*.csv that read back exactly, and tables/*.tex."""

import csv
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from metaeval.report import latex
from metaeval.report.naming import slugs
from metaeval.report.ranking import criteria_of, levels_of
from metaeval.report.results import Finding

# These names are an interface: others parse them.
AGREEMENT_COLUMNS = (
    "criterion",
    "statistic",
    "value",
    "ci_low",
    "ci_high",
    "ci_method",
    "ci_unit",
    "n_units",
    "n_raters",
    "note",
)
CORRELATION_COLUMNS = (
    "criterion",
    "metric",
    "level",
    "statistic",
    "value",
    "ci_low",
    "ci_high",
    "ci_method",
    "ci_unit",
    "p",
    "p_method",
    "n",
    "note",
)
COMPARISON_COLUMNS = (
    "criterion",
    "level",
    "statistic",
    "metric_a",
    "metric_b",
    "value_a",
    "value_b",
    "difference",
    "ci_low",
    "ci_high",
    "p",
    "p_holm",
    "p_bh",
    "p_method",
    "unit",
    "n",
    "permutations",
    "role",
    "note",
)
_TAKEN = ("agreement", "correlations", "comparisons")


def write_tables(finding: Finding, folder: Path) -> None:
    """Every table of the finding; a listing keeps its name unless it would hide one of the three fixed tables."""
    folder.mkdir(parents=True, exist_ok=True)
    _write_rows(folder / "agreement.csv", AGREEMENT_COLUMNS, finding.agreement)
    _write_rows(folder / "correlations.csv", CORRELATION_COLUMNS, finding.correlations)
    _write_rows(folder / "comparisons.csv", COMPARISON_COLUMNS, finding.comparisons)
    for listing in finding.listings:
        name = listing_file(listing.name)
        write_csv(folder / f"{name}.csv", listing.columns, listing.rows)
        _write_text(folder / f"{name}.tex", latex.listing_table(listing, label=name))
    _write_text(folder / "agreement.tex", latex.agreement_table(finding))
    _write_text(folder / "comparisons.tex", latex.comparisons_table(finding))
    names = slugs(criteria_of(finding))
    for criterion in names:
        for level in levels_of(finding, criterion):
            name = f"correlations-{names[criterion]}-{level}"
            _write_text(folder / f"{name}.tex", latex.correlations_table(finding, criterion, level, label=name))
            if cuts := latex.correlations_table(finding, criterion, level, label=f"{name}-cuts", at_other_cuts=True):
                _write_text(folder / f"{name}-cuts.tex", cuts)


def listing_file(name: str) -> str:
    """A listing's name as a file name: our own code chose it, so anything but a plain word is a mistake."""
    if not name.replace("_", "").replace("-", "").isalnum() or not name.isascii() or name in _TAKEN:
        raise ValueError(f"listing name: expected letters, digits, - and _, and none of {_TAKEN}, found {name!r}")
    return name


def write_csv(path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        for number, row in enumerate(rows, start=1):
            if len(row) != len(columns):
                raise ValueError(f"{path.name}: row {number}: expected {len(columns)} cells, found {len(row)}")
            writer.writerow(
                [_cell(value, f"{path.name}: row {number}, {name}") for name, value in zip(columns, row, strict=True)]
            )


def _write_rows(path: Path, columns: Sequence[str], rows: Sequence[Any]) -> None:
    entries = [asdict(row) for row in rows]
    write_csv(path, columns, [[entry[name] for name in columns] for entry in entries])


def _cell(value: Any, where: str) -> str:
    """repr, because it is the shortest text that reads back as the same number; nothing for None."""
    if value is None:
        return ""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{where}: expected a finite number or None, found {value}")
        return repr(float(value))  # NumPy's own floats print their type
    return str(value)


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
