"""One way in for every motion file: the format by suffix and shape, then units, axis and rate, each checked."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.motion import amass, humanml3d
from rendering.motion.bvh import read_bvh
from rendering.motion.bvh_names import joints_by_name
from rendering.motion.humanml3d import Statistics
from rendering.motion.npy import array_from_npy, open_regular
from rendering.motion.npz import Archive, open_npz
from rendering.motion.rates import agreed_fps
from rendering.motion.skeleton import JOINT_COUNT
from rendering.motion.stature import check_stature, metres_in
from rendering.motion.trajectory import (
    MotionFormatError,
    Trajectory,
    check_finite,
    check_shape,
    check_values,
    trajectory_from_array,
)
from rendering.motion.upright import check_up, check_upright, turned_up

# HumanML3D's raw joints: SMPL-H with both hands; its own scripts take the first 22.
_WITH_HANDS: Final = 52
_KEYS: Final = ("joints", "motion", "positions")
_RATE_KEYS: Final = ("fps", "mocap_framerate", "mocap_frame_rate")

__all__ = ["SUFFIXES", "read_motion"]


@dataclass(frozen=True)
class _Found:
    """Joint positions as they stand in the file, and what the file or its format says about them."""

    joints: npt.NDArray[np.float64]
    fps: float | None = None
    default_fps: float | None = None
    up: str = "y"
    fixed: bool = False  # a format that leaves no choice of units and axis


@dataclass(frozen=True)
class _Source:
    path: Path
    name: str
    mean: Statistics | None
    std: Statistics | None


def read_motion(
    path: str | os.PathLike[str],
    *,
    fps: float | None = None,
    up: str | None = None,
    units: str = "m",
    mean: Statistics | None = None,
    std: Statistics | None = None,
    name: str | None = None,
) -> Trajectory:
    """The motion in a .npy, .npz or .bvh file, in metres and Y up; `name` is what error messages call it.

    `fps` is the file's own, else 20 as in HumanML3D, unless given; a file that says another is not overruled. `up` is
    the file's axis: y, or z for AMASS, unless given. `mean` and `std` are those of normalised HumanML3D features.
    """
    source = _Source(Path(path), name or Path(path).name, mean, std)
    if up is not None:
        check_up(up, name=source.name)
    scale = metres_in(units, name=source.name)
    found = _reader(source)(source)
    if found.fixed and (units != "m" or up not in (None, found.up)):
        raise MotionFormatError(f"{source.name}: expected units m and up {found.up}, as the format has them")
    rate = agreed_fps(given=fps, in_file=found.fps, default=found.default_fps, name=source.name)
    check_shape(found.joints.shape, name=source.name)
    # Before the axes turn, so that messages name the file's own; units first, for whose mistakes metres are far.
    check_finite(found.joints, name=source.name)
    metres = found.joints * scale
    check_stature(metres, units=units, name=source.name)
    check_values(metres, name=source.name)
    axis = up or found.up
    joints = turned_up(metres, up=axis)
    check_upright(joints, up=axis, stated=up is not None, name=source.name)
    return trajectory_from_array(joints, fps=rate, name=source.name)


def _reader(source: _Source) -> Callable[[_Source], _Found]:
    try:
        return _READERS[source.path.suffix.lower()]
    except KeyError:
        found = source.path.suffix or "no suffix"
        raise MotionFormatError(f"{source.name}: expected {', '.join(_READERS)}, found {found}") from None


def _from_npy(source: _Source) -> _Found:
    with open_regular(source.path, name=source.name) as (file, size):
        array = array_from_npy(
            file, size=size, name=source.name, check=lambda shape: _check_frames(shape, name=source.name)
        )
    return _from_array(array, source)


def _from_npz(source: _Source) -> _Found:
    with open_npz(source.path, name=source.name) as archive:
        if amass.is_amass(archive):
            poses = amass.read_amass(archive, name=source.name)
            _refuse_statistics(source, "AMASS poses")
            return _Found(poses.joints, poses.fps, up=amass.UP)
        array = archive.array(_key(archive, source.name), check=lambda shape: _check_frames(shape, name=source.name))
        rate = next((archive.number(key) for key in _RATE_KEYS if key in archive.keys), None)
    return _from_array(array, source, fps=rate)


def _key(archive: Archive, name: str) -> str:
    known = [key for key in _KEYS if key in archive.keys]
    others = [key for key in archive.keys if key not in _RATE_KEYS]
    candidates = known or others
    if len(candidates) != 1:
        found = ", ".join(archive.keys) or "nothing"
        raise MotionFormatError(f"{name}: expected one array, or one named {', '.join(_KEYS)}; found {found}")
    return candidates[0]


def _check_frames(shape: tuple[int, ...], *, name: str) -> None:
    """Raise unless it is one of the shapes that `_from_array` knows, before any of it is in memory."""
    known = (len(shape) == 2 and shape[1] == humanml3d.FEATURES) or (len(shape) == 3 and shape[1:] == (_WITH_HANDS, 3))
    check_shape((shape[0], JOINT_COUNT, 3) if known else shape, name=name)


def _from_array(array: npt.NDArray[np.generic], source: _Source, *, fps: float | None = None) -> _Found:
    if array.ndim == 2 and array.shape[1] == humanml3d.FEATURES:
        joints = humanml3d.joints_from_features(array, mean=source.mean, std=source.std, name=source.name)
        return _Found(joints, fps, humanml3d.FPS, fixed=True)
    _refuse_statistics(source, f"an array {array.shape}")
    if array.ndim == 3 and array.shape[1:] == (_WITH_HANDS, 3):
        array = array[:, :JOINT_COUNT]
    return _Found(array.astype(np.float64), fps, humanml3d.FPS)


def _from_bvh(source: _Source) -> _Found:
    _refuse_statistics(source, "a BVH file")
    motion = read_bvh(source.path, name=source.name)
    return _Found(joints_by_name(motion.positions, name=source.name), motion.fps)


def _refuse_statistics(source: _Source, found: str) -> None:
    if source.mean is not None or source.std is not None:
        raise MotionFormatError(f"{source.name}: expected HumanML3D features for mean and std, found {found}")


_READERS: Final[Mapping[str, Callable[[_Source], _Found]]] = {".npy": _from_npy, ".npz": _from_npz, ".bvh": _from_bvh}
SUFFIXES: Final = tuple(_READERS)
