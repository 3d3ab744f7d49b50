"""Where a manifest's files are: a folder, or (in `archive`) a zip. Nothing outside of it can be named."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path, PurePosixPath
from typing import Protocol

from annotation.services.motion_import.refusing import FileRefused, found_nothing_like
from config.bulk.problems import shown
from rendering.motion.reading import SUFFIXES


class MotionFiles(Protocol):
    def opened(self, name: str) -> AbstractContextManager[Path]:
        """The file of that name on this machine's disk for as long as it is read; `FileRefused` if there is none."""
        ...

    def unnamed(self, named: Collection[str]) -> Sequence[str]:
        """The motions that were sent although no row names them."""
        ...


def check_name(name: str) -> None:
    """A path from the manifest's folder downwards, to a file that can be a motion."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name:
        raise FileRefused(expected="a path below the manifest's folder, with / between names", found=shown(name))
    if path.suffix.lower() not in SUFFIXES:
        raise FileRefused(expected=f"a file in {', '.join(SUFFIXES)}", found=shown(name))


class FolderFiles:
    """Files on this machine, below one folder; a symbolic link that leads out of it is not followed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    @contextmanager
    def opened(self, name: str) -> Iterator[Path]:
        check_name(name)
        path = (self._folder / name).resolve()
        if not path.is_relative_to(self._folder):
            raise FileRefused(expected="a file in the manifest's folder", found=f"{shown(name)}, a link out of it")
        if not path.is_file():
            raise FileRefused(expected="a file that is there", found=self._nothing(name))
        yield path

    def unnamed(self, named: Collection[str]) -> Sequence[str]:
        """A folder may hold the motions of other studies as well."""
        return ()

    def _nothing(self, name: str) -> str:
        parent = (self._folder / name).parent
        near = [path.relative_to(self._folder).as_posix() for path in parent.iterdir()] if parent.is_dir() else []
        return found_nothing_like(name, near)
