"""Signed distance shapes: negative inside. Points are (N, 3); distances (N,), exact or nearly so near the surface.

The round cone and the smooth minimum follow Inigo Quilez's articles on distance functions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.interpolate import PchipInterpolator

Array = NDArray[np.float64]


def vector(values: ArrayLike) -> Array:
    return np.asarray(values, dtype=np.float64)


def unit(values: ArrayLike) -> Array:
    array = vector(values)
    return np.asarray(array / np.linalg.norm(array))


def ellipsoid(points: Array, centre: ArrayLike, radii: ArrayLike, axes: Array | None = None) -> Array:
    """`axes` are the rows of a rotation: the directions in which the radii count."""
    offset = points - vector(centre)
    if axes is not None:
        offset = offset @ axes.T
    size = vector(radii)
    near = np.linalg.norm(offset / size, axis=-1)
    slope = np.linalg.norm(offset / size**2, axis=-1)
    return np.asarray(near * (near - 1.0) / np.maximum(slope, 1e-9))


def round_cone(points: Array, start: ArrayLike, end: ArrayLike, start_radius: float, end_radius: float) -> Array:
    first = vector(start)
    along = vector(end) - first
    length = float(np.linalg.norm(along))
    along = along / length
    offset = points - first
    height = offset @ along
    radial = np.sqrt(np.maximum(np.sum(offset**2, axis=-1) - height**2, 0.0))
    lean = (start_radius - end_radius) / length
    upright = np.sqrt(max(1.0 - lean**2, 1e-9))
    # The sphere on the axis whose surface is nearest: slid up by the cone's lean, and kept between the ends.
    share = np.clip((height + radial * lean / upright) / length, 0.0, 1.0)
    return np.asarray(np.hypot(radial, height - share * length) - (start_radius + share * (end_radius - start_radius)))


@dataclass(frozen=True, eq=False)
class Loft:
    """Cross-sections strung along an axis, each a superellipse with its own reach to both sides, front and back.

    `sections` are rows of (height along the axis in metres, side -, side +, front, back).
    """

    origin: Array
    axis: Array
    side: Array
    sections: Array
    power: float = 2.0

    @property
    def front(self) -> Array:
        return np.cross(self.side, self.axis)

    def distance(self, points: Array) -> Array:
        offset = points - self.origin
        height, across, forth = offset @ self.axis, offset @ self.side, offset @ self.front
        rows = self.sections
        inside = np.clip(height, rows[0, 0], rows[-1, 0])
        reach = PchipInterpolator(rows[:, 0], rows[:, 1:])(inside)
        width = np.where(across < 0, reach[:, 0], reach[:, 1])
        depth = np.where(forth > 0, reach[:, 2], reach[:, 3])
        shape = ((np.abs(across) / width) ** self.power + (np.abs(forth) / depth) ** self.power) ** (1 / self.power)
        # First-order distance to the superellipse: how far outside, over how fast that grows.
        steep = np.maximum(shape, 1e-6) ** (1 - self.power)
        slope = steep * np.hypot(
            (np.abs(across) / width) ** (self.power - 1) / width, (np.abs(forth) / depth) ** (self.power - 1) / depth
        )
        flat = (shape - 1.0) / np.maximum(slope, 1.0 / np.maximum(width, depth))
        beyond = np.abs(height - inside)
        return np.asarray(np.where(beyond > 0, np.hypot(np.maximum(flat, 0.0), beyond), flat))


def loft(
    origin: ArrayLike, towards: ArrayLike, side: ArrayLike, sections: Sequence[Sequence[float]], power: float = 2.0
) -> Loft:
    axis = unit(towards)
    across = vector(side)
    across = unit(across - axis * (across @ axis))
    return Loft(vector(origin), axis, across, vector(sections), power)


def joined(first: Array, second: Array, blend: float) -> Array:
    """Both, with a fillet of about `blend` metres where they meet."""
    overlap = np.maximum(blend - np.abs(first - second), 0.0) / blend
    return np.asarray(np.minimum(first, second) - overlap**2 * blend * 0.25)


def carved(whole: Array, tool: Array, blend: float) -> Array:
    return -joined(-whole, tool, blend)


def shared(first: Array, second: Array, blend: float) -> Array:
    return -joined(-first, -second, blend)
