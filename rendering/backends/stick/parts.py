"""The parts of the drawn figure: which joints each joins, how thick it is, and in which of the look's colours."""

from dataclasses import dataclass, replace
from typing import Final, Literal

from rendering.motion.skeleton import JOINT_NAMES

__all__ = ["BONES", "NOSE", "TORSO_RADII", "WAIST", "Bone", "Hue"]

Hue = Literal["left", "right", "torso"]


@dataclass(frozen=True)
class Bone:
    """A tapered line between two joints; radii are shares of the stature."""

    start: int
    end: int
    start_radius: float
    end_radius: float
    hue: Hue
    outlined: bool = True


def _bone(start: str, end: str, start_radius: float, end_radius: float, hue: Hue) -> Bone:
    return Bone(JOINT_NAMES.index(start), JOINT_NAMES.index(end), start_radius, end_radius, hue)


def _limbs(side: Literal["left", "right"]) -> tuple[Bone, ...]:
    return (
        _bone(f"{side}_hip", f"{side}_knee", 0.031, 0.023, side),
        _bone(f"{side}_knee", f"{side}_ankle", 0.023, 0.016, side),
        _bone(f"{side}_ankle", f"{side}_foot", 0.017, 0.015, side),
        _bone(f"{side}_shoulder", f"{side}_elbow", 0.023, 0.018, side),
        _bone(f"{side}_elbow", f"{side}_wrist", 0.018, 0.015, side),
    )


# No outline: it would cut the neck off the torso, which has its colour.
_NECK: Final = replace(_bone("neck", "head", 0.021, 0.021, "torso"), outlined=False)
BONES: Final = (*_limbs("left"), *_limbs("right"), _NECK)

# The torso is one patch around: neck, shoulder, waist, hip, and back up the other side. Thickness at each corner.
TORSO_RADII: Final = {"neck": 0.024, "shoulder": 0.024, "waist": 0.026, "hip": 0.030}
WAIST: Final = 0.040  # from the spine to each side, as a share of the stature


@dataclass(frozen=True)
class Nose:
    """A wedge out of the face, in head radii."""

    base: float = 0.94
    tip: float = 1.5
    base_radius: float = 0.28
    tip_radius: float = 0.12


NOSE: Final = Nose()
