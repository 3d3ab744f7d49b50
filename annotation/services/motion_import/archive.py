"""Motion files in a zip that somebody sent: looked through before anything is unpacked, then one file at a time.

No path of the archive is ever a path on this machine: a file is unpacked under a name of ours, read, and deleted.
"""

import stat
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import IO, Final

from annotation.services.motion_import.files import check_name
from annotation.services.motion_import.manifest import NAMES
from annotation.services.motion_import.refusing import FileRefused, UploadRefused, found_nothing_like
from config.bulk.problems import shown
from rendering.motion.reading import SUFFIXES

MAX_ENTRIES: Final = 20_000
MAX_BYTES: Final = 4 * 2**30  # of all files together, unpacked
MAX_FILE_BYTES: Final = 256 * 2**20  # ten minutes of the widest format take a tenth of that
# Motions pack to a half; a body that never moves to a hundredth. Deflate's own end is a thousandth.
MAX_RATIO: Final = 200
RATIO_COUNTS_FROM: Final = 2**20
_BLOCK: Final = 2**16

_ARCHIVES: Final = (".zip", ".tar", ".tgz", ".gz", ".bz2", ".xz", ".zst", ".7z", ".rar")
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENTRY: Final = b"PK\x01\x02"  # begins each line of an archive's table of contents
_BROKEN: Final = (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)
# What systems put into archives by themselves.
_LITTER: Final = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")


@dataclass(frozen=True)
class ManifestInside:
    name: str
    data: bytes


class ArchiveFiles:
    """The files of a zip by their paths in it. Making one raises `UploadRefused` when the zip is not to be trusted."""

    def __init__(self, file: IO[bytes]) -> None:
        self._size = _size(file)
        _check_table(file)
        try:
            self._zip = zipfile.ZipFile(file)
        except (*_BROKEN, OSError, ValueError, struct.error) as error:
            raise UploadRefused("files", f"Expected a zip of motion files; this is none: {error}.") from None
        self._entries = self._checked()
        self._base = self._only_folder()
        self._unpacked = 0

    def manifest(self) -> ManifestInside:
        """The manifest in the zip; from now on files are named from the folder that it stands in."""
        found = [name for name in self._entries if PurePosixPath(name).name.lower() in NAMES]
        if len(found) != 1:
            what = ", ".join(found) or "none"
            raise UploadRefused(
                "manifest", f"Expected a manifest, or one in the zip by the name {NAMES[0]}; found {what}."
            )
        self._base = found[0].rpartition("/")[0]
        content = BytesIO()
        try:
            self._unpack(self._entries[found[0]], content)
        except FileRefused as refusal:
            message = f"{found[0]}: expected {refusal.expected}, found {refusal.found}."
            raise UploadRefused("manifest", message) from None
        return ManifestInside(PurePosixPath(found[0]).name, content.getvalue())

    @contextmanager
    def opened(self, name: str) -> Iterator[Path]:
        check_name(name)
        info = self._entries.get(self._path(name)) or self._entries.get(name)
        if info is None:
            names = self._shown(self._motions(), [name])
            raise FileRefused(expected="a file that is in the zip", found=found_nothing_like(name, names))
        with tempfile.TemporaryDirectory(prefix="touchstone-unpacked-") as folder:
            path = Path(folder) / f"motion{PurePosixPath(name).suffix.lower()}"
            with path.open("wb") as target:
                self._unpack(info, target)
            yield path

    def unnamed(self, named: Collection[str]) -> Sequence[str]:
        paths = {self._path(name) for name in named} | set(named)
        return self._shown([path for path in self._motions() if path not in paths], named)

    # --- Names --------------------------------------------------------------------------------------------------------

    def _only_folder(self) -> str:
        """Who packs a folder gets a zip with that folder in it, and names files from inside."""
        tops = {name.partition("/")[0] if "/" in name else "" for name in self._entries}
        return tops.pop() if len(tops) == 1 else ""

    def _path(self, name: str) -> str:
        return f"{self._base}/{name}" if self._base else name

    def _shown(self, paths: Sequence[str], named: Collection[str]) -> list[str]:
        """As the manifest would name them: from inside the folder, or with it."""
        inside = f"{self._base}/"
        if any(name.startswith(inside) for name in named):
            return list(paths)
        return [path.removeprefix(inside) for path in paths]

    def _motions(self) -> list[str]:
        return [path for path in self._entries if PurePosixPath(path).suffix.lower() in SUFFIXES]

    # --- Trust --------------------------------------------------------------------------------------------------------

    def _checked(self) -> dict[str, zipfile.ZipInfo]:
        infos = [info for info in self._zip.infolist() if not info.is_dir() and not _is_litter(info.filename)]
        if len(infos) > MAX_ENTRIES:
            raise _refused(f"at most {MAX_ENTRIES:,} files; found {len(infos):,}. Send them in parts")
        entries: dict[str, zipfile.ZipInfo] = {}
        for info in infos:
            _check_entry(info)
            if info.filename in entries:
                raise _refused(f"each file once; found {shown(info.filename)} twice")
            entries[info.filename] = info
        total = sum(info.file_size for info in infos)
        if total > MAX_BYTES:
            raise _refused(f"at most {MAX_BYTES:,} bytes unpacked; found {total:,}. Send them in parts")
        if total > max(RATIO_COUNTS_FROM, MAX_RATIO * self._size):  # files that share their packed bytes
            raise _refused(_swelling(total, self._size))
        return entries

    def _unpack(self, info: zipfile.ZipInfo, target: IO[bytes]) -> None:
        """What the table of contents says of sizes was checked, and may be a lie: here the bytes are counted."""
        written = 0
        try:
            with self._zip.open(info) as source:
                while block := source.read(_BLOCK):
                    written += len(block)
                    self._unpacked += len(block)
                    _check_sizes(written, info.compress_size)
                    if self._unpacked > MAX_BYTES:
                        raise _refused(f"at most {MAX_BYTES:,} bytes unpacked; found more. Send them in parts")
                    target.write(block)
        except _BROKEN as error:
            raise FileRefused(expected="a whole file in the zip", found=f"{shown(info.filename)}: {error}") from None


