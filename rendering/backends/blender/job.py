"""A stage as what Blender's process is told before the first frame: plain numbers and arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rendering.scene.ground import PLANK_METRES, PLANK_STAGGER, PLANK_TONE
from rendering.scene.stage import Stage

__all__ = ["Job", "describe_job"]


@dataclass(frozen=True, eq=False)
class Job:
    """`values` go into a JSON file and `arrays` into an NPZ file."""

    values: Mapping[str, Any]
    arrays: Mapping[str, npt.NDArray[Any]]


def describe_job(stage: Stage, *, samples: int, denoise: bool) -> Job:
    """Everything but the frames."""
    look = stage.look
    values = {
        "pixels": look.pixels,
        "samples": samples,
        "denoise": denoise,
        "focal": stage.cameras.focal,
        "world": look.world,
        "sun": stage.sun.tolist(),
        "sun_strength": look.sun.strength,
        "sun_colour": look.sun.colour,
        "sun_angle": look.sun.angle,
        "metallic": look.material.metallic,
        "roughness": look.material.roughness,
        "half_extent": stage.half_extent.tolist(),
        "floor_pattern": look.floor.pattern,
        "floor_light": look.floor.light,
        "floor_dark": look.floor.dark,
        "floor_metres": look.floor.metres,
        "floor_alpha": look.floor.alpha,
        "floor_reach": look.floor.reach,
        "plank_metres": PLANK_METRES,
        "plank_stagger": PLANK_STAGGER,
        "plank_tone": PLANK_TONE,
        "wall_colours": [wall.colour for wall in stage.walls],
    }
    arrays: dict[str, npt.NDArray[Any]] = {
        "vertices": stage.body.vertices,
        "faces": stage.body.faces,
        "colours": stage.colours,
        "axes": stage.cameras.axes,
        "walls": np.array([wall.corners for wall in stage.walls]).reshape(-1, 4, 3),
    }
    return Job(values, arrays)
