"""What is around the body, painted by meeting every pixel's ray with floor and walls: no renderer needed.

In linear light until the end. The floor is matt and unshadowed, so that a path tracer's picture of the same floor has
the same levels where the body takes no light from it.

A plank's tone comes from sums of products of small whole numbers, not from a bit trick or a huge sine: single
precision gives the same boards in NumPy, in a shader and in Blender's nodes.
"""

import math
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from rendering.scene.body_looks import BodyLook, Floor
from rendering.scene.camera import Camera

if TYPE_CHECKING:
    from rendering.scene.stage import Stage, Wall

PLANK_METRES: Final = 1.2
PLANK_STAGGER: Final = 0.381966  # of a plank's length, from one row to the next
PLANK_TONE: Final = (0.1031, 0.3183, 0.2113, 0.7549, 0.5698)  # row^2, row x piece, piece^2, row, piece
UP: Final = np.array([0.0, 1.0, 0.0])
_BAND: Final = 64  # rows painted at once: they stay in the processor's cache
_ACROSS: Final = 2  # rays a pixel, along each side

__all__ = [
    "PLANK_METRES",
    "PLANK_STAGGER",
    "PLANK_TONE",
    "open_light",
    "paint_ground",
    "to_srgb",
    "wall_sky",
]

Values = npt.NDArray[np.float32]


def paint_ground(stage: "Stage", camera: Camera) -> npt.NDArray[np.uint8]:
    """The picture without the body, (pixels, pixels, 3)."""
    picture = np.empty((camera.pixels, camera.pixels, 3), dtype=np.uint8)
    for top in range(0, camera.pixels, _BAND):
        rows = min(_BAND, camera.pixels - top)
        fine = _light(stage, camera, _rays(camera, top, rows))
        pixels = fine.reshape(rows, _ACROSS, camera.pixels, _ACROSS, 3).mean(axis=(1, 3))
        picture[top : top + rows] = to_srgb(pixels)
    return picture


def open_light(look: BodyLook, facing: npt.NDArray[np.float64]) -> Values:
    """What a white matt surface shows under the open sky: the world's light and the sun's."""
    towards = np.array(look.sun.towards) / np.linalg.norm(look.sun.towards)
    sun = look.sun.strength / math.pi * max(0.0, float(towards @ facing)) * np.array(look.sun.colour)
    return (np.array(look.world) + sun).astype(np.float32)


def wall_sky(look: BodyLook) -> tuple[Values, Values]:
    """What a wall gets but for the sun, just above the floor and far above it.

    Half of what the foot of a wall sees is floor, which sends its own light back. Higher up it is less: the floor ends
    `Wall.floor_metres` before the wall. At a height of y the floor's share is (1 - y / hypot(y, floor_metres)) / 2.
    """
    world = np.array(look.world, dtype=np.float32)
    floor = (np.array(look.floor.light) + np.array(look.floor.dark)) / 2 * open_light(look, UP)
    below = look.floor.alpha * floor + (1 - look.floor.alpha) * world
    return ((world + below) / 2).astype(np.float32), world


def to_srgb(light: Values) -> npt.NDArray[np.uint8]:
    """Linear light as the bytes of a picture."""
    level = np.clip(light, 0, 1)
    curved = np.where(level <= 0.0031308, level * 12.92, 1.055 * np.power(level, np.float32(1 / 2.4)) - 0.055)
    shown: npt.NDArray[np.uint8] = np.rint(curved * 255).astype(np.uint8)
    return shown


def _rays(camera: Camera, top: int, rows: int) -> Values:
    """Directions through the rows' pixels, `_ACROSS` x `_ACROSS` each, (rows, columns, 3)."""
    fine = camera.pixels * _ACROSS
    across = (np.arange(fine) + 0.5) * 2 / fine - 1
    x, y = np.meshgrid(across / camera.focal, -across[top * _ACROSS : (top + rows) * _ACROSS] / camera.focal)
    return (np.stack([x, y, np.ones_like(x)], axis=-1) @ camera.axes).astype(np.float32)


