"""The folder OUT: written beside its place and moved there whole, so that a run that fails leaves no half of it."""

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROVENANCE = "provenance.json"
# What file managers leave behind is nobody's work.
_LITTER = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})


class FolderError(ValueError):
    """A folder that we must not write to."""


@contextmanager
def replaced_folder(folder: Path) -> Iterator[Path]:
    """A fresh folder to write to, which becomes `folder` when all went well; else `folder` stays as it was."""
    folder = folder.resolve()
    refuse_what_is_not_ours(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        fresh = scratch / "new"
        fresh.mkdir()  # not the scratch folder itself, which only its owner may read
        yield fresh
        refuse_what_is_not_ours(folder)  # somebody may have put a file there meanwhile
        _swap(fresh, folder, scratch / "old")
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def refuse_what_is_not_ours(folder: Path) -> None:
    """Raises for a folder with a file that no report wrote: replacing the folder would delete it."""
    if not folder.exists():
        return
    if not folder.is_dir():
        raise FolderError(f"{folder}: expected a folder, found a file")
    ours = _written_before(folder)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if not path.is_dir() and name not in ours and path.name not in _LITTER:
            raise FolderError(f"{folder}: expected an empty folder or an earlier report, found {name}")


def _written_before(folder: Path) -> set[str]:
    """The files that the provenance of an earlier report lists as its own."""
    try:
        listed = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {*listed, PROVENANCE} if isinstance(listed, dict) else set()


def _swap(fresh: Path, folder: Path, old: Path) -> None:
    if not folder.exists():
        fresh.rename(folder)
        return
    try:
        folder.rename(old)
    except OSError:  # a mount point, say a volume of a container: it cannot be moved, only filled
        _fill(fresh, folder)
        return
    try:
        fresh.rename(folder)
    except OSError:
        old.rename(folder)
        raise


def _fill(fresh: Path, folder: Path) -> None:
    stale = _written_before(folder)
    # The list of what is ours goes last: until it is there, the old one still names every old file.
    files = sorted((path for path in fresh.rglob("*") if path.is_file()), key=lambda path: path.name == PROVENANCE)
    for path in files:
        target = folder / path.relative_to(fresh)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, target) if path.stat().st_dev == target.parent.stat().st_dev else shutil.copyfile(path, target)
        stale.discard(path.relative_to(fresh).as_posix())
    for name in stale:
        (folder / name).unlink(missing_ok=True)
