"""The left hand: a palm, four fingers a little bent, and a thumb that points forward."""

from typing import Final

import numpy as np

from rendering.body.building.shapes import Array, ellipsoid, joined, round_cone, unit, vector

# Where across the palm a finger begins (towards the thumb), how long it is, and how thick.
_FINGERS: Final = (
    (0.0310, 0.073, 0.0105),
    (0.0105, 0.082, 0.0108),
    (-0.0100, 0.076, 0.0105),
    (-0.0290, 0.060, 0.0095),
)


def hand(points: Array, wrist: Array, forearm: Array) -> Array:
    along = unit(forearm)
    thumbward = unit(vector((0, 0, 1)) - along * along[2])
    # Of the left hand at rest the palm looks down and to the body.
    palmward = np.cross(thumbward, along)
    palmward = palmward if palmward[1] < 0 else -palmward

    def at(forth: float, side: float, bend: float) -> Array:
        return np.asarray(wrist + along * forth + thumbward * side + palmward * bend)

    shape = ellipsoid(points, at(0.048, 0.0, 0.002), (0.056, 0.0185, 0.043), np.stack([along, palmward, thumbward]))
    heel = round_cone(points, at(0.000, 0.0, 0.0), at(0.080, 0.0, 0.000), 0.022, 0.014)
    shape = joined(shape, heel, 0.020)
    knuckles = round_cone(points, at(0.082, 0.029, 0.0), at(0.080, -0.028, 0.0), 0.0125, 0.0115)
    shape = joined(shape, knuckles, 0.016)
    for side, length, radius in _FINGERS:
        base = at(0.082, side, 0.0)
        middle = at(0.082 + length * 0.50, side * 1.10, 0.007)
        tip = at(0.082 + length * 0.92, side * 1.12, 0.024)
        finger = joined(
            round_cone(points, base, middle, radius * 1.10, radius),
            round_cone(points, middle, tip, radius, radius * 0.80),
            0.004,
        )
        shape = joined(shape, finger, 0.005)
    root, knuckle, tip = at(0.026, 0.024, 0.008), at(0.060, 0.050, 0.018), at(0.094, 0.058, 0.026)
    thumb = joined(
        round_cone(points, root, knuckle, 0.018, 0.0125), round_cone(points, knuckle, tip, 0.0125, 0.0095), 0.006
    )
    return joined(shape, thumb, 0.014)
