"""BVH files: the hierarchy, the channels in whatever order they stand, and where the joints are in every frame."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion.npy import open_regular
from rendering.motion.npz import check_size
from rendering.motion.rotations import about_axis
from rendering.motion.trajectory import MAX_FRAMES, MotionFormatError

MAX_BYTES: Final = 128 * 2**20
MAX_JOINTS: Final = 1000
MAX_PLACES: Final = 4_000_000  # joints times frames: half an hour of a hundred joints
_MAX_HIERARCHY: Final = 2**20
_CHUNK: Final = 2**20
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
    text = data.removeprefix(b"\xef\xbb\xbf").decode("latin-1")  # every byte is a letter then; only names could differ
    parts = re.split(r"(?<!\S)MOTION(?!\S)", text, maxsplit=1)  # a joint may be called MOTION_root
    if len(parts) != 2:
        raise MotionFormatError(f"{name}: expected HIERARCHY and MOTION, found no MOTION")
    if len(parts[0]) > _MAX_HIERARCHY:
        raise MotionFormatError(
            f"{name}: HIERARCHY: expected at most {_MAX_HIERARCHY:,} bytes, found {len(parts[0]):,}"
        )
    joints = _Hierarchy(parts[0], name=name).joints
    values, seconds = _frames(parts[1], joints=joints, name=name)
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
                if (place := self._joint(open_joints)) is not None:
                    self.joints[place].offset = offset
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
        if joint.channels:
            raise self._wrong("CHANNELS once in a joint", f"{joint.name} with a second")
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


def _frames(text: str, *, joints: list[_Joint], name: str) -> tuple[Array, float]:
    """The channel values (frames, columns) and the seconds of a frame."""
    columns = sum(len(joint.channels) for joint in joints)
    if not columns:
        raise MotionFormatError(f"{name}: HIERARCHY: expected CHANNELS, found none in {len(joints)} joints")
    words = text.split(maxsplit=5)
    if len(words) < 5 or [word.lower() for word in (words[0], *words[2:4])] != ["frames:", "frame", "time:"]:
        raise MotionFormatError(f"{name}: MOTION: expected 'Frames:' and 'Frame Time:', found {' '.join(words[:4])!r}")
    try:
        count, seconds = int(words[1]), float(words[4])
    except ValueError as error:
        raise MotionFormatError(f"{name}: MOTION: expected numbers: {str(error)[:200]}") from error
    if not 0 < seconds < 10:
        raise MotionFormatError(f"{name}: MOTION: expected a Frame Time in seconds, found {words[4][:80]!r}")
    if not 1 <= count <= min(MAX_FRAMES, MAX_PLACES // len(joints)):
        expected = f"1 to {min(MAX_FRAMES, MAX_PLACES // len(joints))} frames of {len(joints)} joints"
        raise MotionFormatError(f"{name}: MOTION: expected {expected}, found {count}")
    check_size((count, columns), name=name)
    values = _numbers(words[5] if len(words) > 5 else "", count=count, columns=columns, name=name)
    return values.reshape(count, columns), seconds


def _numbers(text: str, *, count: int, columns: int, name: str) -> Array:
    """The numbers in `text`, a piece at a time: as words they would take thirty times the file."""
    values, found, start = np.empty(count * columns), 0, 0
    blank = re.compile(r"\s")
    while start < len(text):
        end = blank.search(text, start + _CHUNK)
        words = text[start : end.start() if end else len(text)].split()
        start = end.end() if end else len(text)
        try:
            piece = np.array(words, dtype=np.float64)
        except ValueError as error:
            raise MotionFormatError(f"{name}: MOTION: expected numbers: {str(error)[:200]}") from error
        if not np.isfinite(piece).all():
            raise MotionFormatError(f"{name}: MOTION: expected finite numbers, found nan or inf")
        if found + piece.size <= values.size:
            values[found : found + piece.size] = piece
        found += piece.size
    if found != values.size:
        expected = f"{count} frames of {columns} channels, {values.size} numbers"
        raise MotionFormatError(f"{name}: MOTION: expected {expected}, found {found}")
    return values


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
