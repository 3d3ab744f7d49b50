"""`manage.py import_motions`: what it prints, how it ends, and what it keeps."""

import io
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Sample, Study, StudyState
from annotation.services.prompts import prompt_create
from config.audit.models import AuditEvent
from rendering.models import Clip
from tests.annotation.manifests import csv, folder_of, joints, npy, pickled
from tests.factories import StudyFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(files: Path) -> Study:
    prompt_create(code="walk", text="a person walks.", actor="user:ada")
    return StudyFactory(code="walks")


@pytest.fixture
def manifest(tmp_path: Path) -> Path:
    rows = csv("a.npy,walk,mdm", "mdm/b.npy,a person waves.,mdm")
    return folder_of(tmp_path / "in", rows, {"a.npy": npy(joints()), "mdm/b.npy": npy(joints(1))})


def run(*arguments: object) -> str:
    out = io.StringIO()
    call_command("import_motions", *map(str, arguments), stdout=out)
    return out.getvalue()


def test_it_imports_and_has_the_clips_drawn(study: Study, manifest: Path) -> None:
    said = run("walks", manifest)
    assert "Made: 2 samples (2 new motions, 1 new prompt, 1 new generator)" in said
    assert "2 clips of the study wait to be drawn." in said
    assert "new prompt a person waves." in said
    assert Sample.objects.count() == Clip.objects.count() == 2
    assert AuditEvent.objects.get(action="study.motions_imported").actor == "system"


def test_it_leaves_the_clips_when_told_to(study: Study, manifest: Path) -> None:
    assert "drawn" not in run("walks", manifest, "--no-clips")
    assert not Clip.objects.exists()


def test_a_dry_run_keeps_nothing_and_says_so(study: Study, manifest: Path) -> None:
    said = run("walks", manifest, "--dry-run")
    assert "Would be made: 2 samples" in said
    assert "Nothing was kept" in said
    assert not Sample.objects.exists()


def test_the_second_time_nothing_changes(study: Study, manifest: Path) -> None:
    run("walks", manifest)
    said = run("walks", manifest)
    assert "Made: 0 samples" in said
    assert "Unchanged: 2." in said


def test_files_may_lie_in_another_folder(study: Study, manifest: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere.csv"
    manifest.rename(moved)
    assert "Made: 2 samples" in run("walks", moved, "--folder", manifest.parent)


def test_problems_are_printed_a_line_each_and_the_command_fails(
    study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = csv("a.npy,walk,mdm", "b.npy,walk,mdm", "../c.npy,walk,mdm")
    manifest = folder_of(tmp_path, rows, {"a.npy": npy(joints()), "b.npy": pickled()})
    with pytest.raises(SystemExit) as ended:
        run("walks", manifest)
    assert ended.value.code == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith(f"{manifest}:3: file: expected ")
    assert lines[1].startswith(f"{manifest}:4: file: expected a path below the manifest's folder")
    assert lines[2] == "2 problems; nothing was kept."
    assert not Sample.objects.exists()


def test_what_is_not_there_is_named(study: Study, manifest: Path, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match=r"expected the code of a study \(walks\), found 'wakls'"):
        run("wakls", manifest)
    with pytest.raises(CommandError, match="No such file"):
        run("walks", tmp_path / "none.csv")
    with pytest.raises(CommandError, match="expected a folder"):
        run("walks", manifest, "--folder", tmp_path / "none")
    manifest.rename(manifest.with_suffix(".txt"))
    with pytest.raises(CommandError, match=r"ends in \.csv"):
        run("walks", manifest.with_suffix(".txt"))


def test_a_closed_study_is_refused(study: Study, manifest: Path) -> None:
    Study.objects.update(state=StudyState.CLOSED)
    with pytest.raises(CommandError, match="is closed"):
        run("walks", manifest)


def test_progress_is_shown_on_a_terminal_only(
    study: Study, manifest: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run("walks", manifest, "--dry-run")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    run("walks", manifest, "--dry-run")
    assert "1 of 2  a.npy" in capsys.readouterr().err
