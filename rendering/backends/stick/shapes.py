"""The figure in picture coordinates: for every frame, the shapes to draw, the farthest first.

Everything is computed for the whole motion at once; drawing a frame then only walks a short list of plain numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rendering.backends.stick.parts import BONES, NOSE, TORSO_RADII, WAIST
from rendering.motion.skeleton import JOINT_NAMES
from rendering.motion.trajectory import Trajectory
from rendering.scene.camera import Camera
from rendering.scene.figure import HEAD_RADIUS, Figure, unit_vectors
from rendering.scene.looks import Colour
from rendering.scene.stick_looks import StickLook

SMALLEST_RADIUS: Final = 0.8  # pixels: a figure far away stays a figure

__all__ = ["Box", "Corner", "FrameShapes", "Shape", "figure_shapes"]

Points = npt.NDArray[np.float64]


class Corner(NamedTuple):
    """A disc in the picture, in pixels."""

    x: float
    y: float
    radius: float


class Shape(NamedTuple):
    """One corner is a ball, two are a tapered line with round ends, more are the outline of a patch."""

    corners: list[Corner]
    colour: Colour
    outlined: bool


class Box(NamedTuple):
    """Whole pixels, right and bottom not included."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True)
class FrameShapes:
    """What to draw in one frame, and the part of the picture it touches."""

    shapes: list[Shape]
    box: Box


@dataclass(frozen=True)
class _Part:
    """A shape over the whole motion: corners (frames, corners, 3) in metres, radii (corners,) in metres."""

    corners: Points
    radii: list[float]
    colour: Colour
    outlined: bool = True


def figure_shapes(trajectory: Trajectory, figure: Figure, camera: Camera, look: StickLook) -> Iterator[FrameShapes]:
    """The shapes of every frame, in order."""
    joints = trajectory.joints.astype(np.float64)
    parts = [*_bones(joints, figure, look), _torso(joints, figure, look), *_head(figure, look)]
    seen = camera.project(np.concatenate([part.corners for part in parts], axis=1))
    radii = np.array([radius for part in parts for radius in part.radii])
    corners = np.stack([seen.x, seen.y, np.maximum(seen.scale * radii, SMALLEST_RADIUS)], axis=-1)
    ends = np.cumsum([len(part.radii) for part in parts]).tolist()
    starts = [0, *ends[:-1]]
    depth = np.add.reduceat(seen.depth, starts, axis=1) / np.diff([0, *ends])
    order = np.argsort(-depth, axis=1, kind="stable").tolist()
    for frame, (farthest_first, box) in enumerate(zip(order, _boxes(corners, camera.pixels), strict=True)):
        row = [Corner(*corner) for corner in corners[frame].tolist()]
        shapes = [
            Shape(row[starts[part] : ends[part]], parts[part].colour, parts[part].outlined) for part in farthest_first
        ]
        yield FrameShapes(shapes, box)


def _bones(joints: Points, figure: Figure, look: StickLook) -> Iterator[_Part]:
    hues = {"left": look.left, "right": look.right, "torso": look.torso}
    for bone in BONES:
        radii = [bone.start_radius * figure.stature, bone.end_radius * figure.stature]
        yield _Part(joints[:, [bone.start, bone.end]], radii, hues[bone.hue], bone.outlined)


def _torso(joints: Points, figure: Figure, look: StickLook) -> _Part:
    left, right = _side(joints, "left"), _side(joints, "right")
    spine = _joint(joints, "spine1")
    across = unit_vectors(left[0] + left[1] - right[0] - right[1], otherwise=np.array([1.0, 0.0, 0.0]))
    waist = across * WAIST * figure.stature
    around = [_joint(joints, "neck"), left[0], spine + waist, left[1], right[1], spine - waist, right[0]]
    names = ["neck", "shoulder", "waist", "hip", "hip", "waist", "shoulder"]
    return _Part(np.stack(around, axis=1), [TORSO_RADII[name] * figure.stature for name in names], look.torso)


def _side(joints: Points, side: str) -> tuple[Points, Points]:
    return _joint(joints, f"{side}_shoulder"), _joint(joints, f"{side}_hip")


def _head(figure: Figure, look: StickLook) -> Iterator[_Part]:
    radius = HEAD_RADIUS * figure.stature
    yield _Part(figure.head_centre[:, None], [radius], look.head)
    wedge = [figure.head_centre + figure.forward * radius * share for share in (NOSE.base, NOSE.tip)]
    yield _Part(np.stack(wedge, axis=1), [radius * NOSE.base_radius, radius * NOSE.tip_radius], look.nose)


def _joint(joints: Points, name: str) -> Points:
    points: Points = joints[:, JOINT_NAMES.index(name)]
    return points


def _boxes(corners: Points, pixels: int) -> list[Box]:
    centre, reach = corners[..., :2], corners[..., 2:] + 2 + pixels / 192
    low, high = (centre - reach).min(axis=1), (centre + reach).max(axis=1) + 1
    whole = np.clip(np.floor(np.concatenate([low, high], axis=1)), 0, pixels).astype(int)
    return [Box(*row) for row in whole.tolist()]
