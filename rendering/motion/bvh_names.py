"""The 22 joints by the names that BVH files give them. A pair of names means the point half way between them."""

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion.skeleton import JOINT_NAMES
from rendering.motion.trajectory import MotionFormatError

Names = tuple[str | tuple[str, str], ...]

__all__ = ["VOCABULARIES", "joints_by_name"]


def _sides(spine: Names, leg: tuple[str, ...], arm: tuple[str, ...], left: str, right: str) -> Names:
    """In the order of JOINT_NAMES, from spine (pelvis to head), leg (hip to foot) and arm (collar to wrist)."""
    pelvis, spine1, spine2, spine3, neck, head = spine
    legs = [(left + part, right + part) for part in leg]
    arms = [(left + part, right + part) for part in arm]
    return (
        pelvis, *legs[0], spine1, *legs[1], spine2, *legs[2], spine3, *legs[3],
        neck, *arms[0], head, *arms[1], *arms[2], *arms[3],
    )  # fmt: skip


_ARM: Final = ("Shoulder", "Arm", "ForeArm", "Hand")
_SPINES: Final = ("Hips", "Spine", "Spine1", "Spine2", "Neck", "Head")

VOCABULARIES: Final[Mapping[str, Names]] = {
    "Mixamo": _sides(_SPINES, ("UpLeg", "Leg", "Foot", "ToeBase"), _ARM, "Left", "Right"),
    "LAFAN1": _sides(_SPINES, ("UpLeg", "Leg", "Foot", "Toe"), _ARM, "Left", "Right"),
    # LowerBack is where the hips are, and Neck where the upper spine ends: bones of no length.
    "CMU": _sides(
        ("Hips", ("Hips", "Spine"), "Spine", "Spine1", "Neck1", "Head"),
        ("UpLeg", "Leg", "Foot", "ToeBase"), _ARM, "Left", "Right",
    ),
    "SMPL": _sides(
        ("Pelvis", "Spine1", "Spine2", "Spine3", "Neck", "Head"),
        ("Hip", "Knee", "Ankle", "Foot"), ("Collar", "Shoulder", "Elbow", "Wrist"), "L", "R",
    ),
    "HumanML3D": JOINT_NAMES,
}  # fmt: skip


def joints_by_name(positions: Mapping[str, npt.NDArray[np.float64]], *, name: str) -> npt.NDArray[np.float64]:
    """(frames, 22, 3) from positions by the names of the file, in the vocabulary that knows all of the 22."""
    found = {_plain(joint): values for joint, values in positions.items()}
    missing = {title: _missing(names, found) for title, names in VOCABULARIES.items()}
    best = min(missing, key=lambda title: len(missing[title]))
    if missing[best]:
        raise MotionFormatError(
            f"{name}: expected the joints of {', '.join(VOCABULARIES)}; nearest is {best}, found no "
            f"{', '.join(missing[best])} among {', '.join(positions)[:600]}"
        )
    _check_single(VOCABULARIES[best], positions, name=name)
    return np.stack([_point(joint, found) for joint in VOCABULARIES[best]], axis=1)


def _missing(names: Names, found: Mapping[str, object]) -> list[str]:
    return sorted(joint for joint in _wanted(names) if _plain(joint) not in found)


def _wanted(names: Names) -> set[str]:
    return {one for joint in names for one in ((joint,) if isinstance(joint, str) else joint)}


def _check_single(names: Names, positions: Mapping[str, object], *, name: str) -> None:
    """Two people in one file, or two spellings of a joint: which is meant is not ours to guess."""
    count = Counter(_plain(joint) for joint in positions)
    for joint in sorted(_wanted(names)):
        if count[_plain(joint)] > 1:
            found = ", ".join(other for other in positions if _plain(other) == _plain(joint))
            raise MotionFormatError(f"{name}: expected one joint {joint}, found {found}")


def _point(joint: str | tuple[str, str], found: Mapping[str, npt.NDArray[np.float64]]) -> npt.NDArray[np.float64]:
    if isinstance(joint, str):
        return found[_plain(joint)]
    return (found[_plain(joint[0])] + found[_plain(joint[1])]) / 2


def _plain(joint: str) -> str:
    """`mixamorig:LeftArm`, `Left_Arm` and `leftarm` are one name."""
    last = joint.rpartition(":")[2].lower()
    for sign in "_- .":
        last = last.replace(sign, "")
    return re.sub(r"^(mixamorig\d*|model)(?=.)", "", last)
