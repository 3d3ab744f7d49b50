"""The folder that a researcher takes away."""

import csv
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from metaeval.report.figures import Plate, plates
from metaeval.report.files import AGREEMENT_COLUMNS, COMPARISON_COLUMNS, CORRELATION_COLUMNS, FolderError, write_report
from metaeval.report.files import inputs as input_files
from metaeval.report.results import Listing
from tests.metaeval.report.example import HOSTILE, Example, make_example

pytestmark = pytest.mark.slow

EXAMPLE = make_example(prompts=12)
CONFIG = "seed = 7\n"
PLATES = "metaeval.report.files.writing.plates"


def _light(*arguments: Any) -> Iterator[Plate]:
    """Drawing all figures takes seconds; test_figures.py does it."""
    return (plate for plate in plates(*arguments) if plate.name in ("raters-naturalness", "raters-faithfulness"))


@pytest.fixture
def few_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLATES, _light)


def _inputs(folder: Path) -> list[Path]:
    paths = [folder / "ratings.csv", folder / "scores.csv"]
    for path in paths:
        path.write_text(f"{path.name}\n")
    return paths


@pytest.fixture
def inputs(tmp_path: Path) -> list[Path]:
    return _inputs(tmp_path)


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report to read; tests that write make their own."""
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PLATES, _light)
        write(EXAMPLE, folder / "out", _inputs(folder))
    return folder / "out"


def write(example: Example, folder: Path, inputs: list[Path], **options: Any) -> dict[str, Any]:
    command = ["python", "-m", "metaeval", "analyse", *map(str, inputs), "-o", str(folder), "--config", "/etc/a.toml"]
    labels, finding = example.labels, example.finding
    defaults: dict[str, Any] = {"inputs": inputs, "command": command, "config_text": CONFIG}
    return write_report(finding, example.material, labels, folder, **(defaults | options))


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_the_folder_has_all_that_a_rerun_needs(out: Path) -> None:
    provenance = json.loads((out / "provenance.json").read_text())
    assert {path.name for path in out.iterdir()} == {
        "report.html",
        "tables",
        "figures",
        "results.json",
        "provenance.json",
        "analysis.toml",
        "inputs",
    }
    assert (out / "analysis.toml").read_text() == CONFIG
    assert (out / "inputs" / "ratings.csv").read_text() == "ratings.csv\n"
    assert provenance["inputs"]["scores.csv"] == hashlib.sha256(b"scores.csv\n").hexdigest()
    assert provenance["command"][4:] == (
        ["inputs/ratings.csv", "inputs/scores.csv", "-o", "again", "--config", "analysis.toml"]
    )
    assert {"python", "numpy", "scipy", "scikit-learn", "krippendorff", "matplotlib"} <= set(provenance["versions"])
    assert provenance["versions"]["touchstone"]
    assert (provenance["seed"], provenance["settings_hash"]) == (7, "ab" * 32)
    assert str(out.parent) not in (out / "report.html").read_text()


def test_tables_keep_their_columns_and_read_back_exactly(out: Path) -> None:
    tables = out / "tables"
    for name, columns, rows in (
        ("agreement", AGREEMENT_COLUMNS, EXAMPLE.finding.agreement),
        ("correlations", CORRELATION_COLUMNS, EXAMPLE.finding.correlations),
        ("comparisons", COMPARISON_COLUMNS, EXAMPLE.finding.comparisons),
    ):
        found = read(tables / f"{name}.csv")
        assert tuple(found[0]) == columns
        assert len(found) == len(rows)
        for text, row in zip(found, rows, strict=True):
            for column in columns:
                value = getattr(row, column)
                read_back = type(value)(text[column]) if value is not None else text[column] or None
                assert read_back == value
        assert (tables / f"{name}.tex").exists() or name == "correlations"
    assert read(tables / "human_rows.csv")[1]["row"] == HOSTILE
    assert read(tables / "human_rows.csv")[1]["pearson"] == ""
    assert (tables / "correlations-naturalness-sample.tex").exists()
    assert (tables / "correlations-naturalness-sample-cuts.tex").exists()
    assert (tables / "human_rows.tex").exists()


def test_results_hold_every_number(out: Path) -> None:
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    assert {"agreement", "correlations", "comparisons", "listings", "summary", "warnings"} <= set(results)
    assert results["correlations"][0]["value"] == EXAMPLE.finding.correlations[0].value
    assert results["summary"] == EXAMPLE.finding.summary


@pytest.mark.usefixtures("few_figures")
def test_the_same_run_writes_the_same_bytes(tmp_path: Path, inputs: list[Path], out: Path) -> None:
    provenance = write(EXAMPLE, tmp_path / "elsewhere", inputs)
    assert provenance == json.loads((out / "provenance.json").read_text())
    assert len(provenance["files"]) > 20
    for name in (*provenance["files"], "provenance.json"):
        assert (tmp_path / "elsewhere" / name).read_bytes() == (out / name).read_bytes()


@pytest.mark.usefixtures("few_figures")
def test_a_second_run_replaces_the_first_but_no_foreign_file(tmp_path: Path, inputs: list[Path]) -> None:
    """Also where the inputs are the copies in the folder that is replaced."""
    write(EXAMPLE, tmp_path / "out", inputs)
    copies = [tmp_path / "out" / "inputs" / path.name for path in inputs]
    write(EXAMPLE, tmp_path / "out", copies)
    assert copies[0].read_text() == "ratings.csv\n"
    (tmp_path / "out" / "notes.txt").write_text("mine")
    with pytest.raises(FolderError, match=r"notes\.txt"):
        write(EXAMPLE, tmp_path / "out", inputs)


@pytest.mark.usefixtures("few_figures")
def test_large_inputs_are_named_but_not_copied(
    tmp_path: Path, inputs: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(input_files, "MOST_BYTES", 10)
    provenance = write(EXAMPLE, tmp_path / "out", inputs)
    assert not (tmp_path / "out" / "inputs").exists()
    assert provenance["inputs_are_copied"] is False
    assert set(provenance["inputs"]) == {"ratings.csv", "scores.csv"}


@pytest.mark.usefixtures("few_figures")
def test_progress_goes_from_nothing_to_done(tmp_path: Path, inputs: list[Path]) -> None:
    told: list[tuple[float, str]] = []
    write(EXAMPLE, tmp_path / "out", inputs, progress=lambda share, what: told.append((share, what)), config_text=None)
    shares = [share for share, _ in told]
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert "drawing figure 1 of 2" in [what for _, what in told]
    assert not (tmp_path / "out" / "analysis.toml").exists()


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_number_that_is_none_stops_the_report_and_leaves_nothing(
    tmp_path: Path, inputs: list[Path], value: float
) -> None:
    bad = Listing("odd", "Odd", ("a",), ((value,),))
    with pytest.raises(ValueError, match=r"listings 1 .odd., rows 1 1: expected a finite number"):
        write(replace(EXAMPLE, finding=replace(EXAMPLE.finding, listings=(bad,))), tmp_path / "out", inputs)
    assert not (tmp_path / "out").exists()


def test_a_listing_cannot_hide_a_fixed_table_or_leave_the_folder(tmp_path: Path, inputs: list[Path]) -> None:
    for name in ("agreement", "../x", "a b", ""):
        bad = Listing(name, "Odd", ("a",), ())
        with pytest.raises(ValueError, match="listing name"):
            write(replace(EXAMPLE, finding=replace(EXAMPLE.finding, listings=(bad,))), tmp_path / "out", inputs)


@pytest.mark.usefixtures("few_figures")
def test_numpy_numbers_are_written_as_numbers(tmp_path: Path, inputs: list[Path]) -> None:
    listing = Listing("numpy", "Numbers", ("a", "b"), ((np.float64(0.1), np.int64(3)),))  # type: ignore[arg-type]
    write(replace(EXAMPLE, finding=replace(EXAMPLE.finding, listings=(listing,))), tmp_path / "out", inputs)
    assert (tmp_path / "out" / "tables" / "numpy.csv").read_text() == "a,b\n0.1,3\n"
