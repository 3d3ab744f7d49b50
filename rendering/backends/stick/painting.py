"""Puts a frame's shadow and shapes on the floor picture with Pillow."""

from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from rendering.backends.stick.shadow import FrameShadow
from rendering.backends.stick.shapes import Corner, FrameShapes, Shape
from rendering.scene.looks import Colour

SUPERSAMPLING: Final = 3
OUTLINE: Final = 1.5  # pixels at 384

__all__ = ["paint_frame"]

Picture = npt.NDArray[np.uint8]


def paint_frame(
    floor: Image.Image, shadow: FrameShadow, figure: FrameShapes, *, shadow_colour: Colour, outline: Colour
) -> Picture:
    """A new picture: the floor, darkened by the shadow, with the figure on it."""
    picture = floor.copy()
    if shadow.opacity.size:
        picture.paste(shadow_colour, (shadow.left, shadow.top), Image.fromarray(shadow.opacity))
    _draw_figure(picture, figure, outline)
    return np.asarray(picture)


def _draw_figure(picture: Image.Image, figure: FrameShapes, outline: Colour) -> None:
    left, top, right, bottom = figure.box
    if right <= left or bottom <= top:
        return
    size = (right - left) * SUPERSAMPLING, (bottom - top) * SUPERSAMPLING
    # Enlarged without smoothing and reduced by averages, the floor comes back exactly as it was: only what is drawn
    # in between changes, with soft edges.
    large = picture.resize(size, Image.Resampling.NEAREST, box=figure.box)
    draw = ImageDraw.Draw(large)
    edge = OUTLINE * picture.height / 384 * SUPERSAMPLING
    for shape in figure.shapes:
        _draw_shape(draw, _enlarged(shape, left, top), edge, outline)
    picture.paste(large.reduce(SUPERSAMPLING), (left, top))


def _enlarged(shape: Shape, left: int, top: int) -> Shape:
    s = SUPERSAMPLING
    # Pillow counts from the middle of the first pixel.
    corners = [Corner((x - left) * s - 0.5, (y - top) * s - 0.5, radius * s) for x, y, radius in shape.corners]
    return shape._replace(corners=corners)


def _draw_shape(draw: ImageDraw.ImageDraw, shape: Shape, edge: float, outline: Colour) -> None:
    corners, colour, outlined = shape
    sides = list(zip(corners, corners[1:] + corners[:1] if len(corners) > 2 else corners[1:], strict=False))
    if outlined:
        _draw_outline(draw, corners, sides, edge, outline)
    if len(corners) > 2:
        draw.polygon([(corner.x, corner.y) for corner in corners], fill=colour)
    for start, end in sides:
        _band(draw, start, end, 0.0, colour)
    for corner in corners:
        _ball(draw, corner, 0.0, colour)


def _draw_outline(
    draw: ImageDraw.ImageDraw, corners: list[Corner], sides: list[tuple[Corner, Corner]], edge: float, colour: Colour
) -> None:
    """Along the sides only: around the ends it would cut a limb off at its own joints."""
    for start, end in sides:
        _band(draw, start, end, edge, colour)
    if len(corners) == 1:
        _ball(draw, corners[0], edge, colour)


def _band(draw: ImageDraw.ImageDraw, start: Corner, end: Corner, edge: float, colour: Colour) -> None:
    dx, dy = end.x - start.x, end.y - start.y
    length = (dx * dx + dy * dy) ** 0.5
    if length < 0.5:
        return
    nx, ny = -dy / length, dx / length
    r0, r1 = start.radius + edge, end.radius + edge
    one_way = (start.x + nx * r0, start.y + ny * r0, end.x + nx * r1, end.y + ny * r1)
    back = (end.x - nx * r1, end.y - ny * r1, start.x - nx * r0, start.y - ny * r0)
    draw.polygon(one_way + back, fill=colour)


def _ball(draw: ImageDraw.ImageDraw, at: Corner, edge: float, colour: Colour) -> None:
    radius = at.radius + edge
    draw.ellipse((at.x - radius, at.y - radius, at.x + radius, at.y + radius), fill=colour)
