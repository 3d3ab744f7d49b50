"""Every look, by name."""

from types import MappingProxyType
from typing import Final

from rendering.scene.body_looks import PARTS, STUDIO, VEMO
from rendering.scene.looks import Look
from rendering.scene.names import unknown_name
from rendering.scene.stick_looks import STICK, STICK_DARK

LOOKS: Final = MappingProxyType({look.name: look for look in (STICK, STICK_DARK, VEMO, STUDIO, PARTS)})
DEFAULT_LOOK: Final = STICK.name

__all__ = ["DEFAULT_LOOK", "LOOKS", "get_look"]


def get_look(name: str) -> Look:
    """The look called `name`, at its own size."""
    try:
        return LOOKS[name]
    except KeyError:
        raise unknown_name("look", name, LOOKS) from None
