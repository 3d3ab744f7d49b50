"""Which axis points up: turning a motion so that it is Y, and noticing when a file was taken for the wrong one.

A whole clip of lying or of standing on one's hands is a motion too, so a wrong axis is only claimed when nearly every
frame says so.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion.skeleton import JOINT_NAMES
from rendering.motion.trajectory import MotionFormatError

Array = npt.NDArray[np.float64]

# Rows of the rotation that makes the named axis Y; each keeps right-handedness, so nobody is mirrored.
TURNS: Final = {
    "y": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "z": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "-y": ((1, 0, 0), (0, -1, 0), (0, 0, -1)),
    "-z": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
}
_HEAD: Final = JOINT_NAMES.index("head")
_ANKLES: Final = [JOINT_NAMES.index("left_ankle"), JOINT_NAMES.index("right_ankle")]
_WRISTS: Final = [JOINT_NAMES.index("left_wrist"), JOINT_NAMES.index("right_wrist")]
_NEARLY_ALL: Final = 0.95
_UPRIGHT: Final = 0.7  # cosine: the line from the ankles to the head leans by less than 45 degrees
_ON_FLOOR: Final = 0.25  # metres between the lowest joint and 0

__all__ = ["TURNS", "check_up", "check_upright", "turned_up"]


def check_up(up: str, *, name: str) -> None:
    if up not in TURNS:
        raise MotionFormatError(f"{name}: expected up among {', '.join(TURNS)}, found {up!r}")


def turned_up(joints: Array, *, up: str) -> Array:
    """The motion with its `up` axis turned to Y."""
    return joints @ np.array(TURNS[up], dtype=np.float64).T


def check_upright(joints: Array, *, up: str, stated: bool, name: str) -> None:
    """Raise when nearly every frame of `joints`, turned by `up` already, stands upright along another axis.

    Someone who lies with the head the right way looks just like that. Their feet are on no floor there, though; so
    where a person has `stated` the axis, only a body that also stands on 0 along the other one is refused.
    """
    if _share_upright(joints) > 1 - _NEARLY_ALL:
        return
    native = joints @ np.array(TURNS[up], dtype=np.float64)
    for other in TURNS:
        turned = turned_up(native, up=other)
        if other == up or _share_upright(turned) < _NEARLY_ALL:
            continue
        if _opposite(up, other):
            if _on_hands(joints):
                continue
            found = "the head is below the feet"
        elif stated and abs(float(turned[..., 1].min())) > _ON_FLOOR:
            continue
        else:
            found = "the body lies on its side or back"
        raise MotionFormatError(f"{name}: with up {up}, {found} in nearly every frame; up {other} would fit")


def _share_upright(joints: Array) -> float:
    along = joints[:, _HEAD] - joints[:, _ANKLES].mean(axis=1)
    length = np.maximum(np.linalg.norm(along, axis=1), 1e-9)
    return float((along[:, 1] / length > _UPRIGHT).mean())


def _opposite(one: str, other: str) -> bool:
    return one[-1] == other[-1]


def _on_hands(joints: Array) -> bool:
    """Upside down on purpose: the hands are lower than the head."""
    return bool((joints[:, _WRISTS, 1].mean(axis=1) < joints[:, _HEAD, 1]).mean() > 0.5)
