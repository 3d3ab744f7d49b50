"""How far a limb is turned about its own axis: seen only where it bends, so remembered over time where it does not."""

from typing import Final

import numpy as np

from rendering.body.rotations import Array, cross, dot, turned

_SHORT: Final = 1.5
_LONG: Final = 8.0
_MEMORY: Final = 0.30
# Seen nowhere near: the limb is not twisted at all.
_PRIOR: Final = 0.08


def seen_from_bend(sine: Array) -> Array:
    """How much to trust the plane of a joint that bends by an angle of this sine: nothing if it is nearly straight."""
    share = np.clip((sine - 0.12) / 0.45, 0.0, 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))


def twist(rotation: Array, axis: Array, rest_side: Array, side: Array, trust: Array, *, limit: float) -> Array:
    """The angles about `axis` that turn the rotated `rest_side` to `side`, as smooth in time as `trust` needs."""
    now = turned(rotation, np.broadcast_to(rest_side, axis.shape))
    now = now - axis * dot(now, axis)[:, None]
    wanted = side - axis * dot(side, axis)[:, None]
    sine, cosine = dot(cross(now, wanted), axis), dot(now, wanted)
    seen = trust * np.exp(1j * np.arctan2(sine, cosine))
    steady = smoothed(seen, _SHORT) + _MEMORY * smoothed(seen, _LONG) + _PRIOR
    angle = np.unwrap(np.angle(steady))
    angle = angle - 2 * np.pi * np.round(np.median(angle) / (2 * np.pi))
    return limit * np.tanh(smoothed(angle, _SHORT) / limit)


def smoothed(values: Array, spread: float) -> Array:
    """Along time with a Gaussian of `spread` frames; the ends are held."""
    reach = int(np.ceil(3 * spread))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) / spread) ** 2)
    padded = np.concatenate([np.repeat(values[:1], reach), values, np.repeat(values[-1:], reach)])
    return np.asarray(np.convolve(padded, kernel / kernel.sum(), "valid"))
