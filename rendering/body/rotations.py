"""Rotations of many frames at once, as unit quaternions (T, 4), real part first. Nothing here divides by zero."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
_TINY = 1e-9


def unit(vectors: Array, otherwise: Array) -> Array:
    """Vectors of length one; where there is no length, `otherwise`."""
    length = np.sqrt(np.einsum("...i,...i->...", vectors, vectors))[..., None]
    return np.where(length > _TINY, vectors / np.maximum(length, _TINY), otherwise)


def cross(a: Array, b: Array) -> Array:
    """np.cross for last axes of three, without its overhead."""
    ax, ay, az = a[..., 0], a[..., 1], a[..., 2]
    bx, by, bz = b[..., 0], b[..., 1], b[..., 2]
    return np.stack([ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx], axis=-1)


def dot(a: Array, b: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", a, b))


def times(a: Array, b: Array) -> Array:
    """First b, then a."""
    real = a[..., 0] * b[..., 0] - dot(a[..., 1:], b[..., 1:])
    rest = a[..., :1] * b[..., 1:] + b[..., :1] * a[..., 1:] + cross(a[..., 1:], b[..., 1:])
    return np.concatenate([real[..., None], rest], axis=-1)


def inverse(a: Array) -> Array:
    turned_back: Array = a * np.array([1.0, -1.0, -1.0, -1.0])
    return turned_back


def turned(a: Array, vectors: Array) -> Array:
    aside = 2.0 * cross(a[..., 1:], vectors)
    return vectors + a[..., :1] * aside + cross(a[..., 1:], aside)


def about(axis: Array, angle: Array) -> Array:
    """By an angle about a unit axis."""
    half = 0.5 * angle[..., None]
    return np.concatenate([np.cos(half), np.sin(half) * axis], axis=-1)


def swing(start: Array, end: Array) -> Array:
    """The shortest way from one unit vector to another; about some axis if they are opposite."""
    real = 1.0 + dot(start, end)
    spare = unit(cross(start, np.where(np.abs(start[..., :1]) < 0.8, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])), start)
    opposite = real[..., None] < 1e-12
    whole = np.concatenate([real[..., None], cross(start, end)], axis=-1)
    half_turn = np.concatenate([np.zeros_like(real)[..., None], spare], axis=-1)
    return unit(np.where(opposite, half_turn, whole), half_turn)


def between(a: Array, b: Array, share: float) -> Array:
    """From a to b the short way, in equal steps of the share (a normalised blend: within a degree up to 90)."""
    near = np.where(dot(a, b)[..., None] < 0, -b, b)
    return unit((1.0 - share) * a + share * near, a)


def from_axes(left: Array, up: Array) -> Array:
    """The rotation that takes X to `left` and Y as near as can be to `up`."""
    x_axis = np.broadcast_to(np.array([1.0, 0.0, 0.0]), left.shape)
    first = swing(x_axis, unit(left, x_axis))
    wanted = turned(inverse(first), up)
    roll = np.arctan2(wanted[..., 2], wanted[..., 1])
    return times(first, about(x_axis, roll))


def matrices(a: Array) -> Array:
    w, x, y, z = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
