"""Motions as .npy files: read without trusting them, written in one canonical form.

Nothing is loaded before the header and the size of the file agree, and nothing is ever unpickled.
"""

import io
import math
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

import numpy as np
import numpy.typing as npt

from rendering.motion.trajectory import MotionFormatError, Trajectory, check_fps, check_shape, trajectory_from_array

# Length of magic, version and header length by major version, and the width of the last.
_PREFIX: Final = {1: (10, 2), 2: (12, 4)}
_MAX_HEADER: Final = 10_000  # numpy's own limit; a real header takes 128 bytes

# MDM's results hold (motions, joints, 3, frames), padded: each motion has its own length.
MDM_CONVERSION: Final = (
    "import numpy as np; r = np.load('results.npy', allow_pickle=True).item(); "
    "[np.save(f'motion_{i:04}.npy', m.transpose(2, 0, 1)[:n].astype('float32')) "
    "for i, (m, n) in enumerate(zip(r['motion'], r['lengths']))]"
)

__all__ = ["MDM_CONVERSION", "PickledError", "array_from_npy", "open_regular", "read_npy", "write_npy"]


class PickledError(MotionFormatError):
    """An array of Python objects, which only running a pickle would bring back."""


@dataclass(frozen=True)
class _Header:
    shape: tuple[int, ...]
    fortran_order: bool
    dtype: np.dtype[np.generic]
    length: int  # bytes before the data


def read_npy(source: str | os.PathLike[str] | bytes, *, fps: float, name: str | None = None) -> Trajectory:
    """The motion in a .npy file or in its bytes; `name` is what error messages call it (default: the file's name)."""
    if isinstance(source, bytes):
        shown = name or "motion.npy"
        check_fps(fps, name=shown)
        return _read(io.BytesIO(source), size=len(source), fps=fps, name=shown)
    path = Path(source)
    shown = name or path.name
    check_fps(fps, name=shown)
    with open_regular(path, name=shown) as (file, size):
        return _read(file, size=size, fps=fps, name=shown)


@contextmanager
def open_regular(path: Path, *, name: str) -> Iterator[tuple[BinaryIO, int]]:
    """A regular file and its size; whatever the system says against it becomes a `MotionFormatError`."""
    try:
        # A pipe would hold us until somebody writes to it; as it is, its kind is seen first.
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise MotionFormatError(f"{name}: expected a file, found something else")
            yield file, status.st_size
    except OSError as error:
        reason = error.strerror or str(error)
        raise MotionFormatError(f"{name}: cannot be read: {reason} ({path})") from error


def array_from_npy(
    file: BinaryIO, *, size: int, name: str, check: Callable[[tuple[int, ...]], None], kinds: str = "f"
) -> npt.NDArray[np.generic]:
    """The numbers in a .npy of `size` bytes; `check` refuses shapes before any value is read, `kinds` what they are."""
    header = _read_header(file, size=size, name=name)
    _check_dtype(header.dtype, kinds=kinds, name=name)
    if math.prod(header.shape) == 0:
        raise MotionFormatError(f"{name}: expected at least 1 frame, found an empty array {header.shape}")
    check(header.shape)
    expected = header.length + math.prod(header.shape) * header.dtype.itemsize
    if size != expected:
        what = "truncated" if size < expected else "followed by something else"
        raise MotionFormatError(f"{name}: {what}: expected {expected} bytes for {header.shape}, found {size}")
    return _read_values(file, header, name=name)


def write_npy(trajectory: Trajectory) -> bytes:
    """The canonical .npy bytes of a motion: version 1.0, little-endian float32, C order."""
    buffer = io.BytesIO()
    array = np.ascontiguousarray(trajectory.joints, dtype="<f4")
    np.lib.format.write_array(buffer, array, version=(1, 0), allow_pickle=False)
    return buffer.getvalue()


def _read(file: BinaryIO, *, size: int, fps: float, name: str) -> Trajectory:
    array = array_from_npy(file, size=size, name=name, check=lambda shape: check_shape(shape, name=name))
    return trajectory_from_array(array, fps=fps, name=name)


def _read_values(file: BinaryIO, header: _Header, *, name: str) -> npt.NDArray[np.generic]:
    count = math.prod(header.shape) * header.dtype.itemsize
    data = file.read(count)
    if len(data) != count:  # the file shrank while it was read
        raise MotionFormatError(f"{name}: truncated: expected {count} bytes of values, found {len(data)}")
    return np.frombuffer(data, dtype=header.dtype).reshape(header.shape, order="F" if header.fortran_order else "C")


def _read_header(file: BinaryIO, *, size: int, name: str) -> _Header:
    start = file.read(12)
    if start[:6] != np.lib.format.MAGIC_PREFIX:
        raise MotionFormatError(f"{name}: not a .npy file{_what_it_is(start)}")
    prefix, width = _PREFIX.get(start[6] if len(start) > 6 else 0, (0, 0))
    if not prefix:
        raise MotionFormatError(f"{name}: expected .npy format 1.0 or 2.0, found {tuple(start[6:8])}")
    length = prefix + int.from_bytes(start[prefix - width : prefix], "little")
    # Checked here because numpy would allocate whatever length the file claims before it reads.
    if len(start) < prefix or length > min(size, prefix + _MAX_HEADER):
        raise MotionFormatError(f"{name}: truncated: expected a header of {length} bytes, found a file of {size}")
    file.seek(0)
    return _parse_header(file.read(length), name=name)


def _parse_header(data: bytes, *, name: str) -> _Header:
    buffer = io.BytesIO(data)
    np.lib.format.read_magic(buffer)
    read = np.lib.format.read_array_header_1_0 if data[6] == 1 else np.lib.format.read_array_header_2_0
    try:
        shape, fortran_order, dtype = read(buffer)
    except Exception as error:  # numpy lets whatever its literal parser raises through
        raise MotionFormatError(f"{name}: unreadable .npy header: {_first_line(error)}") from error
    if any(length < 0 for length in shape):
        raise MotionFormatError(f"{name}: unreadable .npy header: negative length in {shape}")
    return _Header(shape=shape, fortran_order=fortran_order, dtype=dtype, length=len(data))


def _check_dtype(dtype: np.dtype[np.generic], *, kinds: str, name: str) -> None:
    if dtype.hasobject:
        raise PickledError(
            f"{name}: pickled Python objects are not read, for they could run code. If it is the results.npy of MDM, "
            f"convert it where you trust it, to one file a motion: {MDM_CONVERSION}"
        )
    if dtype.kind not in kinds:
        expected = {"f": "floating-point metres", "iu": "whole numbers"}.get(kinds, "numbers")
        raise MotionFormatError(f"{name}: expected {expected}, found {dtype}")


def _what_it_is(start: bytes) -> str:
    if start[:2] == b"PK":
        return (
            ": this is a .npz or zip archive: name it .npz, or take one array out with np.load(...)[key] and np.save it"
        )
    if start[:1] == b"\x80":
        return ": this is a Python pickle: load it where you trust it and np.save the float32 array"
    return " (it is empty)" if not start else ""


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
