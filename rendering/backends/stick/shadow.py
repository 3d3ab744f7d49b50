"""Soft shadows on the floor: dark and sharp under what touches it, wide and faint under what is above it.

They are what lets a rater see that a foot slides or floats, so they fall straight down, whatever the light.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from rendering.motion.skeleton import JOINT_NAMES
from rendering.motion.trajectory import Trajectory
from rendering.scene.camera import Camera
from rendering.scene.figure import FOOT_RADIUS, Figure

__all__ = ["FrameShadow", "figure_shadows"]

Points = npt.NDArray[np.float64]


class FrameShadow(NamedTuple):
    """How dark the floor is, 0 to 255, in the part of the picture that begins at (left, top)."""

    left: int
    top: int
    opacity: npt.NDArray[np.uint8]


# Joint, radius on the floor (share of the stature), darkness when it touches.
_CASTERS: Final = (
    ("left_ankle", 0.024, 0.85),
    ("left_foot", 0.026, 1.0),
    ("right_ankle", 0.024, 0.85),
    ("right_foot", 0.026, 1.0),
    ("left_knee", 0.030, 0.7),
    ("right_knee", 0.030, 0.7),
    ("left_wrist", 0.022, 0.7),
    ("right_wrist", 0.022, 0.7),
    ("left_elbow", 0.024, 0.6),
    ("right_elbow", 0.024, 0.6),
    ("pelvis", 0.075, 0.6),
    ("spine3", 0.075, 0.5),
    ("head", 0.060, 0.5),
)
_FADE: Final = 0.09  # of the stature: the height at which a shadow has lost half of its darkness
_SPREAD: Final = 0.30  # how much wider it gets for each height of that


def figure_shadows(
    trajectory: Trajectory, figure: Figure, camera: Camera, *, floor: float, strength: float
) -> Iterator[FrameShadow]:
    """The shadow of every frame, in order."""
    casters = [JOINT_NAMES.index(name) for name, _, _ in _CASTERS]
    points = trajectory.joints[:, casters].astype(np.float64)
    height = (points[..., 1] - floor) / figure.stature - FOOT_RADIUS
    lift = np.maximum(height, 0.0) / _FADE
    seen = camera.project(points * [1, 0, 1] + [0, floor, 0])
    radius = np.array([radius for _, radius, _ in _CASTERS]) * figure.stature * (1 + _SPREAD * lift)
    wide = np.maximum(radius * seen.scale, 0.9)
    high = np.maximum(wide * _foreshortening(camera, points, floor), 0.7)
    dark = strength * np.array([dark for _, _, dark in _CASTERS]) / (1 + lift**2)
    ellipses = np.stack([seen.x, seen.y, wide, high, dark], axis=-1)
    for rows in ellipses:
        yield _blend(rows[rows[:, 4] > 0.01], camera.pixels)


def _foreshortening(camera: Camera, points: Points, floor: float) -> Points:
    """How much flatter than wide a disc on the floor looks: the sine of the angle the camera looks down at it."""
    towards = camera.position - (points * [1, 0, 1] + [0, floor, 0])
    flat: Points = np.abs(towards[..., 1]) / np.linalg.norm(towards, axis=-1)
    return flat


def _blend(ellipses: Points, pixels: int) -> FrameShadow:
    """One opacity map; where shadows meet the darker one counts, as two feet do not make one foot's shadow darker."""
    if not len(ellipses):
        return FrameShadow(0, 0, np.zeros((0, 0), dtype=np.uint8))
    x, y, wide, high, dark = ellipses.T
    left, right = _span(x, wide, pixels)
    top, bottom = _span(y, high, pixels)
    across = np.exp(-(((np.arange(left, right) + 0.5 - x[:, None]) / wide[:, None]) ** 2))
    down = np.exp(-(((np.arange(top, bottom) + 0.5 - y[:, None]) / high[:, None]) ** 2))
    down *= 255 * dark[:, None]
    darkest = np.zeros((bottom - top, right - left), dtype=np.float32)
    for column, row in zip(down.astype(np.float32), across.astype(np.float32), strict=True):
        np.maximum(darkest, column[:, None] * row, out=darkest)
    return FrameShadow(left, top, np.rint(darkest).astype(np.uint8))


def _span(centre: Points, radius: Points, pixels: int) -> tuple[int, int]:
    low = int(np.clip(np.floor((centre - 2.5 * radius).min()), 0, pixels))
    high = int(np.clip(np.ceil((centre + 2.5 * radius).max()), 0, pixels))
    return low, max(low, high)