def _size(file: IO[bytes]) -> int:
    size = file.seek(0, 2)
    file.seek(0)
    return size


def _check_table(file: IO[bytes]) -> None:
    """`ZipFile` reads the whole table of contents into memory, so its length is looked at before.

    Counted are marks in the bytes, of which archives in the archive (.npz) have some of their own; hence the room.
    """
    most, found, tail = 10 * MAX_ENTRIES, 0, b""
    while block := file.read(2**20):
        found += (tail + block).count(_ENTRY)
        tail = block[-len(_ENTRY) + 1 :]
        if found > most:
            raise _refused(f"at most {MAX_ENTRIES:,} files; found far more. Send them in parts")
    file.seek(0)


def _check_entry(info: zipfile.ZipInfo) -> None:
    name = info.filename
    if name.startswith("/") or "\\" in name or {"..", ".", ""} & set(name.split("/")) or _has_drive(name):
        raise _refused(f"paths that stay in the zip, with / between names; found {shown(name)}")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise _refused(f"files; found {shown(name)}, a symbolic link. Pack the file that it leads to")
    if info.flag_bits & 0x1:
        raise _refused(f"a zip without a password; found {shown(name)}, encrypted. Pack it without one")
    if PurePosixPath(name).suffix.lower() in _ARCHIVES:
        raise _refused(f"motion files; found {shown(name)}, an archive in the archive. Unpack it, and pack its files")
    if info.compress_type not in _METHODS:
        raise _refused(f"files stored or deflated; found {shown(name)}, packed another way")
    if PurePosixPath(name).suffix.lower() in SUFFIXES:
        try:
            _check_sizes(info.file_size, info.compress_size)
        except FileRefused as refusal:
            raise _refused(f"{refusal.expected}; found {shown(name)}, {refusal.found}") from None


def _check_sizes(unpacked: int, packed: int) -> None:
    if unpacked > MAX_FILE_BYTES:
        raise FileRefused(expected=f"at most {MAX_FILE_BYTES:,} bytes a file", found=f"{unpacked:,} or more")
    if unpacked > max(RATIO_COUNTS_FROM, MAX_RATIO * packed):
        raise FileRefused(
            expected=f"a file that unpacks to at most {MAX_RATIO} times its size",
            found=f"{packed:,} bytes for {unpacked:,}",
        )


def _swelling(unpacked: int, packed: int) -> str:
    return f"files that unpack to at most {MAX_RATIO} times their size; found {packed:,} bytes for {unpacked:,}"


def _has_drive(name: str) -> bool:
    return len(name) > 1 and name[1] == ":" and name[0].isalpha()


def _is_litter(name: str) -> bool:
    return name.startswith(_LITTER[0]) or PurePosixPath(name).name in _LITTER[1:]


def _refused(expected: str) -> UploadRefused:
    return UploadRefused("files", f"The zip was not opened. Expected {expected}.")
