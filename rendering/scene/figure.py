"""What 22 joints say about the body: its size, where its head is, and which way it faces."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion.skeleton import CHAINS, JOINT_NAMES
from rendering.motion.trajectory import Trajectory

__all__ = ["FOOT_RADIUS", "HEAD_RADIUS", "LIMB_RADIUS", "Figure", "measure_figure"]

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
    neck, head = _joint(joints, "neck"), _joint(joints, "head")
    head_up = _unit(head - neck, otherwise=_unit(neck - _joint(joints, "pelvis"), otherwise=np.array([0.0, 1.0, 0.0])))
    forward = _forward(joints, head_up)
    head_centre = head + stature * (HEAD_RISE * head_up + HEAD_ADVANCE * forward)
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


def _forward(joints: Points, head_up: Points) -> Points:
    """Where the chest faces, across the shoulders and up the spine, made square to the head."""
    left = _joint(joints, "left_shoulder") - _joint(joints, "right_shoulder")
    up = _joint(joints, "neck") - _joint(joints, "pelvis")
    chest = _unit(np.cross(left, up), otherwise=np.array([0.0, 0.0, 1.0]))
    square = chest - np.sum(chest * head_up, axis=1, keepdims=True) * head_up
    return _unit(square, otherwise=chest)


def _joint(joints: Points, name: str) -> Points:
    points: Points = joints[:, JOINT_NAMES.index(name)]
    return points


def _unit(vectors: Points, *, otherwise: Points) -> Points:
    """Vectors of length one; `otherwise` where there is no direction to keep."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    known = lengths > 1e-9
    return np.where(known, vectors / np.where(known, lengths, 1.0), otherwise)
