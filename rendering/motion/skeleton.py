"""The 22-joint skeleton of HumanML3D: names, order, parents and chains."""

from typing import Final

JOINT_NAMES: Final = (
    "pelvis",
    "left_hip",
    "right_hip",
    "spine1",
    "left_knee",
    "right_knee",
    "spine2",
    "left_ankle",
    "right_ankle",
    "spine3",
    "left_foot",
    "right_foot",
    "neck",
    "left_collar",
    "right_collar",
    "head",
    "left_shoulder",
    "right_shoulder",
    "left_elbow",
    "right_elbow",
    "left_wrist",
    "right_wrist",
)
JOINT_COUNT: Final = len(JOINT_NAMES)

# The parent of each joint; the pelvis is the root and has none (-1).
PARENTS: Final = (-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19)

# Root to tip, as HumanML3D groups them.
CHAINS: Final = {
    "left_leg": (0, 1, 4, 7, 10),
    "right_leg": (0, 2, 5, 8, 11),
    "spine": (0, 3, 6, 9, 12, 15),
    "left_arm": (9, 13, 16, 18, 20),
    "right_arm": (9, 14, 17, 19, 21),
}

__all__ = ["CHAINS", "JOINT_COUNT", "JOINT_NAMES", "PARENTS"]
