"""Views: from where a motion is seen, as data.

Azimuths are in the motion's own frame: 0 stands before +Z, where HumanML3D motions face in their first frame, and 90
at the body's left (+X). So two motions made for one prompt are seen from the same place whatever they do.

| name | from where |
| --- | --- |
| `own` | the look's own camera |
| `turn-N` | the look's own camera, turned N degrees about the body |
| `front`, `front-left`, ... | N x 45 degrees round the body |
| `azimuth-N` | N degrees round the body |
| `A+B` | both, side by side in one picture |
"""

import re
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from rendering.scene.names import UnknownNameError, unknown_name

__all__ = ["DEFAULT_VIEW", "VIEWS", "View", "get_view", "get_views", "random_views", "view_name"]

_DEGREES_NAME: Final = re.compile(r"(azimuth|turn)-(\d{1,3})")
_BESIDE: Final = "+"
MOST_BESIDE: Final = 2


@dataclass(frozen=True)
class View:
    """Where the camera stands around the motion, and how high it looks down from (degrees)."""

    name: str
    azimuth: float
    elevation: float | None = 14.0  # None: as high as the look's own
    relative: bool = False  # counted from the look's own azimuth

    def seen_by(self, own: "View") -> "View":
        """The same view with nothing left open, for a look whose own camera is `own`."""
        azimuth = (own.azimuth + self.azimuth) % 360 if self.relative else self.azimuth
        return View(self.name, azimuth, own.elevation if self.elevation is None else self.elevation)


VIEWS: Final = MappingProxyType(
    {
        view.name: view
        for view in (
            View("own", 0, elevation=None, relative=True),
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
DEFAULT_VIEW: Final = "own"


def get_view(name: str) -> View:
    """One view by its name (`azimuth-0` is `front`, `turn-0` is `own`)."""
    if name in VIEWS:
        return VIEWS[name]
    match = _DEGREES_NAME.fullmatch(name)
    if match is None or int(match[2]) >= 360:
        raise unknown_name("view", name, [*VIEWS, "azimuth-N, turn-N (N from 0 to 359)", "two of them as A+B"])
    turned, degrees = match[1] == "turn", int(match[2])
    # One picture must have one name, or it would be drawn and stored twice.
    named = (view for view in VIEWS.values() if view.relative == turned and view.azimuth == degrees)
    made = View(f"{match[1]}-{degrees}", degrees, elevation=None if turned else 14.0, relative=turned)
    return next(named, made)


def get_views(name: str) -> tuple[View, ...]:
    """The views that stand side by side in one picture: `front`, or `front+left`."""
    names = name.split(_BESIDE)
    if len(names) > MOST_BESIDE:
        raise UnknownNameError(f"view {name!r}: expected at most {MOST_BESIDE} views side by side, found {len(names)}")
    return tuple(get_view(each) for each in names)


def view_name(name: str) -> str:
    """The one name of what `name` asks for."""
    return _BESIDE.join(view.name for view in get_views(name))


def random_views(count: int, *, seed: int) -> tuple[View, ...]:
    """`count` turns about the body: one in each of `count` equal sectors, so that no two look alike."""
    width = 360 / count
    drawn = np.random.default_rng(seed).uniform(0, width, size=count)
    return tuple(get_view(f"turn-{int(at * width + offset) % 360}") for at, offset in enumerate(drawn))
