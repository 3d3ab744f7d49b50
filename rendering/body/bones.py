"""The bones of the body: one for each of the 22 joints, and helpers between them that keep flesh from collapsing.

A limb that turns about its own axis (twist) or folds (a knee) looks wrong when its skin is blended between only two
bones: it is wrung like a candy wrapper, or its volume vanishes. So twist is handed on in steps along the limb, and
every folding joint has a bone that turns half way.
"""

from typing import Final, NamedTuple

from rendering.motion.skeleton import JOINT_COUNT, JOINT_NAMES

HELPERS: Final = (
    "shoulder_half",
    "upper_arm_middle",
    "upper_arm_low",
    "elbow_half",
    "hip_half",
    "thigh_middle",
    "thigh_low",
    "knee_half",
    "shin_low",
)
BONE_NAMES: Final = (*JOINT_NAMES, *(f"{side}_{helper}" for side in ("left", "right") for helper in HELPERS))
BONE_COUNT: Final = len(BONE_NAMES)

PELVIS: Final = 0
SPINE1: Final = 3
SPINE2: Final = 6
CHEST: Final = 9
NECK: Final = 12
HEAD: Final = 15


class Side(NamedTuple):
    """The numbers of one side's bones; `sign` is that of its X."""

    sign: int
    hip: int
    knee: int
    ankle: int
    foot: int
    collar: int
    shoulder: int
    elbow: int
    wrist: int
    shoulder_half: int
    upper_arm_middle: int
    upper_arm_low: int
    elbow_half: int
    hip_half: int
    thigh_middle: int
    thigh_low: int
    knee_half: int
    shin_low: int


LEFT: Final = Side(1, 1, 4, 7, 10, 13, 16, 18, 20, *range(JOINT_COUNT, JOINT_COUNT + len(HELPERS)))
RIGHT: Final = Side(-1, 2, 5, 8, 11, 14, 17, 19, 21, *range(JOINT_COUNT + len(HELPERS), BONE_COUNT))

# What a bone becomes when the body is mirrored in X.
MIRRORED: Final = tuple(
    dict(zip((*LEFT[1:], *RIGHT[1:]), (*RIGHT[1:], *LEFT[1:]), strict=True)).get(bone, bone)
    for bone in range(BONE_COUNT)
)

__all__ = [
    "BONE_COUNT",
    "BONE_NAMES",
    "CHEST",
    "HEAD",
    "LEFT",
    "MIRRORED",
    "NECK",
    "PELVIS",
    "RIGHT",
    "SPINE1",
    "SPINE2",
    "Side",
]
