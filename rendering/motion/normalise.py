"""Motions turned and scaled to a common frame, when somebody asks for it; nothing does so silently."""

import math

import numpy as np

from rendering.motion.skeleton import CHAINS, JOINT_NAMES
from rendering.motion.trajectory import MotionFormatError, Trajectory, trajectory_from_array

__all__ = ["face_forward", "scale_to_stature"]

# Head joint to ball of the foot, as a share of the stature.
_CHAIN_SHARE = 0.93


def face_forward(trajectory: Trajectory) -> Trajectory:
    """The motion turned about the vertical so that it begins over the origin, hips and shoulders facing +Z."""
    joints = trajectory.joints.astype(np.float64)
    first = {name: joints[0, JOINT_NAMES.index(name)] for name in JOINT_NAMES}
    across = first["left_hip"] - first["right_hip"] + first["left_shoulder"] - first["right_shoulder"]
    angle = math.atan2(across[2], across[0])  # the left of a body that faces +Z is +X
    turn = np.array([[math.cos(angle), 0, math.sin(angle)], [0, 1, 0], [-math.sin(angle), 0, math.cos(angle)]])
    turned = (joints - first["pelvis"] * [1, 0, 1]) @ turn.T
    return trajectory_from_array(turned.astype(np.float32), fps=trajectory.fps)


def scale_to_stature(trajectory: Trajectory, metres: float) -> Trajectory:
    """The motion scaled about the origin until the body is `metres` tall, by its median bone lengths."""
    if not 0.1 <= metres <= 10:
        raise MotionFormatError(f"stature: expected 0.1 to 10 metres, found {metres:g}")
    joints = trajectory.joints.astype(np.float64)
    chains = (CHAINS["spine"], CHAINS["left_leg"][1:], CHAINS["right_leg"][1:])
    spine, *legs = (np.linalg.norm(np.diff(joints[:, chain], axis=1), axis=-1).sum(axis=1) for chain in chains)
    stature = float(np.median(spine + np.mean(legs, axis=0))) / _CHAIN_SHARE
    if stature < 1e-6:
        raise MotionFormatError("stature: expected a body with a size, found joints that coincide")
    return trajectory_from_array((joints * (metres / stature)).astype(np.float32), fps=trajectory.fps)
