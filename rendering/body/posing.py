"""From joints to the affine map of every bone, and from those to the skin."""

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rendering.body.asset import Body
from rendering.body.bones import BONE_COUNT, CHEST, HEAD, LEFT, NECK, PELVIS, RIGHT, SPINE1, SPINE2
from rendering.body.rotations import Array, matrices
from rendering.body.solving import bone_rotations
from rendering.motion.skeleton import JOINT_COUNT, PARENTS

# A bone is stretched along itself to the length that its joints ask for, within reason.
_SHORTEST, _LONGEST = 0.4, 2.2
_BLOCK: Final = 32


def _anchors() -> NDArray[np.int64]:
    """The joint that each bone is fixed to."""
    anchors = np.arange(BONE_COUNT)
    for side in (LEFT, RIGHT):
        anchors[[side.shoulder_half, side.upper_arm_middle, side.upper_arm_low]] = side.shoulder
        anchors[[side.hip_half, side.thigh_middle, side.thigh_low]] = side.hip
        anchors[[side.elbow_half]] = side.elbow
        anchors[[side.knee_half, side.shin_low]] = side.knee
    return anchors


def _ends() -> dict[int, tuple[int, int]]:
    """The joints between which a bone is stretched; bones at a fold keep their size."""
    ends = {
        PELVIS: (PELVIS, SPINE1),
        SPINE1: (SPINE1, SPINE2),
        SPINE2: (PELVIS, CHEST),
        CHEST: (SPINE2, NECK),
        NECK: (NECK, HEAD),
    }
    for side in (LEFT, RIGHT):
        ends[side.collar] = (side.collar, side.shoulder)
        for bone in (side.shoulder, side.upper_arm_middle, side.upper_arm_low):
            ends[bone] = (side.shoulder, side.elbow)
        ends[side.elbow] = (side.elbow, side.wrist)
        for bone in (side.hip, side.thigh_middle, side.thigh_low):
            ends[bone] = (side.hip, side.knee)
        for bone in (side.knee, side.shin_low):
            ends[bone] = (side.knee, side.ankle)
        ends[side.ankle] = (side.ankle, side.foot)
    return ends


ANCHORS: Final = _anchors()
ENDS: Final = _ends()


def stature_ratio(joints: Array, rest: Array) -> float:
    """How tall the skeleton is beside ours: the sum of the middle lengths of its bones."""
    parents = np.array(PARENTS[1:])
    lengths = np.median(np.linalg.norm(joints[:, 1:] - joints[:, parents], axis=-1), axis=0)
    ours = np.linalg.norm(rest[1:] - rest[parents], axis=-1)
    return float(np.clip(lengths.sum() / ours.sum(), 0.05, 20.0))


def pose_bones(body: Body, joints: ArrayLike) -> NDArray[np.float32]:
    """The affine map (T, bones, 3, 4) of every bone, from rest to its place in each frame.

    Bone j takes rest joint j to joint j exactly. Float32 holds a millimetre up to some kilometres from the origin.
    """
    posed = np.asarray(joints, dtype=np.float64)
    if posed.ndim != 3 or posed.shape[1:] != (JOINT_COUNT, 3):
        raise ValueError(f"joints: expected (frames, {JOINT_COUNT}, 3), found {posed.shape}")
    if len(posed) == 0:
        return np.zeros((0, body.bone_count, 3, 4), dtype=np.float32)
    rest = body.joints.astype(np.float64)
    ratio = stature_ratio(posed, rest)
    linear = matrices(bone_rotations(posed, rest)) * ratio
    for bone, (start, end) in ENDS.items():
        along = rest[end] - rest[start]
        length = np.linalg.norm(along)
        along = along / length
        stretch = np.linalg.norm(posed[:, end] - posed[:, start], axis=-1) / (length * ratio)
        stretch = np.clip(stretch, _SHORTEST, _LONGEST)
        linear[:, bone] += (stretch - 1.0)[:, None, None] * (linear[:, bone] @ along)[:, :, None] * along
    shift = posed[:, ANCHORS] - np.einsum("tbij,bj->tbi", linear, rest[ANCHORS])
    return np.concatenate([linear, shift[..., None]], axis=-1).astype(np.float32)


def skin(body: Body, bones: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vertices (T, V, 3) of the posed body: each the weighted mean of where its bones would take it."""
    maps = np.asarray(bones, dtype=np.float32)
    if maps.ndim != 4 or maps.shape[1:] != (body.bone_count, 3, 4):
        raise ValueError(f"bones: expected (frames, {body.bone_count}, 3, 4), found {maps.shape}")
    out = np.empty((len(maps), len(body.vertices), 3), dtype=np.float32)
    blend = body.blend
    for start in range(0, len(maps), _BLOCK):
        block = maps[start : start + _BLOCK]
        rows = block.transpose(0, 2, 1, 3).reshape(len(block) * 3, -1)
        out[start : start + len(block)] = (rows @ blend).reshape(len(block), 3, -1).transpose(0, 2, 1)
    return out
