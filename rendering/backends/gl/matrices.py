"""Where things are: 4 x 4 matrices from the stage's camera and light to OpenGL's cube."""

from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.scene.camera import Camera

NEAR: Final = 0.05
FAR: Final = 400.0

__all__ = ["Matrix", "camera_matrix", "sun_matrix"]

Matrix = npt.NDArray[np.float64]


def camera_matrix(camera: Camera) -> Matrix:
    """The camera's picture: x and y from -1 to 1, y up."""
    turn = np.eye(4)
    turn[:3, :3] = camera.axes * [[1], [1], [-1]]  # OpenGL looks along -z
    turn[:3, 3] = -turn[:3, :3] @ camera.position
    lens = np.zeros((4, 4))
    lens[0, 0] = lens[1, 1] = camera.focal
    lens[2, 2:] = (FAR + NEAR) / (NEAR - FAR), 2 * FAR * NEAR / (NEAR - FAR)
    lens[3, 2] = -1
    return lens @ turn


def sun_matrix(vertices: npt.NDArray[np.float32], sun: npt.NDArray[np.float64]) -> tuple[Matrix, float]:
    """The body as the sun sees it, filling the map; and how many metres wide the map is."""
    side = np.cross(sun, [0.0, 1.0, 0.0])
    if np.linalg.norm(side) < 1e-6:
        side = np.array([1.0, 0.0, 0.0])
    side /= np.linalg.norm(side)
    axes = np.stack([side, np.cross(side, -sun), -sun])
    return _box_matrix(vertices, axes, floor_depth=_floor_depth(vertices, sun))


def _floor_depth(vertices: npt.NDArray[np.float32], sun: npt.NDArray[np.float64]) -> float:
    """How far behind the body, along the light, its shadow may fall on the floor."""
    return float(vertices[:, 1].max()) / max(float(sun[1]), 0.1) + 1.0


def _box_matrix(
    vertices: npt.NDArray[np.float32], axes: Matrix, *, floor_depth: float, margin: float = 0.05
) -> tuple[Matrix, float]:
    seen = vertices @ axes.T.astype(np.float32)
    low, high = seen.min(axis=0).astype(np.float64), seen.max(axis=0).astype(np.float64)
    centre = (low + high) / 2
    half = float(np.max(high[:2] - low[:2])) / 2 + margin
    near, far = low[2] - 0.1, high[2] + 0.1 + floor_depth
    matrix = np.eye(4)
    matrix[:2, :3] = axes[:2] / half
    matrix[:2, 3] = -centre[:2] / half
    matrix[2, :3] = axes[2] * 2 / (far - near)
    matrix[2, 3] = -(far + near) / (far - near)
    return matrix, 2 * half
