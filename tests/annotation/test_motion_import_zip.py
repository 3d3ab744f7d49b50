"""Motions in a zip that somebody sent: looked at before it is opened, and counted while it is."""

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.models import Prompt, Sample, Study
from annotation.services.motion_import import archive, arriving
from annotation.services.motion_import.arriving import motions_arrived
from annotation.services.motion_import.importing import MotionImport, motions_import
from annotation.services.motion_import.refusing import UploadRefused
from annotation.services.prompts import prompt_create
from tests.annotation.manifests import bvh, csv, joints, npy, npz, zip_of
from tests.factories import StudyFactory

pytestmark = pytest.mark.django_db

ROW = csv("a.npy,walk,mdm")
A = npy(joints())


@pytest.fixture
def study(files: Path) -> Study:
    prompt_create(code="walk", text="a person walks.", actor="user:ada")
    return StudyFactory(code="walks")


def send(study: Study, content: bytes, manifest: str | None = ROW, name: str = "m.csv") -> MotionImport:
    table = None if manifest is None else SimpleUploadedFile(name, manifest.encode())
    with motions_arrived(manifest=table, files=SimpleUploadedFile("motions.zip", content)) as (upload, files):
        return motions_import(study=study, manifest=upload, files=files, actor="user:ada", plan_clips=False)


def refusal(study: Study, content: bytes, manifest: str | None = ROW, **options: Any) -> str:
    with pytest.raises(UploadRefused) as refused:
        send(study, content, manifest, **options)
    assert not Sample.objects.exists()
    return str(refused.value)


# --- What is taken ----------------------------------------------------------------------------------------------------


def test_a_manifest_and_a_zip_make_samples(study: Study) -> None:
    rows = csv("mdm/a.npy,walk,mdm", "b.bvh,walk,reference", "c.npz,walk,t2m")
    result = send(study, zip_of({"mdm/a.npy": A, "b.bvh": bvh(), "c.npz": npz(joints=joints(1))}), rows)
    assert (result.problems, result.counts.created) == ((), 3)


@pytest.mark.parametrize("folder", ["", "study/", "deep/study/"])
@pytest.mark.parametrize("name", ["manifest.csv", "Manifest.CSV"])
def test_a_zip_may_hold_its_manifest_and_files_are_named_from_there(study: Study, folder: str, name: str) -> None:
    result = send(study, zip_of({f"{folder}{name}": ROW, f"{folder}a.npy": A}), None)
    assert (result.problems, result.counts.created) == ((), 1)


def test_a_manifest_of_json_lines_in_the_zip_is_found(study: Study) -> None:
    row = '{"file": "a.npy", "prompt": "walk", "generator": "mdm"}\n'
    assert send(study, zip_of({"manifest.jsonl": row, "a.npy": A}), None).counts.created == 1


@pytest.mark.parametrize("path", ["a.npy", "study/a.npy"])
def test_who_packs_a_folder_may_name_files_from_inside_or_outside(study: Study, path: str) -> None:
    assert send(study, zip_of({"study/a.npy": A}), csv(f"{path},walk,mdm")).counts.created == 1


def test_files_that_no_line_names_are_a_note_and_litter_is_not(study: Study) -> None:
    litter = dict.fromkeys(("__MACOSX/._a.npy", ".DS_Store", "README.txt"), b"x")
    others = {f"{number}.npy": A for number in range(7)}
    result = send(study, zip_of({"a.npy": A, **litter, **others}))
    assert result.counts.created == 1
    assert result.notes == ["Left out, because no line names them: 0.npy, 1.npy, 2.npy, 3.npy, 4.npy and 2 more."]


def test_a_file_that_is_not_in_the_zip_is_looked_for_under_near_names(study: Study) -> None:
    result = send(study, zip_of({"study/walk_01.npy": A}), csv("walk_1.npy,walk,mdm"))
    assert [(problem.line, problem.field) for problem in result.problems] == [(2, "file")]
    assert result.problems[0].found == "'walk_1.npy'; close to it: walk_01.npy"


def test_a_line_cannot_name_what_is_outside_of_the_zip(study: Study) -> None:
    result = send(study, zip_of({"a.npy": A}), csv("../a.npy,walk,mdm", "/a.npy,walk,mdm"))
    assert [problem.line for problem in result.problems] == [2, 3]


def test_nothing_that_was_unpacked_stays(study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "aside"))
    (tmp_path / "aside").mkdir()
    send(study, zip_of({"a.npy": A}))
    send(study, zip_of({"a.npy": b"no motion"}))
    assert list((tmp_path / "aside").iterdir()) == []


# --- What is refused --------------------------------------------------------------------------------------------------


def named(name: str, **settings: Any) -> bytes:
    """A zip with a file of that name, which `writestr` alone would not write so."""
    info = zipfile.ZipInfo(name)
    for setting, value in settings.items():
        setattr(info, setting, value)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as writing:
        writing.writestr(info, A)
    return buffer.getvalue()


