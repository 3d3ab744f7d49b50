"""The `gl` backend: takes the stage, yields pictures."""

import ctypes
import importlib.util
import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from rendering.backends.protocol import BackendUnavailableError, Shot
from rendering.body import Body, load_body
from rendering.motion.trajectory import Trajectory
from rendering.scene.body_looks import BodyLook
from rendering.scene.looks import Look
from rendering.scene.stage import Stage, build_stage
from rendering.scene.views import View

if TYPE_CHECKING:
    import moderngl

_DESIGN: Final = "1"  # raise it when any picture changes for another reason than the body
_LIBRARY: Final = "libEGL.so.1"
_HOW: Final = "on Debian: apt-get install libegl1 libgl1-mesa-dri"

__all__ = ["GlBackend"]


@dataclass(frozen=True)
class GlBackend:
    """OpenGL through EGL: no window, no graphics card; Mesa draws on the processor where there is none."""

    body: Body = field(default_factory=load_body)
    name: str = "gl"

    @property
    def version(self) -> str:
        return f"{_DESIGN}.{self.body.version[:8]}"

    def available(self) -> str | None:
        try:
            _context().release()
        except BackendUnavailableError as error:
            return str(error)
        return None

    def with_body(self, body: Body) -> "GlBackend":
        return replace(self, body=body)

    def draws(self, look: Look) -> bool:
        return isinstance(look, BodyLook)

    def shoot(self, trajectory: Trajectory, look: Look, view: View) -> Shot:
        assert isinstance(look, BodyLook)
        stage = build_stage(trajectory, look, view, self.body)
        return Shot(_frames(stage), stage.cameras.coverage, stage.heads_in_picture())


def _frames(stage: Stage) -> Iterator[npt.NDArray[np.uint8]]:
    from rendering.backends.gl.canvas import Canvas

    # Two views in one frame draw by turns: each must call its own context back before it touches OpenGL.
    context, frame = _context(), 0
    try:
        with context:
            canvas = Canvas(context, stage)
        for block in stage.blocks():
            for vertices in block:
                with context:
                    picture = canvas.draw(frame, vertices)
                yield picture
                frame += 1
    finally:
        context.release()


def _context() -> "moderngl.Context":
    """A context of our own; raises with what is missing and how to get it."""
    if importlib.util.find_spec("moderngl") is None:
        raise BackendUnavailableError("the Python package moderngl is not installed: make setup")
    try:
        ctypes.CDLL(_LIBRARY)
    except OSError:
        raise BackendUnavailableError(f"{_LIBRARY} is missing; {_HOW}") from None
    # The driver would otherwise start a thread a core for each of two workers on two cores.
    os.environ.setdefault("LP_NUM_THREADS", "2")
    import moderngl

    try:
        context = moderngl.create_context(standalone=True, backend="egl", require=330)
    except Exception as error:  # moderngl and glcontext raise bare ones
        raise BackendUnavailableError(f"EGL gives no OpenGL 3.3 ({error}); {_HOW}") from error
    return context
