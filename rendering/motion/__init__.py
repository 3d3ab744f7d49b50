"""Motions as values: the 22-joint skeleton, checked trajectories, and the files they come in.

A pure core: no Django, no drawing. `read_motion` takes any format that people bring; `read_npy` and `write_npy` are the
canonical form. `Trajectory.content_hash` is the name of a motion everywhere else.
"""

from rendering.motion.npy import read_npy, write_npy
from rendering.motion.rates import resample
from rendering.motion.reading import read_motion
from rendering.motion.trajectory import MotionFormatError, Trajectory, trajectory_from_array

__all__ = [
    "MotionFormatError",
    "Trajectory",
    "read_motion",
    "read_npy",
    "resample",
    "trajectory_from_array",
    "write_npy",
]
