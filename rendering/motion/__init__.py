"""Motions as values: the 22-joint skeleton, checked trajectories, and the .npy files they come in.

A pure core: no Django, no drawing. `Trajectory.content_hash` is the name of a motion everywhere else.
"""

from rendering.motion.npy import read_npy, write_npy
from rendering.motion.trajectory import MotionFormatError, Trajectory, trajectory_from_array

__all__ = ["MotionFormatError", "Trajectory", "read_npy", "trajectory_from_array", "write_npy"]
