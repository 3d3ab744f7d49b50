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
from rendering.scene.looks import Colour, Look

TILE_METRES: Final = 0.5
MOST_TILES: Final = 40  # across the motion: beyond that, larger tiles
LINE_PIXELS: Final = 1.1  # at 384 pixels

__all__ = ["paint_floor", "tile_size"]

Points = npt.NDArray[np.float64]


def tile_size(trajectory: Trajectory, stature: float) -> float:
    """Half a metre for a person; the next of 1, 2, 5 x 10^n for giants, dwarfs and marathons."""
    travelled = float(np.max(np.ptp(trajectory.joints[..., (0, 2)], axis=(0, 1))))
    if 0.8 <= stature <= 3.0 and travelled <= MOST_TILES * TILE_METRES:
        return TILE_METRES
    wanted = max(stature * 0.3, travelled / MOST_TILES)
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= wanted * 0.999)


def paint_floor(
    trajectory: Trajectory, camera: Camera, look: Look, *, height: float, tile: float, stature: float
) -> npt.NDArray[np.uint8]:
    """The picture without the body, (pixels, pixels, 3)."""
    rays = camera.rays()
    falling = rays[..., 1] < -1e-6
    depth = np.where(falling, (height - camera.position[1]) / np.where(falling, rays[..., 1], -1.0), 0.0)
    ground = camera.position[[0, 2]] + rays[..., [0, 2]] * depth[..., None]
    picture = _tiles(ground, tile, look)
    # A ray that meets no floor has a footprint of zero: the fade covers those pixels.
    strength = np.where(falling, _fade(ground, trajectory, stature), 0.0)
    painted = _mix(np.array(look.background, dtype=np.float64), picture, strength)
    return np.rint(painted).astype(np.uint8)


def _tiles(ground: Points, tile: float, look: Look) -> Points:
    at = ground / tile
    # How many tiles one pixel spans, along each floor axis: what edges must be softened by.
    span = np.maximum(np.abs(np.gradient(at, axis=0)), np.abs(np.gradient(at, axis=1))) + 1e-9
    # Far away a pixel spans many tiles, and any pattern would shimmer.
    calm = np.clip(1.5 - 3.0 * span.max(axis=-1), 0.0, 1.0)
    odd = _checker(at, span) * calm
    line_share = LINE_PIXELS * look.pixels / 384
    nearness = np.abs(at - np.rint(at)) / span
    line = np.clip(line_share / 2 + 0.5 - nearness, 0.0, 1.0).max(axis=-1) * calm
    picture = _mix(np.array(look.floor, dtype=np.float64), _colour(look.floor_tile), odd)
    return _mix(picture, _colour(look.floor_line), line)


def _checker(at: Points, span: Points) -> Points:
    """1 on every second tile and 0 on the others, with edges one pixel soft."""
    from_edge = at - np.rint(at)
    side = np.clip(from_edge / span, -0.5, 0.5) * 2
    sign = np.where(np.rint(at) % 2 == 0, side, -side)
    checker: Points = 0.5 + 0.5 * sign[..., 0] * sign[..., 1]
    return checker


def _fade(ground: Points, trajectory: Trajectory, stature: float) -> Points:
    """1 where the body goes, down to 0 some body lengths away."""
    path = trajectory.joints[..., (0, 2)].reshape(-1, 2).astype(np.float64)
    low, high = path.min(axis=0), path.max(axis=0)
    outside = np.linalg.norm(np.maximum(np.maximum(low - ground, ground - high), 0.0), axis=-1)
    reach = 2.2 * stature + 0.35 * float(np.max(high - low))
    t = np.clip(1 - outside / reach, 0.0, 1.0)
    fade: Points = t * t * (3 - 2 * t)
    return fade


def _colour(colour: Colour) -> Points:
    return np.array(colour, dtype=np.float64)


def _mix(below: Points, above: Points, share: Points) -> Points:
    mixed: Points = below + (above - below) * share[..., None]
    return mixed
