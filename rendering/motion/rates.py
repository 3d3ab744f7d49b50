"""Frames per second: what the file says, what the person says, and changing it when asked to."""

from typing import Final

import numpy as np

from rendering.motion.trajectory import MotionFormatError, Trajectory, check_fps, check_shape, trajectory_from_array

# Frame times are written with few digits: 0.0333 for 1/30.
_SAME: Final = 0.005

__all__ = ["agreed_fps", "resample"]


def agreed_fps(*, given: float | None, in_file: float | None, default: float | None = None, name: str) -> float:
    """The rate to use. A file's own rate is not overruled: to change it is `resample`'s work."""
    for fps in (given, in_file):
        if fps is not None:
            check_fps(fps, name=name)
    if given is None:
        found = default if in_file is None else in_file
        if found is None:
            raise MotionFormatError(f"{name}: expected fps, for the file does not say it; found none given")
        return found
    if in_file is not None and abs(given - in_file) > _SAME * in_file:
        raise MotionFormatError(
            f"{name}: expected fps {in_file:g}, as the file says, or none given; found {given:g}. "
            "To change the rate, read the file as it is and resample it"
        )
    return given


def resample(trajectory: Trajectory, fps: float) -> Trajectory:
    """The same motion at another rate, by straight lines between frames; it never lasts longer than it did."""
    check_fps(fps, name="resample")
    if fps == trajectory.fps:
        return trajectory
    last = (trajectory.frames - 1) / trajectory.fps
    # A hair more, so that a last frame that falls exactly on the end is not lost to rounding.
    frames = int(last * fps + 1e-9) + 1
    check_shape((frames, *trajectory.joints.shape[1:]), name="resample")
    times = np.arange(frames) / fps * trajectory.fps
    before = np.minimum(times.astype(np.intp), max(trajectory.frames - 2, 0))
    after = np.minimum(before + 1, trajectory.frames - 1)
    share = (times - before)[:, None, None]
    joints = trajectory.joints.astype(np.float64)
    return trajectory_from_array(joints[before] * (1 - share) + joints[after] * share, fps=fps)
