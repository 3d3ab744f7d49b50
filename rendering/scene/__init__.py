"""What is in the picture, before anything draws it: looks, views, the figure's size, the camera and the floor.

A pure core (no Django), shared by every backend so that all of them show the same thing from the same place. Drawing
itself lives in `rendering.backends`.
"""

from rendering.scene.body_looks import BodyLook
from rendering.scene.camera import Camera, fit_camera, floor_height, picture_coverage
from rendering.scene.clip import clip_key
from rendering.scene.figure import Figure, measure_figure
from rendering.scene.look_names import DEFAULT_LOOK, LOOKS, get_look
from rendering.scene.looks import Look, PixelsError
from rendering.scene.names import UnknownNameError
from rendering.scene.stick_looks import StickLook
from rendering.scene.views import DEFAULT_VIEW, VIEWS, View, get_view, get_views, random_views, view_name

__all__ = [
    "DEFAULT_LOOK",
    "DEFAULT_VIEW",
    "LOOKS",
    "VIEWS",
    "BodyLook",
    "Camera",
    "Figure",
    "Look",
    "PixelsError",
    "StickLook",
    "UnknownNameError",
    "View",
    "clip_key",
    "fit_camera",
    "floor_height",
    "get_look",
    "get_view",
    "get_views",
    "measure_figure",
    "picture_coverage",
    "random_views",
    "view_name",
]
