"""HumanML3D's 263 features a frame, turned back into joint positions.

Layout (Guo et al., Generating Diverse and Natural 3D Human Motions from Text, CVPR 2022, section 4): the root's turning
speed, its two horizontal speeds and its height; 21 joint positions relative to the root and its heading; 21 rotations
of 6 numbers; 22 velocities; 4 foot contacts. Only the first 67 are needed for positions.
"""

import os
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion.npy import array_from_npy, open_regular
from rendering.motion.rotations import about_y
from rendering.motion.skeleton import JOINT_COUNT
from rendering.motion.stature import LARGEST, SMALLEST, stature
from rendering.motion.trajectory import MotionFormatError

FEATURES: Final = 263
FPS: Final = 20.0
_CONTACTS: Final = slice(259, 263)
# How far contacts may be from 0 or 1: models give 0.08 at most, normalising leaves 0.25 at least.
_CONTACTS_BESIDE: Final = 0.12

Statistics = str | os.PathLike[str] | npt.ArrayLike

__all__ = ["FEATURES", "FPS", "Statistics", "joints_from_features"]


def joints_from_features(
    features: npt.NDArray[np.generic], *, mean: Statistics | None, std: Statistics | None, name: str
) -> npt.NDArray[np.float64]:
    """(frames, 22, 3) metres from (frames, 263), which are normalised exactly when `mean` and `std` are given."""
    raw = features.astype(np.float64)
    if not np.isfinite(raw).all():
        frame, feature = (int(index) for index in np.argwhere(~np.isfinite(raw))[0])
        raise MotionFormatError(f"{name}: frame {frame}, feature {feature} is not a finite number")
    if (mean is None) != (std is None):
        raise MotionFormatError(f"{name}: expected both mean and std, or neither; found only one of them")
    if mean is not None and std is not None:
        _check_normalised(raw, name=name)
        raw = raw * _statistics(std, "std", smallest=0.0) + _statistics(mean, "mean")
    joints = _recover(raw)
    _check_scale(raw, joints, normalised=mean is not None, name=name)
    return joints


def _recover(features: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A frame's speeds lead to the next one, so the sums lag by a frame. Half angles: a quaternion's."""
    heading = np.zeros(len(features))
    heading[1:] = np.cumsum(features[:-1, 0])
    turn = -2 * heading
    step = np.zeros((len(features), 3))
    step[1:, [0, 2]] = features[:-1, 1:3]
    root = np.cumsum(about_y(turn, step), axis=0)
    root[:, 1] = features[:, 3]
    local = features[:, 4:67].reshape(len(features), JOINT_COUNT - 1, 3)
    others = about_y(turn, local)
    others[..., [0, 2]] += root[:, None, [0, 2]]
    return np.concatenate([root[:, None], others], axis=1)


def _check_scale(
    features: npt.NDArray[np.float64], joints: npt.NDArray[np.float64], *, normalised: bool, name: str
) -> None:
    """Bones add up to a person and contacts are 0 or 1: neither is so where a normalisation is left in."""
    tall, contact = stature(joints), float(features[:, _CONTACTS].mean())
    if _is_person(tall) and -0.25 <= contact <= 1.25:
        return
    found = f"found a person of {tall:.2g} m and foot contacts of {contact:.2g} on average"
    if normalised:
        raise MotionFormatError(
            f"{name}: with this mean and std, {found}: are the features normalised at all, and by these two?"
        )
    raise MotionFormatError(f"{name}: expected HumanML3D features in metres, {found}: normalised? Give mean and std")


def _check_normalised(features: npt.NDArray[np.float64], *, name: str) -> None:
    """Features in metres come out of a mean and std that are not theirs as an average person, who moves a little."""
    contacts = features[:, _CONTACTS]
    tall, beside = stature(_recover(features)), float(np.abs(contacts - (contacts > 0.5)).mean())
    if _is_person(tall) and beside < _CONTACTS_BESIDE:
        raise MotionFormatError(
            f"{name}: expected normalised features for this mean and std, found a person of {tall:.2g} m and foot "
            "contacts of 0 and 1 as they stand: leave mean and std out"
        )


def _is_person(tall: float) -> bool:
    return SMALLEST <= tall <= LARGEST


def _statistics(source: Statistics, what: str, *, smallest: float | None = None) -> npt.NDArray[np.float64]:
    """Mean.npy or Std.npy, by path or as an array of 263 numbers."""
    shown = what
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        shown = f"{what} {path.name}"
        with open_regular(path, name=shown) as (file, size):
            array = array_from_npy(file, size=size, name=shown, check=lambda shape: _check_statistics(shape, shown))
    else:
        array = np.asarray(source)
        _check_statistics(array.shape, shown)
    values = array.astype(np.float64)
    if not np.isfinite(values).all() or (smallest is not None and (values <= smallest).any()):
        raise MotionFormatError(f"{shown}: expected finite numbers{' above 0' if smallest is not None else ''}")
    return values


def _check_statistics(shape: tuple[int, ...], shown: str) -> None:
    if shape != (FEATURES,):
        raise MotionFormatError(f"{shown}: expected ({FEATURES},), found {shape}")
