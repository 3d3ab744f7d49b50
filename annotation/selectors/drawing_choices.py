"""How a study may be drawn: the pairs of look and backend that work, and whether this machine can draw them."""

from dataclasses import dataclass
from functools import cache

from rendering.backends import BACKENDS, backend_named, backend_statuses
from rendering.scene import LOOKS


@dataclass(frozen=True)
class DrawingChoice:
    """`missing` says what this machine lacks to draw it; render workers elsewhere may have it."""

    look: str
    backend: str
    missing: str

    @property
    def value(self) -> str:
        return f"{self.look}/{self.backend}"

    @property
    def label(self) -> str:
        return f"{self.look}, drawn by {self.backend}" + (" (not on this machine)" if self.missing else "")


@cache  # asking a backend may take a second, and the answer stays until the server starts anew
def drawing_choices() -> tuple[DrawingChoice, ...]:
    missing = {status.name: status.missing or "" for status in backend_statuses()}
    return tuple(
        DrawingChoice(look.name, name, missing[name])
        for look in LOOKS.values()
        for name in BACKENDS
        if backend_named(name).draws(look)
    )


def drawing_default() -> tuple[DrawingChoice, str]:
    """What to offer first, and its view: a person where this machine can draw one, else a stick figure."""
    by_value = {choice.value: choice for choice in drawing_choices()}
    person = by_value["vemo/gl"]
    return (by_value["stick/stick"], "front-left") if person.missing else (person, "own")
