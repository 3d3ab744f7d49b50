"""A text that goes along above the head."""

from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

_SHARE: Final = 0.035  # of the picture's side

__all__ = ["draw_label"]


def draw_label(picture: npt.NDArray[np.uint8], text: str, head: npt.NDArray[np.float64]) -> npt.NDArray[np.uint8]:
    """The picture with `text` above `head` (x, y in pixels), kept inside the picture."""
    image = Image.fromarray(picture)
    draw, font = ImageDraw.Draw(image), _font(max(10, round(image.height * _SHARE)))
    left, top, right, bottom = draw.textbbox((0, 0), text, font=font)
    wide, high, pad = right - left, bottom - top, round(image.height * 0.008) + 1
    x = min(max(head[0] - wide / 2, pad), image.width - wide - pad)
    y = min(max(head[1] - high - 4 * pad, pad), image.height - high - pad)
    draw.rounded_rectangle((x - pad, y - pad, x + wide + pad, y + high + pad), radius=pad, fill=(255, 255, 255))
    draw.text((x - left, y - top), text, font=font, fill=(24, 26, 32))
    return np.asarray(image)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    return ImageFont.load_default(size)
