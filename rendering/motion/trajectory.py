"""A motion in memory: checked joint positions, their frame rate, and the hash that names them.

Lives here: the `Trajectory` value and the one function that makes it from an array. Must not know of files.
"""

import hashlib
import struct
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion.skeleton import JOINT_COUNT, JOINT_NAMES

MAX_FPS: Final = 240.0
MAX_FRAMES: Final = 36_000  # half an hour at 20 fps: more is a mistake, and would hold a render worker for hours
MAX_METRES: Final = 1_000.0

# Part of every hash: change it when the canonical form changes, never otherwise.
HASH_TAG: Final = b"touchstone-motion-v1"

__all__ = [
    "MAX_FPS",
    "MAX_FRAMES",
    "MAX_METRES",
    "MotionFormatError",
    "Trajectory",
    "check_finite",
    "check_fps",
    "check_shape",
    "check_values",
    "trajectory_from_array",
]


class MotionFormatError(ValueError):
    """A motion that cannot be used; the message names the file, what was expected and what was found."""


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Joint positions over time: (frames, 22, 3) float32 metres, Y up. Make one with `trajectory_from_array`."""

    joints: npt.NDArray[np.float32]
    fps: float

    @property
    def frames(self) -> int:
        return int(self.joints.shape[0])

    @property
    def seconds(self) -> float:
        return self.frames / self.fps

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the canonical form, so that one motion has one name however its file was written."""
        digest = hashlib.sha256(HASH_TAG)
        digest.update(struct.pack("<3qd", *self.joints.shape, self.fps))
        digest.update(np.ascontiguousarray(self.joints, dtype="<f4").tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trajectory):
            return NotImplemented
        return self.content_hash == other.content_hash

    def __hash__(self) -> int:
        return hash(self.content_hash)


def trajectory_from_array(joints: npt.ArrayLike, *, fps: float, name: str = "motion") -> Trajectory:
    """A checked trajectory that shares no memory with `joints`; `name` is what error messages call it."""
    check_fps(fps, name=name)
    array = np.asarray(joints)
    if array.dtype.kind != "f":
        raise MotionFormatError(f"{name}: expected floating-point metres, found {array.dtype}")
    check_shape(array.shape, name=name)
    check_values(array, name=name)
    # Adding zero turns -0.0 into 0.0: equal motions must have equal bytes, and so one hash.
    canonical = np.array(array, dtype=np.float32, order="C") + np.float32(0)
    canonical.setflags(write=False)
    return Trajectory(joints=canonical, fps=float(fps))


def check_fps(fps: float, *, name: str) -> None:
    """Raise unless `fps` is a usable frame rate (NaN is not)."""
    if not 0 < fps <= MAX_FPS:
        raise MotionFormatError(f"{name}: expected fps above 0 and at most {MAX_FPS:g}, found {fps:g}")


def check_shape(shape: tuple[int, ...], *, name: str) -> None:
    """Raise unless `shape` is (frames, 22, 3) with a usable number of frames."""
    if len(shape) != 3 or shape[1:] != (JOINT_COUNT, 3):
        raise MotionFormatError(f"{name}: expected (frames, {JOINT_COUNT}, 3), found {shape}{_shape_hint(shape)}")
    if shape[0] < 1:
        raise MotionFormatError(f"{name}: expected at least 1 frame, found {shape[0]}")
    if shape[0] > MAX_FRAMES:
        raise MotionFormatError(f"{name}: expected at most {MAX_FRAMES} frames, found {shape[0]}")


def _shape_hint(shape: tuple[int, ...]) -> str:
    """What the three shapes that people really bring are, and what to do about them."""
    if len(shape) == 2 and shape[1] == 263:
        return "; this looks like HumanML3D features: recover the joint positions first"
    if len(shape) == 3 and shape[:2] == (JOINT_COUNT, 3):
        return "; this looks like MDM's (joints, 3, frames): use array.transpose(2, 0, 1)"
    if len(shape) == 4 and shape[0] == 1 and shape[2:] == (JOINT_COUNT, 3):
        return "; this looks like a batch of one motion: use array[0]"
    return ""


def check_values(array: npt.NDArray[np.floating], *, name: str) -> None:
    """Raise unless every number is finite and within reach; the message names the frame, the joint and the axis."""
    check_finite(array, name=name)
    # Before the cast to float32, in which a larger number could overflow.
    far = np.abs(array) > MAX_METRES
    if far.any():
        where = np.argwhere(far)[0]
        found = float(array[tuple(where)])
        raise MotionFormatError(f"{name}: {_place(where)} is {found:g}, expected metres within {MAX_METRES:g}")


def check_finite(array: npt.NDArray[np.floating], *, name: str) -> None:
    """Raise unless every number is finite; the message names the frame, the joint and the axis."""
    finite = np.isfinite(array)
    if not finite.all():
        where = np.argwhere(~finite)[0]
        raise MotionFormatError(f"{name}: {_place(where)} is {float(array[tuple(where)])}, expected a finite number")


def _place(where: npt.NDArray[np.intp]) -> str:
    frame, joint, axis = (int(index) for index in where)
    return f"frame {frame}, joint {joint} ({JOINT_NAMES[joint]}), {'xyz'[axis]}"
