"""Puts a frame's shadow and strokes on the floor picture with Pillow."""

from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from rendering.backends.stick.shadow import FrameShadow
from rendering.backends.stick.strokes import FrameStrokes, Stroke
from rendering.scene.looks import Colour

SUPERSAMPLING: Final = 3
OUTLINE: Final = 1.6  # pixels at 384

__all__ = ["paint_frame"]

Picture = npt.NDArray[np.uint8]


def paint_frame(
    floor: Picture, shadow: FrameShadow, figure: FrameStrokes, *, shadow_colour: Colour, outline: Colour
) -> Picture:
    """A new picture: the floor, darkened by the shadow, with the figure on it."""
    picture = floor.copy()
    _darken(picture, shadow, shadow_colour)
    _draw_figure(picture, figure, outline)
    return picture


def _darken(picture: Picture, shadow: FrameShadow, colour: Colour) -> None:
    left, top, opacity = shadow
    height, width = opacity.shape
    part = picture[top : top + height, left : left + width]
    tint = np.array(colour, dtype=np.float32)
    part[...] = part + (tint - part) * opacity[..., None]


def _draw_figure(picture: Picture, figure: FrameStrokes, outline: Colour) -> None:
    left, top, right, bottom = figure.box
    if right <= left or bottom <= top:
        return
    size = (right - left) * SUPERSAMPLING, (bottom - top) * SUPERSAMPLING
    # Enlarged without smoothing and reduced by averages, the floor comes back exactly as it was: only what is drawn
    # in between changes, with soft edges.
    crop = Image.fromarray(picture[top:bottom, left:right])
    large = crop.resize(size, Image.Resampling.NEAREST)
    draw = ImageDraw.Draw(large)
    edge = OUTLINE * picture.shape[0] / 384 * SUPERSAMPLING
    for stroke in figure.strokes:
        _draw_stroke(draw, _enlarged(stroke, left, top), edge, outline)
    picture[top:bottom, left:right] = np.asarray(large.reduce(SUPERSAMPLING))


def _enlarged(stroke: Stroke, left: int, top: int) -> Stroke:
    x0, y0, r0, x1, y1, r1, colour = stroke
    s = SUPERSAMPLING
    # Pillow counts from the middle of the first pixel.
    return Stroke(
        (x0 - left) * s - 0.5, (y0 - top) * s - 0.5, r0 * s, (x1 - left) * s - 0.5, (y1 - top) * s - 0.5, r1 * s, colour
    )


def _draw_stroke(draw: ImageDraw.ImageDraw, stroke: Stroke, edge: float, outline: Colour) -> None:
    x0, y0, r0, x1, y1, r1, colour = stroke
    dx, dy = x1 - x0, y1 - y0
    length = (dx * dx + dy * dy) ** 0.5
    if length < 0.5:
        _ball(draw, x0, y0, r0 + edge, outline)
        _ball(draw, x0, y0, r0, colour)
        return
    nx, ny = -dy / length, dx / length
    # Along the sides only: around the ends it would cut a limb at its own joints.
    _band(draw, stroke, nx, ny, edge, outline)
    _band(draw, stroke, nx, ny, 0.0, colour)
    _ball(draw, x0, y0, r0, colour)
    _ball(draw, x1, y1, r1, colour)


def _band(draw: ImageDraw.ImageDraw, stroke: Stroke, nx: float, ny: float, edge: float, colour: Colour) -> None:
    x0, y0, r0, x1, y1, r1, _ = stroke
    r0, r1 = r0 + edge, r1 + edge
    draw.polygon(
        (x0 + nx * r0, y0 + ny * r0, x1 + nx * r1, y1 + ny * r1, x1 - nx * r1, y1 - ny * r1, x0 - nx * r0, y0 - ny * r0),
        fill=colour,
    )


def _ball(draw: ImageDraw.ImageDraw, x: float, y: float, r: float, colour: Colour) -> None:
    draw.ellipse((x - r, y - r, x + r, y + r), fill=colour)
