"""Looks: how a motion is drawn, as data. A backend reads a look; a look never draws.

A look that is in use must not change its picture: clips are named by the look's name and the renderer's version, so
a change here needs a new version of every backend that draws the look.
"""

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final, NamedTuple

from rendering.scene.names import unknown_name

MIN_PIXELS: Final = 64
MAX_PIXELS: Final = 2160

__all__ = ["DEFAULT_LOOK", "LOOKS", "MAX_PIXELS", "MIN_PIXELS", "Colour", "Look", "PixelsError", "get_look"]


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
    background: Colour
    floor: Colour
    floor_tile: Colour  # every second tile, so that a sliding foot is seen against something
    floor_line: Colour
    shadow: Colour
    shadow_strength: float  # opacity under a foot that touches the floor, 0 to 1
    left: Colour
    right: Colour
    torso: Colour
    head: Colour
    nose: Colour
    outline: Colour  # around every limb, so that one limb before another reads as being before it

    def at(self, pixels: int) -> "Look":
        """The same look at another size."""
        check_pixels(pixels)
        return replace(self, pixels=pixels)


def check_pixels(pixels: int) -> None:
    """Raise unless a square of `pixels` can be drawn and encoded."""
    if not MIN_PIXELS <= pixels <= MAX_PIXELS or pixels % 2:
        # yuv420p halves both sides of the picture: an odd one cannot be encoded.
        raise PixelsError(f"expected an even number of pixels from {MIN_PIXELS} to {MAX_PIXELS}, found {pixels}")


# Orange and blue stay apart under every common colour blindness, and differ in lightness too (Okabe and Ito 2008,
# "Color Universal Design").
_STICK: Final = Look(
    name="stick",
    pixels=384,
    background=Colour(246, 247, 249),
    floor=Colour(236, 238, 241),
    floor_tile=Colour(226, 229, 234),
    floor_line=Colour(196, 201, 209),
    shadow=Colour(38, 44, 58),
    shadow_strength=0.62,
    left=Colour(230, 119, 0),
    right=Colour(0, 98, 168),
    torso=Colour(84, 90, 102),
    head=Colour(142, 148, 160),
    nose=Colour(30, 33, 40),
    outline=Colour(250, 250, 252),
)
_STICK_DARK: Final = replace(
    _STICK,
    name="stick-dark",
    background=Colour(36, 40, 48),
    floor=Colour(54, 59, 69),
    floor_tile=Colour(66, 72, 83),
    floor_line=Colour(98, 106, 120),
    shadow=Colour(4, 5, 8),
    shadow_strength=0.8,
    left=Colour(255, 170, 64),
    right=Colour(86, 180, 233),
    torso=Colour(186, 192, 202),
    head=Colour(138, 145, 158),
    nose=Colour(250, 250, 252),
    outline=Colour(20, 22, 28),
)

LOOKS: Final = MappingProxyType({look.name: look for look in (_STICK, _STICK_DARK)})
DEFAULT_LOOK: Final = _STICK.name


def get_look(name: str) -> Look:
    """The look called `name`, at its own size."""
    try:
        return LOOKS[name]
    except KeyError:
        raise unknown_name("look", name, LOOKS) from None
