"""The camera: one fixed place from which the whole motion is seen, as large as the picture allows.

It stands still because a moving camera hides what raters must judge: sliding feet, drift and floating.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion.skeleton import JOINT_NAMES
from rendering.motion.trajectory import Trajectory
from rendering.scene.figure import FOOT_RADIUS, HEAD_RADIUS, LIMB_RADIUS, Figure
from rendering.scene.views import View

FIELD_OF_VIEW: Final = 30.0  # degrees, of the stick figure's looks
MARGIN: Final = 0.06  # of the picture's side, kept free on each edge

__all__ = ["MARGIN", "Camera", "Projected", "camera_axes", "fit_camera", "floor_height", "picture_coverage"]

Points = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Projected:
    """Points in the picture: pixels (x to the right, y down), depth in metres, pixels a metre there."""

    x: Points
    y: Points
    depth: Points
    scale: Points


@dataclass(frozen=True, eq=False)
class Camera:
    """A pinhole before a square picture."""

    position: Points  # (3,), metres
    axes: Points  # (3, 3): rows are right, up, ahead
    focal: float  # half the picture's side is seen at depth `focal`, in the same unit
    pixels: int

    def project(self, points: Points) -> Projected:
        """Points (..., 3) into the picture."""
        seen = (points - self.position) @ self.axes.T
        depth = seen[..., 2]
        scale = self.focal * self.pixels / 2 / depth
        return Projected(
            x=self.pixels / 2 + seen[..., 0] * scale,
            y=self.pixels / 2 - seen[..., 1] * scale,
            depth=depth,
            scale=scale,
        )

    def rays(self) -> Points:
        """The direction through the middle of every pixel, (pixels, pixels, 3), one long along the camera's axis."""
        across = (np.arange(self.pixels) + 0.5) * 2 / self.pixels - 1
        x, y = np.meshgrid(across / self.focal, -across / self.focal)
        rays: Points = np.stack([x, y, np.ones_like(x)], axis=-1) @ self.axes
        return rays


def fit_camera(trajectory: Trajectory, figure: Figure, view: View, pixels: int) -> Camera:
    """The nearest camera in the view's direction that keeps the body and its feet's shadows inside every frame."""
    points, radii = _must_be_seen(trajectory, figure)
    axes = camera_axes(view)
    slope = math.tan(math.radians(FIELD_OF_VIEW / 2))
    seen = points @ axes.T
    x, y, z = seen[:, 0], seen[:, 1], seen[:, 2]
    inner = slope * (1 - 2 * MARGIN)
    # Each side of the picture is a plane through the camera; a point with its radius is inside it when
    # x + r - cx <= inner * (z - cz). The nearest camera is where the tightest pair of opposite planes meets.
    right, left = np.max(x + radii - inner * z), np.max(-x + radii - inner * z)
    top, bottom = np.max(y + radii - inner * z), np.max(-y + radii - inner * z)
    ahead = min(-(right + left), -(top + bottom)) / (2 * inner)
    centre = np.array([(right - left) / 2, (top - bottom) / 2, ahead])
    return Camera(position=centre @ axes, axes=axes, focal=1 / slope, pixels=pixels)


def picture_coverage(trajectory: Trajectory, figure: Figure, camera: Camera) -> Points:
    """For each frame, the body's box as a share of the picture's area."""
    points = np.concatenate([trajectory.joints.astype(np.float64), figure.head_centre[:, None]], axis=1)
    seen = camera.project(points)
    radius = seen.scale * figure.stature * np.array([*[LIMB_RADIUS] * len(JOINT_NAMES), HEAD_RADIUS])
    wide = np.max(seen.x + radius, axis=1) - np.min(seen.x - radius, axis=1)
    high = np.max(seen.y + radius, axis=1) - np.min(seen.y - radius, axis=1)
    coverage: Points = wide * high / camera.pixels**2
    return coverage


def floor_height(trajectory: Trajectory, figure: Figure) -> float:
    """The floor's Y: as far under the lowest joint as a foot is thick, so that feet stand on it and not in it."""
    return float(trajectory.joints[..., 1].min()) - FOOT_RADIUS * figure.stature


def _must_be_seen(trajectory: Trajectory, figure: Figure) -> tuple[Points, Points]:
    joints = trajectory.joints.astype(np.float64)
    feet = joints[:, [JOINT_NAMES.index(name) for name in ("left_foot", "right_foot")]]
    shadows = feet * [1, 0, 1] + [0, floor_height(trajectory, figure), 0]
    groups = [
        (joints, LIMB_RADIUS * 1.2),
        (shadows, LIMB_RADIUS * 2),
        (figure.head_centre + figure.stature * HEAD_RADIUS * 0.6 * figure.forward, HEAD_RADIUS),
        (figure.head_centre, HEAD_RADIUS),
    ]
    points = np.concatenate([group.reshape(-1, 3) for group, _ in groups])
    radii = np.concatenate([np.full(group.size // 3, share * figure.stature) for group, share in groups])
    return points, radii


def camera_axes(view: View) -> Points:
    """Rows are right, up, ahead, for a view with nothing left open (`View.seen_by`)."""
    assert view.elevation is not None
    assert not view.relative
    azimuth, elevation = math.radians(view.azimuth), math.radians(view.elevation)
    ahead = -np.array(
        [math.sin(azimuth) * math.cos(elevation), math.sin(elevation), math.cos(azimuth) * math.cos(elevation)]
    )
    right = np.array([math.cos(azimuth), 0.0, -math.sin(azimuth)])
    return np.stack([right, np.cross(right, ahead), ahead])
