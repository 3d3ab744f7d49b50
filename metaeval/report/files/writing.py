"""The whole of OUT, in the order in which a fault would show soonest: numbers, then figures, then the page."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from metaeval.report.figures import Missing, plates
from metaeval.report.figures.style import house_style, save
from metaeval.report.files.finite import check_finite
from metaeval.report.files.folder import PROVENANCE, replaced_folder
from metaeval.report.files.inputs import CONFIG, copy_inputs, input_names, rerun_command
from metaeval.report.files.provenance import hashes, provenance_of
from metaeval.report.files.tables import write_csv, write_tables
from metaeval.report.html import Shown, render_report
from metaeval.report.material import Material
from metaeval.report.results import Finding
from metaeval.stats.design import Floats

Progress = Callable[[float, str], None]


def write_report(
    finding: Finding,
    material: Material,
    labels: Mapping[str, Floats],
    folder: Path,
    *,
    inputs: Sequence[Path],
    command: Sequence[str],
    config_text: str | None,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write report.html, tables, figures, results.json, provenance.json and the inputs; returns the provenance.

    `labels` holds, for each criterion, the label of every sample, NaN where it has none. `progress` is told the share
    that is done and what is being done. Raises `FolderError` where `folder` holds files that no report wrote.
    """
    tell = progress or (lambda share, what: None)
    with replaced_folder(folder) as out:
        tell(0.0, "writing tables")
        results = asdict(finding)
        check_finite(results, "results.json")
        _write_json(out / "results.json", results)
        write_tables(finding, out / "tables")
        provenance = _write_inputs(finding, out, inputs=inputs, command=command, config_text=config_text)
        shown = _write_figures(finding, material, labels, out / "figures", tell)
        tell(0.95, "writing report.html")
        page = render_report(finding, figures=shown, provenance=provenance, config_text=config_text)
        (out / "report.html").write_text(page, encoding="utf-8", newline="\n")
        provenance["files"] = hashes(out)
        _write_json(out / PROVENANCE, provenance)
    tell(1.0, "done")
    return provenance


def _write_inputs(
    finding: Finding, out: Path, *, inputs: Sequence[Path], command: Sequence[str], config_text: str | None
) -> dict[str, Any]:
    names = input_names(inputs)
    has_copies = copy_inputs(names, out / "inputs")
    if config_text is not None:
        (out / CONFIG).write_text(config_text, encoding="utf-8", newline="")
    has_config = config_text is not None
    return provenance_of(
        finding,
        names=names,
        command=rerun_command(command, names=names, has_copies=has_copies, has_config=has_config),
        has_copies=has_copies,
        config=CONFIG if has_config else None,
    )


def _write_figures(
    finding: Finding, material: Material, labels: Mapping[str, Floats], folder: Path, tell: Progress
) -> list[Shown]:
    """Draw and save every figure; what cannot be drawn is shown with the reason."""
    folder.mkdir()
    found = list(plates(finding, material, labels))
    shown = []
    with house_style():
        for place, plate in enumerate(found):
            tell(0.05 + 0.9 * place / len(found), f"drawing figure {place + 1} of {len(found)}")
            drawing = plate.make()
            if isinstance(drawing, Missing):
                shown.append(Shown(plate.name, plate.title, reason=drawing.reason))
                continue
            save(drawing.figure, folder / plate.name)
            if drawing.data is not None:
                write_csv(folder / f"{plate.name}.csv", drawing.data.columns, drawing.data.rows)
            svg = (folder / f"{plate.name}.svg").read_text(encoding="utf-8")
            shown.append(Shown(plate.name, plate.title, caption=drawing.caption, alt=drawing.alt, svg=svg))
    return shown


def _write_json(path: Path, value: Any) -> None:
    text = json.dumps(value, indent=2, allow_nan=False, default=_plain, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's; dates of a TOML file as text."""
    return value.item() if hasattr(value, "item") else str(value)
