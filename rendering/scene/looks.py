"""Looks: how a motion is drawn, as data. A backend reads a look; a look never draws.

A look that is in use must not change its picture: clips are named by the look's name and the renderer's version, so
a change here needs a new version of every backend that draws the look.
"""

from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple, Self

from rendering.scene.views import View

MIN_PIXELS: Final = 64
MAX_PIXELS: Final = 2160

__all__ = ["MAX_PIXELS", "MIN_PIXELS", "Colour", "Framing", "Look", "PixelsError"]

# fixed: one place from which the whole motion is seen. steady: goes along slowly at one distance. follow: keeps the
# body in the middle and as large as it can be.
Framing = Literal["fixed", "steady", "follow"]


class PixelsError(ValueError):
    """A picture size that cannot be drawn or encoded."""


class Colour(NamedTuple):
    """sRGB, 0 to 255."""

    red: int
    green: int
    blue: int


@dataclass(frozen=True)
class Look:
    """How a motion is drawn. The picture is square, `pixels` on each side."""

    name: str
    pixels: int
    own_view: View  # where its camera stands when nobody asks for another place
    framing: Framing
    field_of_view: float  # degrees, across the whole picture

    def at(self, pixels: int) -> Self:
        """The same look at another size."""
        check_pixels(pixels)
        return replace(self, pixels=pixels)


def check_pixels(pixels: int) -> None:
    """Raise unless a square of `pixels` can be drawn and encoded."""
    if not MIN_PIXELS <= pixels <= MAX_PIXELS or pixels % 2:
        # yuv420p halves both sides of the picture: an odd one cannot be encoded.
        raise PixelsError(f"expected an even number of pixels from {MIN_PIXELS} to {MAX_PIXELS}, found {pixels}")