def _light(stage: "Stage", camera: Camera, rays: Values) -> Values:
    floor = stage.look.floor
    met = rays[..., 1] < -1e-6
    depth = np.where(met, np.float32(-camera.position[1]) / np.where(met, rays[..., 1], np.float32(-1)), np.inf)
    reached = np.where(met, depth, np.float32(0))
    x = np.float32(camera.position[0]) + rays[..., 0] * reached
    z = np.float32(camera.position[2]) + rays[..., 2] * reached
    share = _fade(x, z, stage.half_extent, floor.reach) * met * np.float32(floor.alpha)
    dark = _darkness(floor, x, z)[..., None]
    lit = open_light(stage.look, UP)
    colour = np.array(floor.light, dtype=np.float32) * (1 - dark) + np.array(floor.dark, dtype=np.float32) * dark
    world = np.array(stage.look.world, dtype=np.float32)
    light = world + (colour * lit - world) * share[..., None]
    for wall in stage.walls:
        depth = _hang(wall, stage.look, camera, rays, depth, light)
    return light


def _fade(x: Values, z: Values, half_extent: npt.NDArray[np.float64], reach: float) -> Values:
    """1 where the body goes, down to 0 `reach` metres away."""
    half = half_extent.astype(np.float32)
    beyond = np.hypot(np.maximum(np.abs(x) - half[0], 0), np.maximum(np.abs(z) - half[1], 0))
    near = np.clip(1 - beyond / np.float32(reach), 0, 1)
    fade: Values = near * near * (3 - 2 * near)
    return fade


def _darkness(floor: Floor, x: Values, z: Values) -> Values:
    """0 where the floor is light, 1 where it is dark."""
    if floor.pattern == "checker":
        side = np.float32(1 / floor.metres)
        squares: Values = (np.floor(x * side) + np.floor(z * side)) % np.float32(2)
        return squares
    row = np.floor(x * np.float32(1 / floor.metres))
    piece = np.floor(z * np.float32(1 / PLANK_METRES) + (row * np.float32(PLANK_STAGGER)) % np.float32(1))
    tone = _tone(row.astype(np.float32), piece.astype(np.float32))
    # Where a row is narrower than two rays, any of its tones would shimmer.
    wide = np.abs(np.gradient(x, axis=1)) + np.abs(np.gradient(x, axis=0))
    calm = np.clip(2 - 2 * wide / np.float32(floor.metres), 0, 1)
    darkness: Values = np.float32(0.5) + (tone - np.float32(0.5)) * calm
    return darkness


def _tone(row: Values, piece: Values) -> Values:
    rows, both, pieces, by_row, by_piece = (np.float32(factor) for factor in PLANK_TONE)
    tone = (row * (row * rows + piece * both + by_row) + piece * (piece * pieces + by_piece)) % np.float32(1)
    return tone.astype(np.float32)


def _hang(wall: "Wall", look: BodyLook, camera: Camera, rays: Values, depth: Values, light: Values) -> Values:
    """Paint `wall` where it is nearer than `depth`; the new depth."""
    low, along, up = wall.corners[0], wall.corners[1] - wall.corners[0], wall.corners[3] - wall.corners[0]
    facing = np.cross(along, up)
    facing /= np.linalg.norm(facing)
    slope = rays @ facing.astype(np.float32)
    faced = slope < -1e-6
    at = np.float32((low - camera.position) @ facing) / np.where(faced, slope, np.float32(-1))
    from_low = (camera.position - low).astype(np.float32) + rays * at[..., None]
    right = from_low @ (along / (along @ along)).astype(np.float32)
    high = from_low @ (up / (up @ up)).astype(np.float32)
    seen = faced & (at > 0) & (at < depth) & (right >= 0) & (right <= 1) & (high >= 0) & (high <= 1)
    light[seen] = np.array(wall.colour, dtype=np.float32) * _wall_light(
        wall, look, facing, camera, rays[seen], at[seen]
    )
    nearer: Values = np.where(seen, at, depth)
    return nearer


def _wall_light(
    wall: "Wall", look: BodyLook, facing: npt.NDArray[np.float64], camera: Camera, rays: Values, at: Values
) -> Values:
    height = np.maximum(np.float32(camera.position[1]) + rays[:, 1] * at, 0)[:, None]
    low, high = wall_sky(look)
    sun = open_light(look, facing) - np.array(look.world, dtype=np.float32)
    light: Values = sun + low + (high - low) * height / np.hypot(height, np.float32(wall.floor_metres))
    return light