def encrypted() -> bytes:
    """The flag alone: that is all that anyone sees of a password from outside."""
    content = bytearray(zip_of({"a.npy": A}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + place] |= 1
    return bytes(content)


def twice() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as writing:
        writing.writestr("a.npy", A)
        with pytest.warns(UserWarning, match="Duplicate"):
            writing.writestr("a.npy", A)
    return buffer.getvalue()


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "upwards": (lambda: named("../a.npy"), "paths that stay in the zip"),
    "absolute": (lambda: named("/tmp/a.npy"), "paths that stay in the zip"),
    "a drive": (lambda: named("C:/a.npy"), "paths that stay in the zip"),
    "backslashes": (lambda: named("mdm\\a.npy"), "with / between names"),
    "a symbolic link": (lambda: named("a.npy", external_attr=0o120777 << 16), "a symbolic link"),
    "an archive in it": (lambda: zip_of({"more.zip": zip_of({"a.npy": A})}), "an archive in the archive"),
    "a tar in it": (lambda: zip_of({"more.tar.gz": b"x"}), "an archive in the archive"),
    "a password": (encrypted, "Pack it without one"),
    "a file twice": (twice, "each file once"),
    "another packing": (lambda: zip_of({"a.npy": A}, method=zipfile.ZIP_LZMA), "stored or deflated"),
    "no zip": (lambda: b"file,prompt\n", "this is none"),
    "nothing": (lambda: b"", "this is none"),
    "half a zip": (lambda: zip_of({"a.npy": A})[:-40], "this is none"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_zip_that_is_not_to_be_trusted_is_not_opened(study: Study, case: str) -> None:
    content, said = REFUSED[case]
    assert said in refusal(study, content())


@pytest.mark.parametrize(
    ("entries", "found"),
    [({"a.npy": A}, "found none"), ({"x/manifest.csv": ROW, "manifest.jsonl": ""}, "x/manifest.csv")],
)
def test_without_a_manifest_the_zip_must_hold_exactly_one(study: Study, entries: dict[str, bytes], found: str) -> None:
    assert found in refusal(study, zip_of(entries), None)


def test_a_manifest_of_another_kind_is_refused(study: Study) -> None:
    assert ".csv, .jsonl, .ndjson" in refusal(study, zip_of({"a.npy": A}), name="m.xlsx")


def test_a_form_without_a_zip_says_what_it_expected() -> None:
    with pytest.raises(UploadRefused, match="found no file"), motions_arrived(manifest=None, files=None):
        pass


# --- Bombs ------------------------------------------------------------------------------------------------------------

ZEROS = b"\0" * 3_000_000  # deflate makes 3 kB of it


def test_a_file_that_swells_is_refused_before_it_is_unpacked(study: Study) -> None:
    assert "at most 200 times" in refusal(study, zip_of({"a.npy": ZEROS}))


def test_a_body_that_hardly_moves_is_no_bomb(study: Study) -> None:
    still = npy(joints(frames=1).repeat(200, axis=0))
    assert send(study, zip_of({"a.npy": still})).counts.created == 1


def lying(content: bytes, unpacked: int) -> bytes:
    """The same zip, whose table of contents says another size of its first file."""
    forged = bytearray(content)
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<L", forged, forged.index(mark) + place, unpacked)
    return bytes(forged)


@pytest.mark.parametrize("unpacked", [100, len(A) - 1])
def test_a_file_that_is_longer_than_it_says_is_cut_and_refused(study: Study, unpacked: int) -> None:
    result = send(study, lying(zip_of({"a.npy": A}), unpacked))
    assert [(problem.line, problem.field) for problem in result.problems] == [(2, "file")]
    assert "a whole file in the zip" in result.problems[0].expected


def test_bytes_are_counted_while_they_are_unpacked(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_check_entry", lambda info: None)
    result = send(study, zip_of({"a.npy": ZEROS, "random.npz": npz(joints=joints(frames=90))}))
    assert [(problem.line, problem.field) for problem in result.problems] == [(2, "file")]
    assert "at most 200 times" in result.problems[0].expected


def test_all_files_together_have_a_limit_by_what_they_say(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_BYTES", 2 * len(A) - 1)
    assert "Send them in parts" in refusal(study, zip_of({"a.npy": A, "b.npy": npy(joints(1))}))


def test_all_files_together_have_a_limit_by_what_they_are(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    content = zip_of({"a.npy": A, "b.npy": npy(joints(1))})
    rows = csv("a.npy,walk,mdm", "b.npy,walk,mdm")
    table, archived = SimpleUploadedFile("m.csv", rows.encode()), SimpleUploadedFile("m.zip", content)
    with motions_arrived(manifest=table, files=archived) as (upload, files):
        monkeypatch.setattr(archive, "MAX_BYTES", 2 * len(A) - 1)
        with pytest.raises(UploadRefused, match="found more"):
            motions_import(study=study, manifest=upload, files=files, actor="user:ada")
    assert not Sample.objects.exists()


def test_one_file_has_a_limit(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_FILE_BYTES", len(A) - 1)
    assert "bytes a file" in refusal(study, zip_of({"a.npy": A}))


def test_files_that_share_their_packed_bytes_are_refused(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "RATIO_COUNTS_FROM", 1)
    monkeypatch.setattr(archive, "_check_entry", lambda info: None)
    assert "200 times their size" in refusal(study, lying(zip_of({"a.npy": A}), 10_000_000))


def test_too_many_files_are_refused(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ENTRIES", 3)
    assert "at most 3 files; found 4" in refusal(study, zip_of({f"{number}.npy": b"" for number in range(4)}))


def test_a_table_of_contents_without_end_is_not_even_read(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MAX_ENTRIES", 3)
    monkeypatch.setattr(zipfile, "ZipFile", None)
    assert "found far more" in refusal(study, b"PK\x01\x02" * 31)


def test_a_zip_and_a_manifest_have_a_size(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arriving, "MAX_ZIP_BYTES", 10)
    assert "at most 10 bytes" in refusal(study, zip_of({"a.npy": A}))
    monkeypatch.setattr(arriving, "MAX_ZIP_BYTES", 10**9)
    monkeypatch.setattr(arriving, "MAX_MANIFEST_BYTES", 10)
    assert "at most 10 bytes" in refusal(study, zip_of({"a.npy": A}))
    assert Prompt.objects.count() == 1
