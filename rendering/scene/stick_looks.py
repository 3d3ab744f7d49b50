"""The looks of the `stick` backend: a skeleton in two colours on a tiled floor."""

from dataclasses import dataclass, replace
from typing import Final

from rendering.scene.looks import Colour, Look
from rendering.scene.views import VIEWS

__all__ = ["STICK", "STICK_DARK", "StickLook"]


@dataclass(frozen=True)
class StickLook(Look):
    """Colours of a stick figure and of what it stands on."""

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


# Orange and blue stay apart under every common colour blindness, and differ in lightness too (Okabe and Ito 2008,
# "Color Universal Design").
STICK: Final = StickLook(
    name="stick",
    pixels=384,
    own_view=VIEWS["front-left"],
    framing="fixed",
    field_of_view=30.0,  # long enough a lens that limbs towards it do not swell
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
STICK_DARK: Final = replace(
    STICK,
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
