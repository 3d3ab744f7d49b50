"""What is in the picture, before anything draws it: looks, views, the figure's size, the camera and the floor.

A pure core (no Django), shared by every backend so that all of them show the same thing from the same place. Drawing
itself lives in `rendering.backends`.
"""

from rendering.scene.camera import Camera, fit_camera, floor_height, picture_coverage
from rendering.scene.clip import clip_key
from rendering.scene.figure import Figure, measure_figure
from rendering.scene.looks import DEFAULT_LOOK, LOOKS, Look, PixelsError, get_look
from rendering.scene.names import UnknownNameError
from rendering.scene.views import DEFAULT_VIEW, VIEWS, View, get_view

__all__ = [
    "DEFAULT_LOOK",
    "DEFAULT_VIEW",
    "LOOKS",
    "VIEWS",
    "Camera",
    "Figure",
    "Look",
    "PixelsError",
    "UnknownNameError",
    "View",
    "clip_key",
    "fit_camera",
    "floor_height",
    "get_look",
    "get_view",
    "measure_figure",
    "picture_coverage",
]
