"""What 22 joints say about the body: its size, where its head is, and which way it faces."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion.skeleton import CHAINS, JOINT_NAMES
from rendering.motion.trajectory import Trajectory

__all__ = ["FOOT_RADIUS", "HEAD_RADIUS", "LIMB_RADIUS", "Figure", "measure_figure", "unit_vectors"]

Points = npt.NDArray[np.float64]

# Shares of the stature.
LIMB_RADIUS: Final = 0.032  # the thickest limb
FOOT_RADIUS: Final = 0.015
HEAD_RADIUS: Final = 0.062
# The head joint sits at the base of the skull.
HEAD_RISE: Final = 0.055
HEAD_ADVANCE: Final = 0.012

# The chains end at the head joint and the ball of the foot: less than the stature by about this.
CHAIN_SHARE: Final = 0.93
SMALLEST_STATURE: Final = 1e-3  # metres: a motion whose joints all coincide still gets a picture


@dataclass(frozen=True)
class Figure:
    """The body that the joints belong to. Per-frame arrays are (frames, 3), metres."""

    stature: float
    head_centre: Points
    forward: Points  # unit vectors: where the chest faces
    head_up: Points  # unit vectors


def measure_figure(trajectory: Trajectory) -> Figure:
    """The size and heading of the body, from positions alone.

    The turn of the head on the neck cannot be seen from 22 joints, so the face follows the chest.
    """
    joints = trajectory.joints.astype(np.float64)
    stature = _stature(joints)
    head_up = _head_up(joints)
    forward = _forward(joints, head_up)
    head_centre = _joint(joints, "head") + stature * (HEAD_RISE * head_up + HEAD_ADVANCE * forward)
    return Figure(stature=stature, head_centre=head_centre, forward=forward, head_up=head_up)


def _stature(joints: Points) -> float:
    legs = [_chain_length(joints, CHAINS[leg][1:]) for leg in ("left_leg", "right_leg")]
    tall = np.mean(legs, axis=0) + _chain_length(joints, CHAINS["spine"])
    # The median, because generated bodies may stretch for a few frames.
    return max(float(np.median(tall)) / CHAIN_SHARE, SMALLEST_STATURE)


def _chain_length(joints: Points, chain: tuple[int, ...]) -> Points:
    bones = np.diff(joints[:, chain], axis=1)
    lengths: Points = np.linalg.norm(bones, axis=-1).sum(axis=1)
    return lengths


def _head_up(joints: Points) -> Points:
    """Half way between neck and trunk: in SMPL's skeleton the neck leans 30 degrees forward in a body that stands
    straight, in others (CMU's) it does not, and a face that looks down would be read as part of the motion."""
    neck = _joint(joints, "neck")
    trunk = unit_vectors(neck - _joint(joints, "pelvis"), otherwise=np.array([0.0, 1.0, 0.0]))
    return unit_vectors(unit_vectors(_joint(joints, "head") - neck, otherwise=trunk) + trunk, otherwise=trunk)


def _forward(joints: Points, head_up: Points) -> Points:
    """Where the chest faces, across the shoulders and up the spine, made square to the head."""
    left = _joint(joints, "left_shoulder") - _joint(joints, "right_shoulder")
    up = _joint(joints, "neck") - _joint(joints, "pelvis")
    chest = unit_vectors(np.cross(left, up), otherwise=np.array([0.0, 0.0, 1.0]))
    square = chest - np.sum(chest * head_up, axis=1, keepdims=True) * head_up
    return unit_vectors(square, otherwise=chest)


def _joint(joints: Points, name: str) -> Points:
    points: Points = joints[:, JOINT_NAMES.index(name)]
    return points


def unit_vectors(vectors: Points, *, otherwise: Points) -> Points:
    """Vectors of length one; `otherwise` where there is no direction to keep."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    known = lengths > 1e-9
    return np.where(known, vectors / np.where(known, lengths, 1.0), otherwise)
