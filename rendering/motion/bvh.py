"""BVH files: the hierarchy, the channels in whatever order they stand, and where the joints are in every frame."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion.npy import open_regular
from rendering.motion.npz import check_size
from rendering.motion.rotations import about_axis
from rendering.motion.trajectory import MotionFormatError

MAX_BYTES: Final = 256 * 2**20
MAX_JOINTS: Final = 1000
_AXES: Final = {"x": 0, "y": 1, "z": 2}
_KINDS: Final = ("position", "rotation")

Array = npt.NDArray[np.float64]

__all__ = ["BvhMotion", "read_bvh"]


@dataclass(frozen=True)
class BvhMotion:
    """Joint positions by the file's own names, in the file's own units and axes."""

    positions: dict[str, Array]
    fps: float


@dataclass
class _Joint:
    name: str
    parent: int
    offset: Array = field(default_factory=lambda: np.zeros(3))
    channels: tuple[tuple[str, int], ...] = ()  # (kind, axis)
    first: int = 0  # the column of its first channel


def read_bvh(path: Path, *, name: str) -> BvhMotion:
    with open_regular(path, name=name) as (file, size):
        if size > MAX_BYTES:
            raise MotionFormatError(f"{name}: expected at most {MAX_BYTES:,} bytes, found {size:,}")
        data = file.read()
    text = data.decode("latin-1")  # every byte is a letter then; only names could differ
    hierarchy, found, motion = text.partition("MOTION")
    if not found:
        raise MotionFormatError(f"{name}: expected HIERARCHY and MOTION, found no MOTION")
    joints = _Hierarchy(hierarchy, name=name).joints
    values, seconds = _frames(motion, columns=sum(len(joint.channels) for joint in joints), name=name)
    positions = _forward(joints, values)
    return BvhMotion({joint.name: positions[index] for index, joint in enumerate(joints)}, _rate(seconds))


class _Hierarchy:
    """The joints in the order of the file, which is that of the channels; every parent stands before its children."""

    def __init__(self, text: str, *, name: str) -> None:
        self._words = iter(text.split())
        self._name = name
        self.joints: list[_Joint] = []
        self._parse()

    def _parse(self) -> None:
        self._expect("HIERARCHY")
        open_joints: list[int | None] = []  # None: an end site, which has no channels and no children
        columns = 0
        for word in self._words:
            keyword = word.upper()
            if keyword in ("ROOT", "JOINT"):
                self._begin(keyword, open_joints)
            elif keyword == "END":
                self._next("Site")
                self._expect("{")
                open_joints.append(None)
            elif keyword == "OFFSET":
                offset = np.array([self._number() for _ in range(3)])
                if self._joint(open_joints) is not None:
                    self.joints[-1].offset = offset
            elif keyword == "CHANNELS":
                columns = self._channels(open_joints, columns)
            elif keyword == "}" and open_joints:
                open_joints.pop()
            else:
                raise self._wrong("JOINT, End Site, OFFSET, CHANNELS or }", word)
        if open_joints or not self.joints:
            raise self._wrong("every { closed, and at least one joint", f"{len(self.joints)} joints")

    def _begin(self, keyword: str, open_joints: list[int | None]) -> None:
        if (keyword == "ROOT") != (not self.joints) or (open_joints and open_joints[-1] is None):
            raise self._wrong("one ROOT with all joints in it", keyword)
        if keyword == "JOINT" and not open_joints:
            raise self._wrong("every JOINT inside the ROOT", keyword)
        joint = _Joint(self._next("a joint's name"), parent=-1 if not open_joints else open_joints[-1] or 0)
        if len(self.joints) >= MAX_JOINTS or any(joint.name == other.name for other in self.joints):
            raise self._wrong(f"at most {MAX_JOINTS} joints, each name once", joint.name)
        self._expect("{")
        self.joints.append(joint)
        open_joints.append(len(self.joints) - 1)

    def _channels(self, open_joints: list[int | None], columns: int) -> int:
        place = self._joint(open_joints)
        if place is None:
            raise self._wrong("CHANNELS inside a joint", "CHANNELS")
        count = self._number()
        if count not in range(7):
            raise self._wrong("0 to 6 channels", f"{count:g}")
        joint = self.joints[place]
        joint.first = columns
        joint.channels = tuple(self._channel() for _ in range(int(count)))
        return columns + len(joint.channels)

    def _channel(self) -> tuple[str, int]:
        word = self._next("a channel")
        kind, axis = word[1:].lower(), _AXES.get(word[:1].lower())
        if kind not in _KINDS or axis is None:
            raise self._wrong("a channel such as Xposition or Zrotation", word)
        return kind, axis

    def _joint(self, open_joints: list[int | None]) -> int | None:
        if not open_joints:
            raise self._wrong("ROOT first", "OFFSET or CHANNELS")
        return open_joints[-1]

    def _number(self) -> float:
        word = self._next("a number")
        try:
            number = float(word)
        except ValueError:
            raise self._wrong("a number", word) from None
        if not np.isfinite(number):
            raise self._wrong("a finite number", word)
        return number

    def _expect(self, wanted: str) -> None:
        word = self._next(wanted)
        if word.upper() != wanted:
            raise self._wrong(wanted, word)

    def _next(self, wanted: str) -> str:
        word = next(self._words, None)
        if word is None:
            raise self._wrong(wanted, "the end of HIERARCHY")
        return word

    def _wrong(self, expected: str, found: str) -> MotionFormatError:
        return MotionFormatError(f"{self._name}: HIERARCHY: expected {expected}, found {found[:80]!r}")


def _frames(text: str, *, columns: int, name: str) -> tuple[Array, float]:
    """The channel values (frames, columns) and the seconds of a frame."""
    words = text.split(maxsplit=5)
    if len(words) < 5 or [word.lower() for word in (words[0], *words[2:4])] != ["frames:", "frame", "time:"]:
        raise MotionFormatError(f"{name}: MOTION: expected 'Frames:' and 'Frame Time:', found {' '.join(words[:4])!r}")
    try:
        count, seconds = int(words[1]), float(words[4])
        check_size((max(count, 0), columns), name=name)
        values = np.array(words[5].split() if len(words) > 5 else [], dtype=np.float64)
    except ValueError as error:
        if isinstance(error, MotionFormatError):
            raise
        raise MotionFormatError(f"{name}: MOTION: expected numbers: {error}") from error
    if not 0 < seconds < 10:
        raise MotionFormatError(f"{name}: MOTION: expected a Frame Time in seconds, found {words[4]!r}")
    if count < 1 or values.size != count * columns:
        expected = f"{count} frames of {columns} channels, {count * columns} numbers"
        raise MotionFormatError(f"{name}: MOTION: expected {expected}, found {values.size}")
    if not np.isfinite(values).all():
        raise MotionFormatError(f"{name}: MOTION: expected finite numbers, found nan or inf")
    return values.reshape(count, columns), seconds


def _rate(seconds: float) -> float:
    """Frame times are written with few digits; a rate within 0.05 % of a whole number is that number."""
    fps = 1 / seconds
    return float(round(fps)) if abs(fps - round(fps)) < 0.0005 * fps else fps


def _forward(joints: list[_Joint], values: Array) -> list[Array]:
    """Where each joint is. Rotations multiply in the order of their channels; position channels replace OFFSET."""
    positions: list[Array] = []
    rotations: list[Array] = []
    for joint in joints:
        local = np.repeat(joint.offset[None], len(values), axis=0)
        rotation = np.repeat(np.eye(3)[None], len(values), axis=0)
        for column, (kind, axis) in enumerate(joint.channels, start=joint.first):
            if kind == "position":
                local[:, axis] = values[:, column]
            else:
                rotation = rotation @ about_axis(axis, np.radians(values[:, column]))
        if joint.parent >= 0:
            above = rotations[joint.parent]
            local = positions[joint.parent] + np.einsum("fij,fj->fi", above, local)
            rotation = above @ rotation
        positions.append(local)
        rotations.append(rotation)
    return positions
