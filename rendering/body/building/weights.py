"""How much every vertex follows every bone, and which part of the body it is.

Written down by place rather than found by distance: the ramps are as wide as flesh is there, so that collars, hips and
buttocks move as a whole. Only the left half is asked for; the right is its mirror.
"""

from typing import Final

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rendering.body.asset import PARTS
from rendering.body.bones import BONE_COUNT, CHEST, HEAD, LEFT, NECK, PELVIS, SPINE1, SPINE2
from rendering.body.building.figure import Distances
from rendering.body.building.head import above_hairline
from rendering.body.building.shapes import Array, unit

INFLUENCES: Final = 4


def ramp(values: Array, low: float, high: float) -> Array:
    share = np.clip((values - low) / (high - low), 0.0, 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))


def half_weights(points: Array, joints: Array, parts: Distances) -> Array:
    """(N, bones), rows summing to one, for points at X >= 0."""
    weights = np.zeros((len(points), BONE_COUNT))
    _add_trunk(weights, points)
    _add_arm(weights, points, joints, arm_share(parts))
    # Hands that hang beside the thighs are below the groin too, and no part of a leg.
    _add_leg(weights, points, joints, leg_share(points, joints) * (parts.leg < parts.arm))
    shares: Array = weights / weights.sum(axis=1, keepdims=True)
    return shares


def arm_share(parts: Distances) -> Array:
    """How far a point is on the arm's side of the armpit: by how much it is nearer to the arm than to the torso."""
    return ramp(parts.torso - parts.arm, -0.045, 0.050)


def smoothed_weights(weights: Array, around: scipy.sparse.csr_matrix, *, rounds: int) -> Array:
    for _ in range(rounds):
        weights = 0.5 * weights + 0.5 * (around @ weights)
    return weights


def strongest(weights: Array) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """The four strongest bones of every vertex, renormalised.

    Where the fourth and the fifth are as strong (left and right, in the middle of the body) neither is kept: one alone
    would pull the seam aside.
    """
    order = np.argsort(-weights, axis=1, kind="stable")[:, : INFLUENCES + 1]
    kept = np.take_along_axis(weights, order, axis=1)
    kept = np.where((kept < 0.004) | (kept - kept[:, INFLUENCES:] < 1e-9), 0.0, kept)[:, :INFLUENCES]
    order = order[:, :INFLUENCES]
    kept = (kept / kept.sum(axis=1, keepdims=True)).astype(np.float32)
    return order.astype(np.uint8), kept


def _give(weights: Array, bone: int, share: Array) -> None:
    """Hand a share of what the vertex has to a bone."""
    weights *= (1.0 - share)[:, None]
    weights[:, bone] += share


def _fold(weights: Array, half: int, beyond: int, share: Array) -> None:
    """Across a joint: from what was before, over the bone that turns half way, to the bone beyond."""
    weights *= ((1.0 - share) ** 2)[:, None]
    weights[:, half] += 2.0 * share * (1.0 - share)
    weights[:, beyond] += share**2


def _add_trunk(weights: Array, points: Array) -> None:
    x, y, z = points.T
    weights[:, PELVIS] = 1.0
    for bone, low, high in ((SPINE1, 0.005, 0.135), (SPINE2, 0.125, 0.265), (CHEST, 0.245, 0.370)):
        _give(weights, bone, np.clip((y - low) / (high - low), 0.0, 1.0))
    outer = ramp(x, 0.040, 0.170) * ramp(y + 0.15 * np.abs(z), 0.330, 0.470)
    _give(weights, LEFT.collar, 0.75 * outer * ramp(0.56 - y, 0.0, 0.05))
    _give(weights, NECK, ramp(y - 0.30 * x, 0.480, 0.580))
    # The jaw is the head's, the nape the neck's.
    _give(weights, HEAD, ramp(y + 0.5 * z, 0.585, 0.665))


def _along(points: Array, start: Array, end: Array) -> Array:
    direction = end - start
    return np.asarray((points - start) @ direction / (direction @ direction))


