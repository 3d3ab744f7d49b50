"""The figure in picture coordinates: for every frame, the strokes to draw, the farthest first.

Everything is computed for the whole motion at once; drawing a frame then only walks a short list of plain numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rendering.backends.stick.parts import BONES
from rendering.motion.trajectory import Trajectory
from rendering.scene.camera import Camera
from rendering.scene.figure import HEAD_RADIUS, Figure
from rendering.scene.looks import Colour, Look

SMALLEST_RADIUS: Final = 0.8  # pixels: a figure far away stays a figure
NOSE: Final = (0.80, 1.42)  # from where to where along the face's direction, in head radii
NOSE_RADIUS: Final = 0.2  # in head radii

__all__ = ["Box", "FrameStrokes", "Stroke", "figure_strokes"]

Points = npt.NDArray[np.float64]


class Stroke(NamedTuple):
    """A tapered line with round ends; a ball when both ends are one point. Pixels."""

    x0: float
    y0: float
    r0: float
    x1: float
    y1: float
    r1: float
    colour: Colour


class Box(NamedTuple):
    """Whole pixels, right and bottom not included."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True)
class FrameStrokes:
    """What to draw in one frame, and the part of the picture it touches."""

    strokes: list[Stroke]
    box: Box


@dataclass(frozen=True)
class _Lines:
    """Lines of all frames: values (frames, lines, 7) are x0, y0, r0, x1, y1, r1 and depth."""

    values: Points
    colours: list[Colour]


def figure_strokes(trajectory: Trajectory, figure: Figure, camera: Camera, look: Look) -> Iterator[FrameStrokes]:
    """The strokes of every frame, in order."""
    lines = _join(_bones(trajectory, figure, camera, look), _head(figure, camera, look))
    order = np.argsort(-lines.values[..., 6], axis=1, kind="stable")
    boxes = _boxes(lines.values, camera.pixels)
    for values, farthest_first, box in zip(lines.values, order, boxes, strict=True):
        rows = values[farthest_first, :6].tolist()
        colours = [lines.colours[line] for line in farthest_first]
        yield FrameStrokes([Stroke(*row, colour) for row, colour in zip(rows, colours, strict=True)], box)


def _bones(trajectory: Trajectory, figure: Figure, camera: Camera, look: Look) -> _Lines:
    joints = trajectory.joints.astype(np.float64)
    starts, ends = joints[:, [bone.start for bone in BONES]], joints[:, [bone.end for bone in BONES]]
    hues = {"left": look.left, "right": look.right, "torso": look.torso}
    values = _lines(
        camera,
        (starts, np.array([bone.start_radius for bone in BONES]) * figure.stature),
        (ends, np.array([bone.end_radius for bone in BONES]) * figure.stature),
    )
    return _Lines(values, [hues[bone.hue] for bone in BONES])


def _head(figure: Figure, camera: Camera, look: Look) -> _Lines:
    radius = HEAD_RADIUS * figure.stature
    centre = figure.head_centre
    base, tip = (centre + figure.forward * radius * share for share in NOSE)
    values = _lines(
        camera,
        (np.stack([centre, base], axis=1), np.array([radius, radius * NOSE_RADIUS * 1.2])),
        (np.stack([centre, tip], axis=1), np.array([radius, radius * NOSE_RADIUS * 0.8])),
    )
    return _Lines(values, [look.head, look.nose])


def _lines(camera: Camera, start: tuple[Points, Points], end: tuple[Points, Points]) -> Points:
    columns, depths = [], []
    for points, radii in (start, end):
        seen = camera.project(points)
        columns += [seen.x, seen.y, np.maximum(seen.scale * radii, SMALLEST_RADIUS)]
        depths.append(seen.depth)
    return np.stack([*columns, np.mean(depths, axis=0)], axis=-1)


def _join(first: _Lines, second: _Lines) -> _Lines:
    return _Lines(np.concatenate([first.values, second.values], axis=1), first.colours + second.colours)


def _boxes(values: Points, pixels: int) -> list[Box]:
    x, y, r = values[..., [0, 3]], values[..., [1, 4]], values[..., [2, 5]] + 3  # room for the outline
    edges = np.stack(
        [(x - r).min(axis=(1, 2)), (y - r).min(axis=(1, 2)), (x + r).max(axis=(1, 2)) + 1, (y + r).max(axis=(1, 2)) + 1]
    )
    whole = np.clip(np.floor(edges), 0, pixels).astype(int)
    return [Box(*column) for column in whole.T.tolist()]
