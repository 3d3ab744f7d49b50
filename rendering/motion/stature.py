"""Is it a person's size? Bones add up to a stature in every pose, and a wrong unit gives itself away by it."""

from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion.skeleton import CHAINS
from rendering.motion.trajectory import MotionFormatError

SMALLEST: Final = 0.8
LARGEST: Final = 2.5

# Metres in one unit. `cmu` is that of B. Hahne's BVH conversion of the CMU recordings: inches times 1 / 0.45.
UNITS: Final = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "cmu": 0.0254 / 0.45}

__all__ = ["LARGEST", "SMALLEST", "UNITS", "check_stature", "metres_in", "stature"]


def metres_in(units: str, *, name: str) -> float:
    try:
        return UNITS[units]
    except KeyError:
        raise MotionFormatError(f"{name}: expected units among {', '.join(UNITS)}, found {units!r}") from None


def stature(joints: npt.NDArray[np.floating]) -> float:
    """The bones from head to toe end to end, whatever the pose: the median over the frames."""
    spine, legs = CHAINS["spine"], (CHAINS["left_leg"], CHAINS["right_leg"])
    lengths = _length(joints, spine) + sum(_length(joints, leg) for leg in legs) / 2
    return float(np.median(lengths))


def check_stature(joints: npt.NDArray[np.floating], *, units: str, name: str) -> None:
    """Raise unless `joints`, in metres, are of a person's size; `units` is what they were read as."""
    tall = stature(joints)
    if SMALLEST <= tall <= LARGEST:
        return
    native = tall / UNITS[units]
    fitting = [unit for unit, metres in UNITS.items() if SMALLEST <= native * metres <= LARGEST]
    hint = f"; units {' or '.join(fitting)} would fit" if fitting else ""
    raise MotionFormatError(
        f"{name}: expected a person of {SMALLEST} to {LARGEST} m from head to toe, found {tall:.3g} m "
        f"when read as units {units}{hint}"
    )


def _length(joints: npt.NDArray[np.floating], chain: tuple[int, ...]) -> npt.NDArray[np.floating]:
    with np.errstate(over="ignore"):  # an infinite stature is one more that is no person's
        bones = np.diff(joints[:, chain].astype(np.float64), axis=1)
        total: npt.NDArray[np.floating] = np.linalg.norm(bones, axis=-1).sum(axis=1)
    return total
