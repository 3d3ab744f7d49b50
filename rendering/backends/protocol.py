"""What every backend offers, and the error for one that cannot run."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from rendering.body import Body
from rendering.motion import Trajectory
from rendering.scene.looks import Look
from rendering.scene.views import View

__all__ = ["Backend", "BackendFailedError", "BackendUnavailableError", "BodyBackend", "Shot"]


class BackendUnavailableError(RuntimeError):
    """A known backend that cannot run here; the message says what is missing."""


class BackendFailedError(RuntimeError):
    """Drawing broke off; the message says why. A retry may help."""


@dataclass(frozen=True, eq=False)
class Shot:
    """A motion as pictures. What it holds (a graphics context, a child process) is let go when `frames` ends."""

    frames: Iterator[npt.NDArray[np.uint8]]  # one RGB picture (look.pixels, look.pixels, 3) a frame, in order
    coverage: npt.NDArray[np.float64]  # (frames,): the body's box as a share of the picture's area
    heads: npt.NDArray[np.float64]  # (frames, 2): where the top of the head is, pixels to the right and down


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

    def draws(self, look: Look) -> bool:
        """Whether it can draw in this look."""
        ...

    def shoot(self, trajectory: Trajectory, look: Look, view: View) -> Shot:
        """The motion as pictures."""
        ...


@runtime_checkable
class BodyBackend(Backend, Protocol):
    """Draws a human body: ours, or another one."""

    def with_body(self, body: Body) -> Backend:
        """The same backend with another body; its version tells them apart."""
        ...
