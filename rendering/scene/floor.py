"""The floor: a tiled plane under the motion, painted once per clip by meeting every pixel's ray with it.

The tiles are of one known size, so that a rater sees how far a foot slides; far from the motion they fade into the
background, so that there is no horizon to look at.
"""

import math
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion.trajectory import Trajectory
from rendering.scene.camera import Camera
from rendering.scene.stick_looks import StickLook

TILE_METRES: Final = 0.5
MOST_TILES: Final = 40  # across the motion: beyond that, larger tiles
LINE_PIXELS: Final = 1.1  # at 384 pixels

__all__ = ["paint_floor", "tile_size"]

# Single precision: it is exact enough near the motion, and the floor is half of the time to the first frame.
Values = npt.NDArray[np.float32]


def tile_size(trajectory: Trajectory, stature: float) -> float:
    """Half a metre for a person; the next of 1, 2, 5 x 10^n for giants, dwarfs and marathons."""
    travelled = float(np.max(np.ptp(trajectory.joints[..., (0, 2)], axis=(0, 1))))
    if 0.8 <= stature <= 3.0 and travelled <= MOST_TILES * TILE_METRES:
        return TILE_METRES
    wanted = max(stature * 0.3, travelled / MOST_TILES)
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= wanted * 0.999)


def paint_floor(
    trajectory: Trajectory, camera: Camera, look: StickLook, *, height: float, tile: float, stature: float
) -> npt.NDArray[np.uint8]:
    """The picture without the body, (pixels, pixels, 3)."""
    # Counted from a tile corner near the motion, so that nothing is lost to rounding a kilometre from the origin; from
    # every second corner, so that the pattern stays where it is.
    path = trajectory.joints[..., (0, 2)].reshape(-1, 2).astype(np.float64)
    origin = np.rint(path.mean(axis=0) / (2 * tile)) * 2 * tile
    met, x, z = _meet_floor(camera, height, origin)
    tiles, line = _pattern(np.stack([x, z]) / np.float32(tile), LINE_PIXELS * look.pixels / 384)
    strength = np.where(met, _fade(x, z, path - origin, stature), np.float32(0))
    floor = strength * (1 - line)
    shares = np.stack([1 - strength, floor * (1 - tiles), floor * tiles, strength * line], axis=-1)
    colours = np.array([look.background, look.floor, look.floor_tile, look.floor_line], dtype=np.float32)
    return np.rint(shares @ colours).astype(np.uint8)


def _meet_floor(
    camera: Camera, height: float, origin: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.bool_], Values, Values]:
    """Which pixels see the floor, and where (X and Z from `origin`)."""
    rays = camera.rays().astype(np.float32)
    met = rays[..., 1] < -1e-6
    depth = np.float32(height - camera.position[1]) / np.where(met, rays[..., 1], np.float32(-1))
    start = (camera.position[[0, 2]] - origin).astype(np.float32)
    return met, start[0] + rays[..., 0] * depth, start[1] + rays[..., 2] * depth


def _pattern(at: Values, line_pixels: float) -> tuple[Values, Values]:
    """For places in tiles (2, ...): 1 on every second tile, and 1 on the lines between them; edges are a pixel soft."""
    # How many tiles one pixel spans, along each floor axis: what edges must be softened by.
    span = np.maximum(np.abs(np.gradient(at, axis=1)), np.abs(np.gradient(at, axis=2))) + np.float32(1e-9)
    # Far away a pixel spans many tiles, and any pattern would shimmer.
    calm = np.clip(1.5 - 3.0 * span.max(axis=0), 0.0, 1.0)
    nearest = np.rint(at)
    beyond = (at - nearest) / span  # pixels from the nearest line
    side = np.clip(beyond * 2, -1.0, 1.0) * (1 - 2 * (nearest % 2))
    tiles: Values = (0.5 + 0.5 * side[0] * side[1]) * calm
    line: Values = np.clip(line_pixels / 2 + 0.5 - np.abs(beyond).min(axis=0), 0.0, 1.0) * calm
    return tiles, line


def _fade(x: Values, z: Values, path: npt.NDArray[np.float64], stature: float) -> Values:
    """1 where the body goes, down to 0 some body lengths away."""
    low, high = path.min(axis=0).astype(np.float32), path.max(axis=0).astype(np.float32)
    outside_x = np.maximum(np.maximum(low[0] - x, x - high[0]), 0)
    outside_z = np.maximum(np.maximum(low[1] - z, z - high[1]), 0)
    reach = np.float32(2.2 * stature + 0.35 * float(np.max(high - low)))
    near = np.clip(1 - np.hypot(outside_x, outside_z) / reach, 0, 1)
    fade: Values = near * near * (3 - 2 * near)
    return fade
