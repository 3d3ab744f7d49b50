"""Motions of people for tests: our own performer in several actions, and real ones where ../shared is there."""

from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from fixtures.generators import FPS, make_all
from rendering.motion import Trajectory, trajectory_from_array

SHARED = Path(__file__).parents[3] / "shared" / "data"
NO_SHARED = "../shared is not there: its real motions are left out"


@cache
def demo_motions() -> dict[str, Trajectory]:
    """Every motion of the demo study, as `prompt.generator`."""
    return {
        f"{prompt.code}.{generator}": trajectory_from_array(made.joints, fps=FPS)
        for prompt, generator, made in make_all(2024)
    }


def a_walk(frames: int = 12) -> Trajectory:
    name = next(name for name in demo_motions() if "walk" in name and name.endswith(".reference"))
    motion = demo_motions()[name]
    return trajectory_from_array(np.array(motion.joints[:frames]), fps=motion.fps)


def moved(trajectory: Trajectory, offset: npt.ArrayLike) -> Trajectory:
    joints = trajectory.joints.astype(np.float64) + np.asarray(offset)
    return trajectory_from_array(joints.astype(np.float32), fps=trajectory.fps)