def _past(points: Array, joint: Array, before: Array, after: Array) -> Array:
    """Metres beyond the plane that halves the angle at a joint."""
    return np.asarray((points - joint) @ unit(unit(joint - before) + unit(after - joint)))


def _limb(points: Array, start: Array, end: Array, bones: tuple[int, int, int]) -> Array:
    """Three bones that share out the twist of a limb, along it."""
    share = np.clip((_along(points, start, end) - 0.12) / 0.70, 0.0, 1.0)
    weights = np.zeros((len(points), BONE_COUNT))
    for number, bone in enumerate(bones):
        weights[:, bone] += np.clip(1.0 - np.abs(2.0 * share - number), 0.0, 1.0)
    return weights


def _add_arm(weights: Array, points: Array, joints: Array, share: Array) -> None:
    shoulder, elbow, wrist = joints[LEFT.shoulder], joints[LEFT.elbow], joints[LEFT.wrist]
    arm = _limb(points, shoulder, elbow, (LEFT.shoulder, LEFT.upper_arm_middle, LEFT.upper_arm_low))
    _fold(arm, LEFT.elbow_half, LEFT.elbow, ramp(_past(points, elbow, shoulder, wrist), -0.055, 0.055))
    _give(arm, LEFT.wrist, ramp(_along(points, elbow, wrist) - 1.0, -0.12, 0.10))
    weights *= ((1.0 - share) ** 2)[:, None]
    weights[:, LEFT.shoulder_half] += 2.0 * share * (1.0 - share)
    weights += (share**2)[:, None] * arm


def _add_leg(weights: Array, points: Array, joints: Array, share: Array) -> None:
    hip, knee, ankle, foot = (joints[joint] for joint in (LEFT.hip, LEFT.knee, LEFT.ankle, LEFT.foot))
    leg = _limb(points, hip, knee, (LEFT.hip, LEFT.thigh_middle, LEFT.thigh_low))
    _fold(leg, LEFT.knee_half, LEFT.knee, ramp(_past(points, knee, hip, ankle), -0.075, 0.075))
    _give(leg, LEFT.shin_low, np.clip((_along(points, knee, ankle) - 0.35) / 0.5, 0.0, 1.0) * (points[:, 1] < knee[1]))
    _give(leg, LEFT.ankle, ramp(_past(points, ankle, knee, foot), -0.040, 0.030))
    _give(leg, LEFT.foot, ramp(_along(points, ankle, foot) - 1.0, -0.15, 0.15))
    weights *= ((1.0 - share) ** 2)[:, None]
    weights[:, LEFT.hip_half] += 2.0 * share * (1.0 - share)
    weights += (share**2)[:, None] * leg


def leg_share(points: Array, joints: Array) -> Array:
    """How far a point is on the leg's side of the groin: below a plane that rises to the outside."""
    offset = points - joints[LEFT.hip]
    below = offset @ unit((0.42, -0.90, 0.10))
    return ramp(below, -0.085, 0.105) * np.clip(points[:, 0] / 0.045, 0.0, 1.0)


def half_parts(points: Array, joints: Array, parts: Distances) -> NDArray[np.uint8]:
    x, y, z = points.T
    names = np.full(len(points), "torso", dtype=object)
    names[leg_share(points, joints) > 0.45] = "left_leg"
    arm = (parts.torso - parts.arm > 0.004) & (arm_share(parts) > 0.5)
    names[arm] = "left_arm"
    names[arm & (_along(points, joints[LEFT.elbow], joints[LEFT.wrist]) > 0.98)] = "left_hand"
    head = (y - 0.30 * x > 0.530 + 0.25 * np.maximum(-z, -0.02)) & ~arm
    names[head] = "head"
    seen = (y + 0.45 * z > 0.655) & (z > 0.022) & (above_hairline(points) < 0.002)
    names[head & seen] = "face"
    return np.array([PARTS.index(name) for name in names], dtype=np.uint8)
