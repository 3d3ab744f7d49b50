"""What is around the body, painted by meeting every pixel's ray with floor and walls: no renderer needed.

In linear light until the end. The floor is matt and unshadowed, so that a path tracer's picture of the same floor has
the same levels where the body takes no light from it.

A plank's tone comes from sums of products of small whole numbers, not from a bit trick or a huge sine: single precision
gives the same boards in NumPy, in a shader and in Blender's nodes.
"""

import math
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from rendering.scene.body_looks import BodyLook, Floor

if TYPE_CHECKING:
    from rendering.scene.stage import Stage, Wall

PLANK_METRES: Final = 1.2
PLANK_STAGGER: Final = 0.381966  # of a plank's length, from one row to the next
PLANK_TONE: Final = (0.1031, 0.3183, 0.2113, 0.7549, 0.5698)  # row^2, row x piece, piece^2, row, piece
UP: Final = np.array([0.0, 1.0, 0.0])
_LEVELS: Final = 1 << 14  # of light in the table to sRGB: five for each step of a byte where it is steepest

__all__ = ["PLANK_METRES", "PLANK_STAGGER", "PLANK_TONE", "Ground", "open_light", "to_srgb", "wall_sky"]

Values = npt.NDArray[np.float32]


class Ground:
    """The surroundings of one stage, painted for a place of its camera.

    The camera never turns, so a pixel's ray has one direction for all frames: whatever follows from that alone is
    worked out once.
    """

    def __init__(self, stage: "Stage") -> None:
        self._stage = stage
        # A checker's mean over a pixel can be written down; boards are met by four rays a pixel.
        self._across = 2 if stage.look.floor.pattern == "planks" else 1
        fine = stage.look.pixels * self._across
        across = (np.arange(fine) + 0.5) * 2 / fine - 1
        x, y = np.meshgrid(across / stage.cameras.focal, -across / stage.cameras.focal)
        self._rays = (np.stack([x, y, np.ones_like(x)], axis=-1) @ stage.cameras.axes).astype(np.float32)
        self._horizon = int(np.argmax((self._rays[..., 1] < -1e-6).any(axis=1)))  # the first row that meets the floor

    def paint(self, position: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
        """The picture without the body, (pixels, pixels, 3), seen from `position`."""
        stage = self._stage
        light = np.empty_like(self._rays)
        light[:] = np.array(stage.look.world, dtype=np.float32)
        light[self._horizon :] = self._floor(position)
        if stage.walls:
            depth = self._depth(position)
            for wall in self._walls:
                depth = wall.paint(stage.look, position, depth, light)
        if self._across > 1:
            side = stage.look.pixels
            light = light.reshape(side, self._across, side, self._across, 3).mean(axis=(1, 3))
        return to_srgb(light)

    @cached_property
    def _slopes(self) -> tuple[Values, Values, npt.NDArray[np.bool_]]:
        """How far to the side and ahead a ray goes for a metre down, and whether it goes down at all."""
        below = self._rays[self._horizon :]
        met = below[..., 1] < -1e-6
        down = np.where(met, -below[..., 1], np.float32(1))
        right, ahead = (np.divide(below[..., axis], down, dtype=np.float32) for axis in (0, 2))
        return right, ahead, met

    @cached_property
    def _widths(self) -> tuple[Values, Values]:
        """How much of the floor a ray stands for, to the side and ahead, a metre below the camera."""
        right, ahead, _ = self._slopes
        x, z = (np.abs(np.gradient(each, axis=1)) + np.abs(np.gradient(each, axis=0)) for each in (right, ahead))
        return np.maximum(x, np.float32(1e-6)), np.maximum(z, np.float32(1e-6))

    def _floor(self, position: npt.NDArray[np.float64]) -> Values:
        look, (right, ahead, met) = self._stage.look, self._slopes
        height = np.float32(position[1])
        x, z = np.float32(position[0]) + right * height, np.float32(position[2]) + ahead * height
        share = _fade(x, z, self._stage.half_extent, look.floor.reach) * met * np.float32(look.floor.alpha)
        wide, deep = self._widths
        dark = _darkness(look.floor, x, z, wide * height, deep * height)
        world, lit = np.array(look.world, dtype=np.float32), open_light(look, UP)
        light_floor, dark_floor = (np.array(colour, dtype=np.float32) for colour in (look.floor.light, look.floor.dark))
        most, least = light_floor * lit - world, (dark_floor - light_floor) * lit
        light: Values = world + share[..., None] * most + (share * dark)[..., None] * least
        return light

    def _depth(self, position: npt.NDArray[np.float64]) -> Values:
        """How far each ray goes to the floor."""
        down = -self._rays[..., 1]
        depth: Values = np.where(down > 1e-6, np.float32(position[1]) / np.maximum(down, np.float32(1e-6)), np.inf)
        return depth

    @cached_property
    def _walls(self) -> tuple["_WallRays", ...]:
        return tuple(_WallRays(wall, self._rays) for wall in self._stage.walls)


class _WallRays:
    """A wall, and what each ray's direction alone says of where it meets it."""

    def __init__(self, wall: "Wall", rays: Values) -> None:
        self._wall, self._low = wall, wall.corners[0]
        along, up = wall.corners[1] - wall.corners[0], wall.corners[3] - wall.corners[0]
        self._facing = np.cross(along, up) / np.linalg.norm(np.cross(along, up))
        self._right, self._up = along / (along @ along), up / (up @ up)
        slope = rays @ self._facing.astype(np.float32)
        self._faced = slope < -1e-6
        self._reach = np.float32(1) / np.where(self._faced, slope, np.float32(-1))
        self._rays_right, self._rays_up = (rays @ axis.astype(np.float32) for axis in (self._right, self._up))
        self._rays_high = rays[..., 1]

    def paint(self, look: BodyLook, position: npt.NDArray[np.float64], depth: Values, light: Values) -> Values:
        """Paint the wall into `light` where it is nearer than `depth`; the new depth."""
        from_low = position - self._low
        at = self._reach * np.float32(-from_low @ self._facing)
        right = np.float32(from_low @ self._right) + self._rays_right * at
        high = np.float32(from_low @ self._up) + self._rays_up * at
        inside = (np.abs(right - np.float32(0.5)) <= 0.5) & (np.abs(high - np.float32(0.5)) <= 0.5)
        seen = self._faced & (at > 0) & (at < depth) & inside
        height = np.maximum(np.float32(position[1]) + self._rays_high[seen] * at[seen], np.float32(0))
        light[seen] = np.array(self._wall.colour, dtype=np.float32) * _wall_light(
            self._wall, look, self._facing, height
        )
        nearer: Values = np.where(seen, at, depth)
        return nearer


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
    level = (np.clip(light, 0, 1) * np.float32(_LEVELS - 1) + np.float32(0.5)).astype(np.int32)
    shown: npt.NDArray[np.uint8] = np.take(_SRGB, level)
    return shown


def _srgb_table() -> npt.NDArray[np.uint8]:
    level = np.linspace(0, 1, _LEVELS)
    curved = np.where(level <= 0.0031308, level * 12.92, 1.055 * level ** (1 / 2.4) - 0.055)
    table: npt.NDArray[np.uint8] = np.rint(curved * 255).astype(np.uint8)
    return table


_SRGB: Final = _srgb_table()


def _wall_light(wall: "Wall", look: BodyLook, facing: npt.NDArray[np.float64], height: Values) -> Values:
    low, high = wall_sky(look)
    sun = open_light(look, facing) - np.array(look.world, dtype=np.float32)
    share = np.divide(height, np.hypot(height, wall.floor_metres), dtype=np.float32)[:, None]
    light: Values = sun + low + (high - low) * share
    return light


def _fade(x: Values, z: Values, half_extent: npt.NDArray[np.float64], reach: float) -> Values:
    """1 where the body goes, down to 0 `reach` metres away."""
    half = half_extent.astype(np.float32)
    over_x, over_z = np.maximum(np.abs(x) - half[0], 0), np.maximum(np.abs(z) - half[1], 0)
    near = np.clip(1 - np.sqrt(over_x * over_x + over_z * over_z) * np.float32(1 / reach), 0, 1)
    fade: Values = near * near * (3 - 2 * near)
    return fade


def _darkness(floor: Floor, x: Values, z: Values, wide: Values, deep: Values) -> Values:
    """0 where the floor is light, 1 where it is dark; a ray stands for `wide` by `deep` metres."""
    side = np.float32(1 / floor.metres)
    if floor.pattern == "checker":
        return np.float32(0.5) - np.float32(0.5) * _stripes(x * side, wide * side) * _stripes(z * side, deep * side)
    row = np.floor(x * side)
    piece = np.floor(z * np.float32(1 / PLANK_METRES) + (row * np.float32(PLANK_STAGGER)) % np.float32(1))
    # Where a row is narrower than two rays, any of its tones would shimmer.
    calm = np.clip(2 - 2 * wide * side, 0, 1)
    darkness: Values = np.float32(0.5) + (_tone(row, piece) - np.float32(0.5)) * calm
    return darkness


def _stripes(at: Values, width: Values) -> Values:
    """The mean over `width` of what is 1 from 0 to 1, -1 from 1 to 2, and so on."""

    def ramp(place: Values) -> Values:
        half = place * np.float32(0.5)
        folded: Values = np.abs(half - np.floor(half) - np.float32(0.5))
        return folded

    half = width * np.float32(0.5)
    mean: Values = (ramp(at - half) - ramp(at + half)) / half
    return mean


def _tone(row: Values, piece: Values) -> Values:
    rows, both, pieces, by_row, by_piece = (np.float32(factor) for factor in PLANK_TONE)
    tone = (row * (row * rows + piece * both + by_row) + piece * (piece * pieces + by_piece)) % np.float32(1)
    return tone.astype(np.float32)
