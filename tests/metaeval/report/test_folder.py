"""OUT is replaced whole or not at all, and only where it is ours."""

import json
from pathlib import Path

import pytest

from metaeval.report.files.folder import FolderError, _fill, replaced_folder
from metaeval.report.files.inputs import input_names, rerun_command


def _write(out: Path, text: str, *, name: str = "report.html") -> None:
    (out / "tables").mkdir(exist_ok=True)
    (out / name).write_text(text)
    (out / "tables" / "a.csv").write_text(text)
    (out / "provenance.json").write_text(json.dumps({"files": {name: "", "tables/a.csv": ""}}))


def _fail_halfway(folder: Path) -> None:
    with replaced_folder(folder) as out:
        _write(out, "half")
        raise RuntimeError


def _everything(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_run_that_fails_leaves_no_folder(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        _fail_halfway(tmp_path / "deep" / "out")
    assert list((tmp_path / "deep").iterdir()) == []


def test_a_run_that_fails_leaves_the_earlier_report(tmp_path: Path) -> None:
    with replaced_folder(tmp_path / "out") as out:
        _write(out, "first")
    with pytest.raises(RuntimeError):
        _fail_halfway(tmp_path / "out")
    assert (tmp_path / "out" / "report.html").read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_an_earlier_report_is_replaced_with_all_its_files(tmp_path: Path) -> None:
    with replaced_folder(tmp_path / "out") as out:
        _write(out, "first", name="old.html")
    (tmp_path / "out" / ".DS_Store").write_text("litter")
    with replaced_folder(tmp_path / "out") as out:
        _write(out, "second")
    assert _everything(tmp_path / "out") == {"report.html", "tables/a.csv", "provenance.json"}


def test_files_of_others_are_never_deleted(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with replaced_folder(folder) as out:
        _write(out, "first")
    (folder / "tables" / "my notes.txt").write_text("mine")
    with pytest.raises(FolderError, match=r"found tables/my notes\.txt"), replaced_folder(folder):
        pass
    assert (folder / "tables" / "my notes.txt").read_text() == "mine"
    assert (folder / "report.html").read_text() == "first"


def test_a_folder_with_a_foreign_file_and_a_file_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text("a")
    with pytest.raises(FolderError, match=r"found ratings\.csv"), replaced_folder(tmp_path):
        pass
    with pytest.raises(FolderError, match="found a file"), replaced_folder(tmp_path / "ratings.csv"):
        pass


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with replaced_folder(tmp_path / "out") as out:
        _write(out, "first")
    assert (tmp_path / "out" / "report.html").read_text() == "first"


def test_a_folder_that_cannot_be_moved_is_filled(tmp_path: Path) -> None:
    old, fresh = tmp_path / "old", tmp_path / "fresh"
    for folder, text, name in ((old, "first", "old.html"), (fresh, "second", "report.html")):
        folder.mkdir()
        _write(folder, text, name=name)
    _fill(fresh, old)
    assert _everything(old) == {"report.html", "tables/a.csv", "provenance.json"}
    assert (old / "tables" / "a.csv").read_text() == "second"


def test_two_inputs_of_one_name_keep_two_names() -> None:
    assert list(input_names([Path("a/x.csv"), Path("b/x.csv"), Path("y.csv")]).values()) == [
        "x.csv",
        "2-x.csv",
        "y.csv",
    ]


def test_the_command_speaks_of_the_reports_own_files() -> None:
    names = input_names([Path("/data/r.csv"), Path("scores.csv")])
    command = ["analyse", "/data/r.csv", "scores.csv", "-o", "/x/out", "--config=/etc/a.toml", "--seed", "7"]
    found = " ".join(rerun_command(command, names=names, has_copies=True, has_config=True))
    assert found == "analyse inputs/r.csv inputs/scores.csv -o again --config=analysis.toml --seed 7"
    without = " ".join(rerun_command(command, names=names, has_copies=False, has_config=False))
    assert without == "analyse r.csv scores.csv -o again --config=/etc/a.toml --seed 7"
