"""The shape of the human at rest: torso, head, arm and leg as distance functions, and the whole of them.

Only X >= 0 is ever asked for; the mesh is mirrored afterwards. Lengths are in metres, from the pelvis.
"""

from dataclasses import dataclass

import numpy as np

from rendering.body.bones import LEFT
from rendering.body.building.hand import hand
from rendering.body.building.head import head
from rendering.body.building.shapes import Array, ellipsoid, joined, loft, round_cone, unit, vector


@dataclass(frozen=True, eq=False)
class Distances:
    """How far points are from each part, before they are joined."""

    torso: Array
    head: Array
    arm: Array
    leg: Array

    @property
    def whole(self) -> Array:
        upper = joined(joined(self.torso, self.head, 0.030), self.arm, 0.045)
        return joined(upper, self.leg, 0.035)


def distances(points: Array, joints: Array) -> Distances:
    # Beyond the mirror plane a point is its mirror image: the fillets at X = 0 then meet without a crease.
    folded = points * (1.0, 1.0, 1.0)
    folded[:, 0] = np.abs(folded[:, 0])
    return Distances(torso(folded), head(folded), arm(folded, joints), leg(folded, joints))


# Height, half width (twice), front, back.
_TORSO = (
    (-0.150, 0.110, 0.110, 0.060, 0.070),
    (-0.110, 0.152, 0.152, 0.082, 0.108),
    (-0.060, 0.166, 0.166, 0.090, 0.118),
    (-0.010, 0.160, 0.160, 0.093, 0.108),
    (0.050, 0.143, 0.143, 0.095, 0.086),
    (0.110, 0.131, 0.131, 0.096, 0.075),
    (0.170, 0.132, 0.132, 0.100, 0.077),
    (0.240, 0.143, 0.143, 0.107, 0.088),
    (0.310, 0.156, 0.156, 0.116, 0.101),
    (0.365, 0.165, 0.165, 0.119, 0.109),
    (0.415, 0.163, 0.163, 0.110, 0.111),
    (0.460, 0.140, 0.140, 0.086, 0.106),
    (0.500, 0.098, 0.098, 0.058, 0.094),
    (0.540, 0.060, 0.060, 0.030, 0.082),
)


def torso(points: Array) -> Array:
    shape = loft((0, 0, -0.004), (0, 1, 0), (1, 0, 0), _TORSO, power=2.25).distance(points)
    buttock = ellipsoid(points, (0.074, -0.088, -0.070), (0.080, 0.082, 0.066))
    shape = joined(shape, buttock, 0.050)
    breast = ellipsoid(points, (0.072, 0.372, 0.066), (0.074, 0.058, 0.042))
    shape = joined(shape, breast, 0.060)
    # From the neck down to the shoulder: what a collar bone and a trapezius cover.
    shape = joined(shape, round_cone(points, (0, 0.545, -0.042), (0.175, 0.472, -0.034), 0.044, 0.044), 0.070)
    shape = joined(shape, round_cone(points, (0.085, 0.430, -0.062), (0.070, 0.27, -0.052), 0.056, 0.046), 0.070)
    neck = round_cone(points, (0, 0.490, -0.034), (0, 0.660, 0.004), 0.058, 0.055)
    return joined(shape, neck, 0.040)


def arm(points: Array, joints: Array) -> Array:
    shoulder, elbow, wrist = joints[LEFT.shoulder], joints[LEFT.elbow], joints[LEFT.wrist]
    upper = loft(
        shoulder,
        elbow - shoulder,
        (0, 0, 1),
        # Back of the arm, front of the arm (biceps), then towards and away from the body.
        (
            (-0.010, 0.050, 0.050, 0.046, 0.042),
            (0.040, 0.053, 0.052, 0.044, 0.050),
            (0.090, 0.049, 0.049, 0.042, 0.050),
            (0.150, 0.045, 0.049, 0.041, 0.044),
            (0.210, 0.041, 0.042, 0.038, 0.039),
            (0.270, 0.039, 0.037, 0.037, 0.038),
        ),
    ).distance(points)
    ball = ellipsoid(points, shoulder + vector((0.0, -0.012, 0.0)), (0.052, 0.052, 0.055))
    shape = joined(upper, ball, 0.030)
    lower = loft(
        elbow,
        wrist - elbow,
        (0, 0, 1),
        (
            (-0.020, 0.036, 0.036, 0.037, 0.037),
            (0.030, 0.040, 0.043, 0.040, 0.040),
            (0.070, 0.040, 0.044, 0.038, 0.040),
            (0.130, 0.035, 0.038, 0.033, 0.034),
            (0.200, 0.029, 0.031, 0.026, 0.026),
            (0.268, 0.027, 0.029, 0.021, 0.021),
            (0.300, 0.028, 0.030, 0.019, 0.019),
        ),
    ).distance(points)
    shape = joined(shape, lower, 0.012)
    point_of_elbow = elbow + vector((0.0, 0.0, -0.016))
    shape = joined(shape, ellipsoid(points, point_of_elbow, (0.024, 0.024, 0.022)), 0.016)
    return joined(shape, hand(points, wrist, wrist - elbow), 0.016)


