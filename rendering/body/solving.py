"""From joints to the rotation of every bone.

22 joints say where bones point, not how they are turned about themselves. That is read off where it shows: the pelvis
and the chest from their own joints, the upper arm and the thigh from the plane in which elbow and knee bend, the shin
from the foot. Hands follow forearms; the head follows chest and neck.
"""

from typing import Final

import numpy as np

from rendering.body.bones import BONE_COUNT, CHEST, HEAD, LEFT, NECK, PELVIS, RIGHT, SPINE1, SPINE2, Side
from rendering.body.rotations import Array, about, between, cross, dot, from_axes, inverse, swing, times, turned, unit
from rendering.body.twisting import seen_from_bend, smoothed, twist

_UP: Final = np.array([0.0, 1.0, 0.0])
_FORWARD: Final = np.array([0.0, 0.0, 1.0])


def bone_rotations(joints: Array, rest: Array) -> Array:
    """Unit quaternions (T, bones, 4) for joints (T, 22, 3)."""
    rotations = np.zeros((len(joints), BONE_COUNT, 4))
    rotations[..., 0] = 1.0
    _solve_trunk(rotations, joints, rest)
    for side in (LEFT, RIGHT):
        _solve_arm(rotations, joints, rest, side)
        _solve_leg(rotations, joints, rest, side)
    return rotations


def _solve_trunk(rotations: Array, joints: Array, rest: Array) -> None:
    rotations[:, PELVIS] = times(_pelvis(joints), inverse(_pelvis(rest)))
    rotations[:, CHEST] = times(_chest(joints), inverse(_chest(rest)))
    rotations[:, SPINE1] = between(rotations[:, PELVIS], rotations[:, CHEST], 0.30)
    rotations[:, SPINE2] = between(rotations[:, PELVIS], rotations[:, CHEST], 0.70)
    neck = _swung(rotations[:, CHEST], _neck_at_rest(joints, rest), joints, NECK, HEAD)
    rotations[:, NECK] = between(rotations[:, CHEST], neck, 0.6)
    rotations[:, HEAD] = neck


def _pelvis(joints: Array) -> Array:
    # The long way from hips to spine2, and from there to the neck: short spine bones differ most between skeletons.
    left, right = joints[..., LEFT.hip, :], joints[..., RIGHT.hip, :]
    return from_axes(left - right, joints[..., SPINE2, :] - (left + right) / 2)


def _chest(joints: Array) -> Array:
    wide = joints[..., LEFT.collar, :] - joints[..., RIGHT.collar, :]
    wide = wide + 0.3 * (joints[..., LEFT.shoulder, :] - joints[..., RIGHT.shoulder, :])
    return from_axes(wide, joints[..., NECK, :] - joints[..., SPINE2, :])


def _neck_at_rest(joints: Array, rest: Array) -> Array:
    """Where the head is from the neck when one looks straight ahead.

    Up and well forward in HumanML3D, whose neck joint is high; all but upright where (in CMU's) the neck bone is long
    that begins between the shoulders. The lengths tell which it is.
    """
    long = np.median(np.linalg.norm(joints[:, HEAD] - joints[:, NECK], axis=-1))
    below = np.median(np.linalg.norm(joints[:, NECK] - joints[:, CHEST], axis=-1))
    share = float(np.clip((long / max(float(below), 1e-6) - 0.7) / 0.8, 0.0, 1.0))
    ours = rest[HEAD] - rest[NECK]
    ours = ours / np.linalg.norm(ours)
    return np.asarray((1 - share) * ours + share * np.array([0.0, 0.99, 0.14]))


def _swung(base: Array, rest_direction: Array, joints: Array, start: int, end: int) -> Array:
    """`base`, then the least further turn that points the bone where its joints say; none if they coincide."""
    at_rest = rest_direction / max(float(np.linalg.norm(rest_direction)), 1e-9)
    before = turned(base, np.broadcast_to(at_rest, (len(joints), 3)))
    return times(swing(before, unit(joints[:, end] - joints[:, start], before)), base)


def _hinged(base: Array, near: Array, far: Array, hinge: Array, joints: Array, start: int, end: int) -> Array:
    """`base`, bent about its hinge by as much as the joints are, then the little further turn that points the bone.

    A swing alone is a guess where a limb is folded: near 180 degrees the shortest way can be any, and flips from frame
    to frame. `near`, `far` and `hinge` are directions at rest: of the bone before the joint, of the one beyond it, and
    of what it bends about.
    """
    near, far = near / np.linalg.norm(near), far / np.linalg.norm(far)
    hinge = hinge - near * (hinge @ near)
    hinge = hinge / np.linalg.norm(hinge)
    bend_at_rest = np.arctan2(np.cross(near, far) @ hinge, near @ far)
    before, beyond, axis = (turned(base, np.broadcast_to(part, (len(joints), 3))) for part in (near, far, hinge))
    towards = _direction(joints, start, end, beyond)
    bend = np.arctan2(np.linalg.norm(cross(before, towards), axis=-1), dot(before, towards))
    return _swung(times(about(axis, bend - bend_at_rest), base), far, joints, start, end)


