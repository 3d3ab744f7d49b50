"""The looks that show a human body: materials, light, floor and room, in linear light and metres (Y up).

`gl` and `blender` draw them from the same numbers.
"""

import math
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from rendering.scene.looks import Look
from rendering.scene.views import View

__all__ = ["PARTS", "STUDIO", "VEMO", "BodyLook", "Floor", "Linear", "Material", "Room", "Sun"]


class Linear(NamedTuple):
    """A colour in linear light, Rec. 709 primaries, 0 to 1."""

    red: float
    green: float
    blue: float


@dataclass(frozen=True)
class Material:
    """The body's surface. `colours` has one entry for the whole body, or one for each of `rendering.body.PARTS`."""

    colours: tuple[Linear, ...]
    metallic: float
    roughness: float


@dataclass(frozen=True)
class Sun:
    """Light from far away; `towards` points from the scene to it, `strength` is W/m2 as Blender counts."""

    towards: tuple[float, float, float]
    strength: float
    colour: Linear
    angle: float  # degrees it is wide: how soft the edge of a shadow is


@dataclass(frozen=True)
class Floor:
    """What the body stands on. Beyond `reach` metres around the motion it fades into the background."""

    pattern: Literal["checker", "planks"]
    light: Linear
    dark: Linear
    metres: float  # the side of a check, the width of a plank
    alpha: float
    reach: float


@dataclass(frozen=True)
class Room:
    """Walls behind the motion, `gap` metres from it."""

    wall: Linear
    skirting: Linear
    skirting_metres: float
    gap: float


@dataclass(frozen=True)
class BodyLook(Look):
    """A human body in daylight."""

    material: Material
    world: Linear  # light from everywhere, and the colour of the background
    sun: Sun
    floor: Floor
    room: Room | None = None


def _srgb(text: str) -> Linear:
    """`#rrggbb` as linear light."""
    levels = [int(text[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    return Linear(*(level / 12.92 if level <= 0.04045 else ((level + 0.055) / 1.055) ** 2.4 for level in levels))


def _grey(level: float) -> Linear:
    return Linear(level, level, level)


# VeMo, appendix on rendering. Its coordinates are Blender's (Z up): (x, y, z) there is (x, z, -y) here. Its camera
# stands at the centre + (-1, -3, 0.6) behind a 50 mm lens on a 36 mm sensor.
VEMO: Final = BodyLook(
    name="vemo",
    pixels=1088,
    own_view=View(
        "own",
        azimuth=math.degrees(math.atan2(-1.0, 3.0)) % 360,
        elevation=math.degrees(math.atan2(0.6, math.hypot(1.0, 3.0))),
    ),
    framing="follow",
    field_of_view=2 * math.degrees(math.atan(18 / 50)),
    material=Material((Linear(0.3, 0.15, 0.07),), metallic=0.4, roughness=0.6),
    world=_grey(0.6),
    sun=Sun(towards=(-4.0, 6.0, 6.0), strength=4.5, colour=_grey(1.0), angle=3.0),
    floor=Floor("checker", light=_grey(0.8), dark=_grey(0.2), metres=1.0, alpha=0.5, reach=5.0),
)

# Voas et al.: a room with walls, a textured floor, warm light and a calm camera.
STUDIO: Final = BodyLook(
    name="studio",
    pixels=544,
    own_view=View("own", azimuth=335.0, elevation=12.0),
    framing="steady",
    field_of_view=34.0,
    material=Material((_srgb("#8fa3b8"),), metallic=0.0, roughness=0.55),
    world=Linear(0.50, 0.47, 0.43),
    sun=Sun(towards=(-3.0, 6.0, 5.0), strength=2.6, colour=Linear(1.0, 0.86, 0.70), angle=6.0),
    floor=Floor("planks", light=_srgb("#b98d63"), dark=_srgb("#94693f"), metres=0.14, alpha=1.0, reach=30.0),
    room=Room(wall=_srgb("#d9cfc0"), skirting=_srgb("#f2ece2"), skirting_metres=0.12, gap=2.4),
)

# T2MBench: every part in a colour of its own, one fixed camera for the whole motion. In the order of
# rendering.body.PARTS: head, face, torso, left arm, right arm, left leg, right leg, left hand, right hand.
PARTS: Final = BodyLook(
    name="parts",
    pixels=544,
    own_view=View("own", azimuth=0.0, elevation=12.0),
    framing="fixed",
    field_of_view=34.0,
    material=Material(
        tuple(
            _srgb(colour)
            for colour in (
                "#d62728",  # red
                "#ff9a1f",  # orange
                "#f4d03f",  # yellow
                "#2ca02c",  # green
                "#17becf",  # cyan
                "#2f4fd8",  # blue
                "#8e44ad",  # purple
                "#90ee90",  # light green
                "#d3d3d3",  # light grey
            )
        ),
        metallic=0.0,
        roughness=0.7,
    ),
    world=_grey(0.72),
    sun=Sun(towards=(-3.0, 7.0, 5.0), strength=2.2, colour=_grey(1.0), angle=3.0),
    floor=Floor("checker", light=_grey(0.75), dark=_grey(0.42), metres=1.0, alpha=0.5, reach=5.0),
)