def leg(points: Array, joints: Array) -> Array:
    hip, knee, ankle = joints[LEFT.hip], joints[LEFT.knee], joints[LEFT.ankle]
    thigh = loft(
        hip,
        knee - hip,
        (1, 0, 0),
        # Height down the thigh, inside, outside, back, front: the axis points down, so front and back change places.
        (
            (-0.060, 0.045, 0.080, 0.070, 0.060),
            (0.000, 0.058, 0.098, 0.088, 0.078),
            (0.060, 0.066, 0.096, 0.094, 0.090),
            (0.120, 0.074, 0.086, 0.086, 0.092),
            (0.200, 0.070, 0.074, 0.074, 0.086),
            (0.280, 0.060, 0.062, 0.062, 0.074),
            (0.340, 0.053, 0.053, 0.055, 0.063),
            (0.400, 0.049, 0.049, 0.051, 0.057),
        ),
    )
    shin = loft(
        knee,
        ankle - knee,
        (1, 0, 0),
        (
            (-0.030, 0.049, 0.049, 0.050, 0.058),
            (0.020, 0.048, 0.048, 0.051, 0.055),
            (0.070, 0.049, 0.052, 0.066, 0.047),
            (0.130, 0.053, 0.054, 0.076, 0.043),
            (0.200, 0.046, 0.047, 0.066, 0.040),
            (0.280, 0.035, 0.035, 0.047, 0.035),
            (0.350, 0.029, 0.029, 0.036, 0.032),
            (0.410, 0.031, 0.031, 0.038, 0.034),
            (0.440, 0.031, 0.031, 0.040, 0.034),
        ),
    )
    shape = joined(thigh.distance(points), shin.distance(points), 0.012)
    cap = ellipsoid(points, knee + vector((0, 0.004, 0.034)), (0.028, 0.034, 0.023))
    shape = joined(shape, cap, 0.024)
    return joined(shape, foot(points, joints), 0.030)


def foot(points: Array, joints: Array) -> Array:
    ankle, ball = joints[LEFT.ankle], joints[LEFT.foot]
    sole = ball[1] - 0.022
    ahead = unit((ball[0] - ankle[0], 0, ball[2] - ankle[2]))
    across = np.cross((0, 1, 0), ahead)

    def at(start: Array, forth: float, side: float, height: float) -> Array:
        place = start + ahead * forth + across * side
        place[1] = sole + height
        return np.asarray(place)

    shape = round_cone(points, at(ankle, -0.036, 0, 0.034), at(ankle, 0.020, 0.002, 0.038), 0.034, 0.034)
    instep = round_cone(points, ankle + vector((0, -0.006, 0.004)), at(ball, -0.030, -0.006, 0.034), 0.037, 0.027)
    shape = joined(shape, instep, 0.030)
    outer = round_cone(points, at(ankle, 0.0, 0.012, 0.026), at(ball, 0.010, 0.024, 0.020), 0.028, 0.023)
    shape = joined(shape, outer, 0.020)
    shape = joined(
        shape, round_cone(points, at(ball, -0.04, -0.016, 0.028), at(ball, 0.0, -0.016, 0.024), 0.026, 0.025), 0.02
    )
    toes = (
        (-0.026, 0.072, 0.0155),
        (-0.004, 0.068, 0.0125),
        (0.014, 0.060, 0.0120),
        (0.030, 0.048, 0.0115),
        (0.044, 0.034, 0.011),
    )
    for side, reach, radius in toes:
        toe = round_cone(
            points, at(ball, -0.01, side * 0.72, 0.020), at(ball, reach - radius, side, radius), 0.018, radius
        )
        shape = joined(shape, toe, 0.010)
    return np.asarray(np.maximum(shape, sole - points[:, 1]))
