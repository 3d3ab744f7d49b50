"""The parts of the drawn figure: which joints each joins, how thick it is, and in which of the look's colours."""

from dataclasses import dataclass
from typing import Final, Literal

from rendering.motion.skeleton import JOINT_NAMES

__all__ = ["BONES", "Bone", "Hue"]

Hue = Literal["left", "right", "torso"]


@dataclass(frozen=True)
class Bone:
    """A tapered line between two joints; radii are shares of the stature."""

    start: int
    end: int
    start_radius: float
    end_radius: float
    hue: Hue


def _bone(start: str, end: str, start_radius: float, end_radius: float, hue: Hue) -> Bone:
    return Bone(JOINT_NAMES.index(start), JOINT_NAMES.index(end), start_radius, end_radius, hue)


def _limbs(side: Literal["left", "right"]) -> tuple[Bone, ...]:
    return (
        _bone("pelvis", f"{side}_hip", 0.030, 0.030, "torso"),
        _bone(f"{side}_hip", f"{side}_knee", 0.030, 0.023, side),
        _bone(f"{side}_knee", f"{side}_ankle", 0.023, 0.016, side),
        _bone(f"{side}_ankle", f"{side}_foot", 0.017, 0.015, side),
        _bone("spine3", f"{side}_collar", 0.026, 0.024, "torso"),
        _bone(f"{side}_collar", f"{side}_shoulder", 0.024, 0.023, "torso"),
        _bone(f"{side}_shoulder", f"{side}_elbow", 0.022, 0.018, side),
        _bone(f"{side}_elbow", f"{side}_wrist", 0.018, 0.014, side),
    )


_SPINE: Final = (
    _bone("pelvis", "spine1", 0.030, 0.030, "torso"),
    _bone("spine1", "spine2", 0.030, 0.030, "torso"),
    _bone("spine2", "spine3", 0.030, 0.028, "torso"),
    _bone("spine3", "neck", 0.028, 0.020, "torso"),
    _bone("neck", "head", 0.020, 0.020, "torso"),
)
BONES: Final = (*_SPINE, *_limbs("left"), *_limbs("right"))
