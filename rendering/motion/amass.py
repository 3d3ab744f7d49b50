"""AMASS archives: SMPL-H poses turned into joint positions on a skeleton of our own.

The SMPL models are under a licence that does not let us ship them, so `betas` are not used: everybody gets the same
body of average proportions. Angles are the recording's, positions are approximate by centimetres.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion.npz import Archive
from rendering.motion.rotations import from_axis_angle
from rendering.motion.skeleton import JOINT_COUNT, PARENTS
from rendering.motion.trajectory import MAX_FRAMES, MotionFormatError

UP: Final = "z"
_WIDEST: Final = 300  # SMPL-X has 165
_RATES: Final = ("mocap_framerate", "mocap_frame_rate", "fps")

# Metres from the parent in the rest pose (arms out, Y up, facing +z, left is +x), of a person of about 1.7 m.
OFFSETS: Final = (
    (0.0, 0.0, 0.0),  # pelvis
    (0.06, -0.09, 0.0),  # left_hip
    (-0.06, -0.09, 0.0),
    (0.0, 0.12, -0.03),  # spine1
    (0.04, -0.39, 0.0),  # left_knee
    (-0.04, -0.39, 0.0),
    (0.0, 0.14, 0.0),  # spine2
    (-0.01, -0.42, -0.04),  # left_ankle
    (0.01, -0.42, -0.04),
    (0.0, 0.06, 0.03),  # spine3
    (0.04, -0.06, 0.12),  # left_foot
    (-0.04, -0.06, 0.12),
    (0.0, 0.21, -0.04),  # neck
    (0.08, 0.12, -0.02),  # left_collar
    (-0.08, 0.12, -0.02),
    (0.0, 0.09, 0.05),  # head
    (0.12, 0.04, -0.02),  # left_shoulder
    (-0.12, 0.04, -0.02),
    (0.26, -0.01, -0.02),  # left_elbow
    (-0.26, -0.01, -0.02),
    (0.26, 0.01, 0.0),  # left_wrist
    (-0.26, 0.01, 0.0),
)

Array = npt.NDArray[np.float64]

__all__ = ["OFFSETS", "UP", "PoseMotion", "is_amass", "joints_from_poses", "read_amass"]


@dataclass(frozen=True)
class PoseMotion:
    """Joint positions in the file's own axes, and its rate if it says one."""

    joints: Array
    fps: float | None


def is_amass(archive: Archive) -> bool:
    return "poses" in archive.keys


def read_amass(archive: Archive, *, name: str) -> PoseMotion:
    if "trans" not in archive.keys:
        raise MotionFormatError(f"{name}: expected poses and trans, found {', '.join(archive.keys)}")
    poses = archive.array("poses", check=lambda shape: _check_poses(shape, name=name))
    trans = archive.array("trans", check=lambda shape: _check_trans(shape, frames=len(poses), name=name))
    if not (np.isfinite(poses).all() and np.isfinite(trans).all()):
        raise MotionFormatError(f"{name}: expected finite poses and trans, found nan or inf")
    rate = next((key for key in _RATES if key in archive.keys), None)
    joints = joints_from_poses(poses.astype(np.float64), trans.astype(np.float64))
    return PoseMotion(joints, archive.number(rate) if rate else None)


def _check_poses(shape: tuple[int, ...], *, name: str) -> None:
    if len(shape) != 2 or shape[1] % 3 or not 3 * JOINT_COUNT <= shape[1] <= _WIDEST:
        raise MotionFormatError(f"{name}[poses]: expected (frames, 156) or at least 66, found {shape}")
    if shape[0] > MAX_FRAMES:
        raise MotionFormatError(f"{name}[poses]: expected at most {MAX_FRAMES} frames, found {shape[0]}")


def _check_trans(shape: tuple[int, ...], *, frames: int, name: str) -> None:
    if shape != (frames, 3):
        raise MotionFormatError(f"{name}[trans]: expected ({frames}, 3), found {shape}")


def joints_from_poses(poses: Array, trans: Array) -> Array:
    """Forward kinematics of the first 22 joints from axis-angle (frames, at least 66) and the root's place."""
    local = from_axis_angle(poses[:, : 3 * JOINT_COUNT].reshape(len(poses), JOINT_COUNT, 3))
    joints, rotations = np.zeros((len(poses), JOINT_COUNT, 3)), local.copy()
    joints[:, 0] = trans
    for joint in range(1, JOINT_COUNT):
        parent = PARENTS[joint]
        joints[:, joint] = joints[:, parent] + rotations[:, parent] @ np.array(OFFSETS[joint])
        rotations[:, joint] = rotations[:, parent] @ local[:, joint]
    return joints
