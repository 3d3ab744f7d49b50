"""Views: from where a motion is seen, as data.

Azimuths are in the motion's own frame: 0 stands before +Z, where HumanML3D motions face in their first frame, and 90
at the body's left (+X). So two motions made for one prompt are seen from the same place whatever they do.
"""

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from rendering.scene.names import unknown_name

__all__ = ["DEFAULT_VIEW", "VIEWS", "View", "get_view"]

_AZIMUTH_NAME: Final = re.compile(r"azimuth-(\d{1,3})")


@dataclass(frozen=True)
class View:
    """Where the camera stands around the motion, and how high it looks down from (degrees)."""

    name: str
    azimuth: float
    elevation: float = 14.0


VIEWS: Final = MappingProxyType(
    {
        view.name: view
        for view in (
            View("front", 0),
            View("front-left", 45),
            View("left", 90),
            View("back-left", 135),
            View("back", 180),
            View("back-right", 225),
            View("right", 270),
            View("front-right", 315),
        )
    }
)
DEFAULT_VIEW: Final = "front-left"


def get_view(name: str) -> View:
    """The view called `name`, or any `azimuth-N` with N from 0 to 359 (`azimuth-0` is `front`)."""
    if name in VIEWS:
        return VIEWS[name]
    match = _AZIMUTH_NAME.fullmatch(name)
    if match is None or int(match[1]) >= 360:
        raise unknown_name("view", name, [*VIEWS, "azimuth-N (N from 0 to 359)"])
    azimuth = int(match[1])
    # One picture must have one name, or it would be drawn and stored twice.
    named = (view for view in VIEWS.values() if view.azimuth == azimuth)
    return next(named, View(f"azimuth-{azimuth}", azimuth))
