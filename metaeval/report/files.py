"""Writing an analysis to a folder: tables that read back exactly, results and provenance as JSON."""

import csv
import hashlib
import json
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from metaeval.report.analysis import Finding

# These names are an interface: others parse them. Intervals and p-values stay empty until they are computed.
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
LIBRARIES = ("numpy", "scipy", "krippendorff")


def write_report(finding: Finding, folder: Path, *, inputs: Sequence[Path], command: Sequence[str]) -> dict[str, Any]:
    """Write `tables/`, `results.json` and `provenance.json`; returns the provenance."""
    tables = folder / "tables"
    tables.mkdir(parents=True, exist_ok=True)
    _write_table(tables / "agreement.csv", AGREEMENT_COLUMNS, [asdict(row) for row in finding.agreement])
    _write_table(tables / "correlations.csv", CORRELATION_COLUMNS, [asdict(row) for row in finding.correlations])
    provenance = {
        "inputs": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in inputs},
        "command": list(command),
        "versions": {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES},
    }
    _write_json(folder / "provenance.json", provenance)
    _write_json(folder / "results.json", asdict(finding))
    return provenance


def _write_table(path: Path, columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _cell(row.get(name)) for name in columns} for row in rows)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def _write_json(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, indent=2, allow_nan=False) + "\n", encoding="utf-8")
