"""The `stick` backend: a two-coloured figure on a tiled floor, drawn on the CPU in a few milliseconds a frame."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PIL import Image

from rendering.backends.protocol import Shot
from rendering.backends.stick.painting import paint_frame
from rendering.backends.stick.shadow import figure_shadows
from rendering.backends.stick.shapes import figure_shapes
from rendering.motion.trajectory import Trajectory
from rendering.scene.camera import Camera, fit_camera, floor_height, picture_coverage
from rendering.scene.figure import HEAD_RADIUS, Figure, measure_figure
from rendering.scene.floor import paint_floor, tile_size
from rendering.scene.looks import Look
from rendering.scene.stick_looks import StickLook
from rendering.scene.views import View

__all__ = ["StickBackend"]

Picture = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class StickBackend:
    """Needs nothing but NumPy and Pillow, so it is always there."""

    name: str = "stick"
    version: str = "1"

    def available(self) -> str | None:
        return None

    def draws(self, look: Look) -> bool:
        return isinstance(look, StickLook)

    def shoot(self, trajectory: Trajectory, look: Look, view: View) -> Shot:
        """The same motion, look and view always give the same bytes."""
        assert isinstance(look, StickLook)
        figure = measure_figure(trajectory)
        camera = fit_camera(trajectory, figure, view.seen_by(look.own_view), look.pixels)
        top = camera.project(figure.head_centre + figure.stature * HEAD_RADIUS * figure.head_up)
        return Shot(
            frames=_frames(trajectory, look, figure, camera),
            coverage=picture_coverage(trajectory, figure, camera),
            heads=np.stack([top.x, top.y], axis=-1),
        )


def _frames(trajectory: Trajectory, look: StickLook, figure: Figure, camera: Camera) -> Iterator[Picture]:
    height = floor_height(trajectory, figure)
    tile = tile_size(trajectory, figure.stature)
    floor = Image.fromarray(paint_floor(trajectory, camera, look, height=height, tile=tile, stature=figure.stature))
    shadows = figure_shadows(trajectory, figure, camera, floor=height, strength=look.shadow_strength)
    shapes = figure_shapes(trajectory, figure, camera, look)
    for shadow, drawn in zip(shadows, shapes, strict=True):
        yield paint_frame(floor, shadow, drawn, shadow_colour=look.shadow, outline=look.outline)
