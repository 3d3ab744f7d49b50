"""Which part of a picture Blender must draw: the body, its shadow, and a border that melts into the painted ground."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.scene.camera import Camera
from rendering.scene.stage import Stage

FEATHER: Final = 8 / 544  # of the picture's side
_AROUND: Final = 5 / 544  # kept whole around body and shadow: a shadow's edge is soft
_NEAREST: Final = 0.1  # metres: what is closer to the camera, or behind it, has no place in the picture

__all__ = ["Crop", "find_crop", "whole", "with_crop"]

Picture = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Crop:
    """A box in pixels from the picture's top left; `right` and `bottom` are outside."""

    left: int
    top: int
    right: int
    bottom: int


def whole(pixels: int) -> Crop:
    return Crop(0, 0, pixels, pixels)


def find_crop(stage: Stage, camera: Camera, vertices: npt.NDArray[np.float32]) -> Crop:
    """The box around one frame's body and shadow, feather included."""
    points = np.concatenate([vertices, _shadow(stage, vertices)])
    seen = camera.project(points.astype(np.float64))
    if float(seen.depth.min()) < _NEAREST:
        return whole(camera.pixels)
    border = (FEATHER + _AROUND) * camera.pixels
    low = np.floor(np.array([seen.x.min(), seen.y.min()]) - border)
    high = np.ceil(np.array([seen.x.max(), seen.y.max()]) + border)
    left, top = np.clip(low, 0, camera.pixels - 1).astype(int).tolist()
    right, bottom = np.clip(high, 1, camera.pixels).astype(int).tolist()
    return Crop(left, top, right, bottom)


def with_crop(ground: Picture, drawn: Picture, crop: Crop) -> Picture:
    """`drawn` over `ground`, melting into it along every side that is not the picture's own."""
    pixels = len(ground)
    feather = max(1.0, FEATHER * pixels)
    x = _ramp(crop.left, crop.right, pixels, feather)
    y = _ramp(crop.top, crop.bottom, pixels, feather)
    share = (y[:, None] * x[None, :])[..., None]
    picture = ground.copy()
    part = picture[crop.top : crop.bottom, crop.left : crop.right]
    part[:] = np.rint(part + (drawn.astype(np.float32) - part) * share).astype(np.uint8)
    return picture


def _ramp(start: int, end: int, pixels: int, feather: float) -> npt.NDArray[np.float32]:
    at = np.arange(start, end, dtype=np.float32) + np.float32(0.5)
    inside = np.full(len(at), np.float32(feather))
    if start > 0:
        inside = np.minimum(inside, at - start)
    if end < pixels:
        inside = np.minimum(inside, end - at)
    share = np.clip(inside / np.float32(feather), 0, 1)
    ramp: npt.NDArray[np.float32] = share * share * (3 - 2 * share)
    return ramp


def _shadow(stage: Stage, vertices: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Where each vertex throws its shadow: on the floor, or on the wall before it."""
    sun = stage.sun
    far = vertices[:, 1].astype(np.float64) / sun[1]
    for wall in stage.walls:
        low = wall.corners[0]
        facing = np.cross(wall.corners[1] - low, wall.corners[3] - low)
        slope = float(sun @ facing)
        if slope > 0:
            far = np.minimum(far, np.maximum((vertices - low) @ facing / slope, 0))
    shadows: npt.NDArray[np.float32] = (vertices - far[:, None] * sun).astype(np.float32)
    return shadows
