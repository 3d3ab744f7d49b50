"""What every backend offers, and the error for one that cannot run."""

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from rendering.motion import Trajectory
from rendering.scene.looks import Look
from rendering.scene.views import View

__all__ = ["Backend", "BackendUnavailableError"]


class BackendUnavailableError(RuntimeError):
    """A known backend that cannot run here; the message says what is missing."""


class Backend(Protocol):
    """Draws motions. It takes the camera, the figure and the floor from `rendering.scene`."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> str:
        """Part of every clip's key: raise it when any picture changes."""
        ...

    def available(self) -> str | None:
        """Why it cannot run here, or None when it can."""
        ...

    def frames(self, trajectory: Trajectory, look: Look, view: View) -> Iterator[npt.NDArray[np.uint8]]:
        """One RGB picture (look.pixels, look.pixels, 3) for each frame of the motion, in order."""
        ...
