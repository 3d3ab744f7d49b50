"""The `stick` backend: a two-coloured figure on a tiled floor, drawn on the CPU in a few milliseconds a frame."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from rendering.backends.stick.painting import paint_frame
from rendering.backends.stick.shadow import figure_shadows
from rendering.backends.stick.shapes import figure_shapes
from rendering.motion.trajectory import Trajectory
from rendering.scene.camera import fit_camera, floor_height
from rendering.scene.figure import measure_figure
from rendering.scene.floor import paint_floor, tile_size
from rendering.scene.looks import Look
from rendering.scene.views import View

__all__ = ["StickBackend"]


@dataclass(frozen=True)
class StickBackend:
    """Needs nothing but NumPy and Pillow, so it is always there."""

    name: str = "stick"
    version: str = "1"

    def available(self) -> str | None:
        return None

    def frames(self, trajectory: Trajectory, look: Look, view: View) -> Iterator[npt.NDArray[np.uint8]]:
        """One picture a frame; the same motion, look and view always give the same bytes."""
        figure = measure_figure(trajectory)
        camera = fit_camera(trajectory, figure, view, look.pixels)
        height = floor_height(trajectory, figure)
        tile = tile_size(trajectory, figure.stature)
        floor = Image.fromarray(paint_floor(trajectory, camera, look, height=height, tile=tile, stature=figure.stature))
        shadows = figure_shadows(trajectory, figure, camera, floor=height, strength=look.shadow_strength)
        shapes = figure_shapes(trajectory, figure, camera, look)
        for shadow, drawn in zip(shadows, shapes, strict=True):
            yield paint_frame(floor, shadow, drawn, shadow_colour=look.shadow, outline=look.outline)
