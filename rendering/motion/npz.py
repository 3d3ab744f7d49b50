"""Arrays out of .npz archives: each entry is read like a .npy of its own, without trust and without unpickling."""

import math
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final, cast

import numpy as np
import numpy.typing as npt

from rendering.motion.npy import array_from_npy, open_regular
from rendering.motion.trajectory import MotionFormatError

# Half an hour of the widest format at 20 fps fits; an archive that unpacks to more is a mistake or a bomb.
MAX_VALUES: Final = 16_000_000
# The two that NumPy writes. Others could ask for a dictionary of gigabytes before the first byte is out.
_METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)

__all__ = ["MAX_VALUES", "Archive", "check_size", "open_npz"]


class Archive:
    """The entries of a .npz by name; nothing is unpacked before it is asked for."""

    def __init__(self, archive: zipfile.ZipFile, *, name: str) -> None:
        self._archive, self._name = archive, name
        self._entries = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(self._entries)

    def array(
        self, key: str, *, check: Callable[[tuple[int, ...]], None] | None = None, kinds: str = "f"
    ) -> npt.NDArray[np.generic]:
        """The entry's numbers; `check` refuses shapes before anything is unpacked."""
        info, shown = self._entries[key], f"{self._name}[{key}]"
        if info.compress_type not in _METHODS:
            raise MotionFormatError(f"{shown}: expected what np.savez or np.savez_compressed write, found another zip")
        try:
            with self._archive.open(info) as entry:
                return array_from_npy(
                    cast(BinaryIO, entry),
                    size=info.file_size,
                    name=shown,
                    check=check or (lambda shape: check_size(shape, name=shown)),
                    kinds=kinds,
                )
        except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
            raise _refusal(shown, error) from error

    def number(self, key: str) -> float:
        """A single number, whatever its shape."""
        array = self.array(key, check=lambda shape: self._check_single(key, shape), kinds="fiu")
        return float(array.reshape(())[()])

    def _check_single(self, key: str, shape: tuple[int, ...]) -> None:
        if math.prod(shape) != 1:
            raise MotionFormatError(f"{self._name}[{key}]: expected one number, found {shape}")


@contextmanager
def open_npz(path: Path, *, name: str) -> Iterator[Archive]:
    with open_regular(path, name=name) as (file, _):
        try:
            with zipfile.ZipFile(file) as archive:
                yield Archive(archive, name=name)
        except (zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
            raise _refusal(name, error) from error


def check_size(shape: tuple[int, ...], *, name: str) -> None:
    if math.prod(shape) > MAX_VALUES:
        raise MotionFormatError(f"{name}: expected at most {MAX_VALUES:,} numbers, found {shape}")


def _refusal(name: str, error: Exception) -> MotionFormatError:
    return error if isinstance(error, MotionFormatError) else MotionFormatError(f"{name}: unreadable .npz: {error}")