def _direction(joints: Array, start: int, end: int, otherwise: Array) -> Array:
    return unit(joints[:, end] - joints[:, start], otherwise)


def _solve_arm(rotations: Array, joints: Array, rest: Array, side: Side) -> None:
    chest = rotations[:, CHEST]
    rotations[:, side.collar] = _swung(
        chest, rest[side.shoulder] - rest[side.collar], joints, side.collar, side.shoulder
    )
    # The arm is first lifted to the side, then swung: the one direction that has no shortest swing is then through
    # the chest, where no arm goes.
    upper = rest[side.elbow] - rest[side.shoulder]
    upper = upper / np.linalg.norm(upper)
    sideways = np.array([float(side.sign), 0.0, 0.0])
    lifted = times(chest, np.broadcast_to(swing(upper, sideways), chest.shape))
    straight = _swung(lifted, upper, joints, side.shoulder, side.elbow)
    axis = turned(straight, np.broadcast_to(upper, (len(joints), 3)))
    forearm = _direction(joints, side.elbow, side.wrist, axis)
    hinge = cross(axis, forearm)
    at_rest = np.cross(upper, _FORWARD)
    trust = seen_from_bend(np.linalg.norm(hinge, axis=-1))
    angle = twist(straight, axis, at_rest, hinge, trust, limit=2.4)
    full = times(about(axis, angle), straight)
    rotations[:, side.shoulder] = straight
    rotations[:, side.shoulder_half] = between(rotations[:, side.collar], straight, 0.5)
    rotations[:, side.upper_arm_middle] = times(about(axis, angle / 2), straight)
    rotations[:, side.upper_arm_low] = full
    lower = rest[side.wrist] - rest[side.elbow]
    rotations[:, side.elbow] = _hinged(full, upper, lower, at_rest, joints, side.elbow, side.wrist)
    rotations[:, side.elbow_half] = between(full, rotations[:, side.elbow], 0.5)
    rotations[:, side.wrist] = rotations[:, side.elbow]


def _solve_leg(rotations: Array, joints: Array, rest: Array, side: Side) -> None:
    pelvis = rotations[:, PELVIS]
    straight = _swung(pelvis, rest[side.knee] - rest[side.hip], joints, side.hip, side.knee)
    thigh = _direction(joints, side.hip, side.knee, turned(pelvis, np.broadcast_to(-_UP, (len(joints), 3))))
    shin = _direction(joints, side.knee, side.ankle, thigh)
    foot = _direction(joints, side.ankle, side.foot, turned(pelvis, np.broadcast_to(_FORWARD, (len(joints), 3))))
    hinge = cross(thigh, shin)
    across_foot = cross(foot, shin)
    bend, point = np.linalg.norm(hinge, axis=-1), np.linalg.norm(across_foot, axis=-1)
    from_knee, from_foot = seen_from_bend(bend), 0.6 * seen_from_bend(point)
    wanted = unit(hinge, thigh) * from_knee[:, None]
    wanted = wanted + unit(across_foot, thigh) * ((1 - from_knee) * from_foot)[:, None]
    trust = np.maximum(from_knee, from_foot)
    angle = twist(straight, thigh, np.array([1.0, 0.0, 0.0]), wanted, trust, limit=1.4)
    full = times(about(thigh, angle), straight)
    rotations[:, side.hip] = straight
    rotations[:, side.hip_half] = between(pelvis, straight, 0.5)
    rotations[:, side.thigh_middle] = times(about(thigh, angle / 2), straight)
    rotations[:, side.thigh_low] = full
    upper, lower = rest[side.knee] - rest[side.hip], rest[side.ankle] - rest[side.knee]
    knee = _hinged(full, upper, lower, np.array([1.0, 0.0, 0.0]), joints, side.knee, side.ankle)
    rotations[:, side.knee] = knee
    rotations[:, side.knee_half] = between(full, knee, 0.5)
    _solve_foot(rotations, joints, rest, side, shin, across_foot, seen_from_bend(point))


def _solve_foot(
    rotations: Array, joints: Array, rest: Array, side: Side, shin: Array, across_foot: Array, trust: Array
) -> None:
    knee = rotations[:, side.knee]
    at_rest = np.cross(rest[side.foot] - rest[side.ankle], rest[side.ankle] - rest[side.knee])
    angle = twist(knee, shin, at_rest / np.linalg.norm(at_rest), across_foot, trust, limit=0.9)
    rotations[:, side.shin_low] = times(about(shin, angle), knee)
    lower, foot_at_rest = rest[side.ankle] - rest[side.knee], rest[side.foot] - rest[side.ankle]
    foot = _hinged(rotations[:, side.shin_low], lower, foot_at_rest, -at_rest, joints, side.ankle, side.foot)
    rotations[:, side.ankle] = foot
    rotations[:, side.foot] = foot


__all__ = ["bone_rotations", "smoothed"]
