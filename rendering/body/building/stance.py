"""The rest pose: where the joints of the mesh are when nothing is posed. Only the left side; the right is its mirror.

Bone lengths are HumanML3D's. Arms hang half way (45 degrees) and legs stand apart, so that armpits and crotch are
open to the mesher and every motion is at most half a swing away.
"""

from typing import Final

import numpy as np

from rendering.body.bones import LEFT, RIGHT
from rendering.body.building.shapes import Array, unit, vector
from rendering.motion.skeleton import JOINT_COUNT

HIP: Final = (0.062, -0.086, -0.010)
THIGH: Final = (0.392, (0.15, -1.0, 0.02))
SHANK: Final = (0.429, (0.08, -1.0, -0.055))
FOOT: Final = (0.146, (0.020, -0.057, 0.132))
COLLAR: Final = (0.076, 0.443, -0.020)
SHOULDER: Final = (0.126, (0.120, 0.030, -0.012))
UPPER_ARM: Final = (0.260, (0.72, -0.70, -0.02))
FOREARM: Final = (0.268, (0.72, -0.70, 0.09))
CENTRE: Final = {0: (0, 0, 0), 3: (0, 0.128, -0.028), 6: (0, 0.270, -0.010), 9: (0, 0.327, -0.004)}
HEADWARD: Final = {12: (0, 0.541, -0.034), 15: (0, 0.629, 0.016)}


def _from(start: Array, bone: tuple[float, tuple[float, float, float]]) -> Array:
    return np.asarray(start + bone[0] * unit(bone[1]))


def rest_joints() -> Array:
    joints = np.zeros((JOINT_COUNT, 3))
    for joint, place in (CENTRE | HEADWARD).items():
        joints[joint] = place
    joints[LEFT.hip] = HIP
    joints[LEFT.knee] = _from(joints[LEFT.hip], THIGH)
    joints[LEFT.ankle] = _from(joints[LEFT.knee], SHANK)
    joints[LEFT.foot] = _from(joints[LEFT.ankle], FOOT)
    joints[LEFT.collar] = COLLAR
    joints[LEFT.shoulder] = _from(joints[LEFT.collar], SHOULDER)
    joints[LEFT.elbow] = _from(joints[LEFT.shoulder], UPPER_ARM)
    joints[LEFT.wrist] = _from(joints[LEFT.elbow], FOREARM)
    mirror = vector((-1, 1, 1))
    for left, right in zip(LEFT[1:9], RIGHT[1:9], strict=True):
        joints[right] = joints[left] * mirror
    return joints
