"""The `blender` backend: Cycles, a path tracer. The reference, and the look of the papers."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from rendering.backends.blender.crop import Crop, find_crop, whole, with_crop
from rendering.backends.blender.environment import blender_python, what_is_missing
from rendering.backends.blender.job import describe_job
from rendering.backends.blender.session import BlenderSession, open_session
from rendering.backends.protocol import Shot
from rendering.body import Body, load_body
from rendering.motion.trajectory import Trajectory
from rendering.scene.body_looks import BodyLook
from rendering.scene.camera import Camera
from rendering.scene.ground import Ground
from rendering.scene.looks import Look
from rendering.scene.stage import Stage, build_stage
from rendering.scene.views import View

_DESIGN: Final = "1"  # raise it when any picture changes
_BPY: Final = "5.0"

__all__ = ["BlenderBackend"]

Picture = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class BlenderBackend:
    """Draws bodies. Another quality than the usual is for measuring; `crop=False` draws the ground by Cycles too.

    Two samples a pixel and the denoiser: beside 256 samples an SSIM of 0.994; four samples give 0.996 for half as much
    work again (docs/performance-drawing.md).
    """

    samples: int = 2
    denoise: bool = True
    crop: bool = True
    python: Path = field(default_factory=blender_python)
    body: Body = field(default_factory=load_body)
    name: str = "blender"

    @property
    def version(self) -> str:
        return f"{_DESIGN}-bpy{_BPY}-{self.body.version[:8]}"

    def available(self) -> str | None:
        return what_is_missing(self.python)

    def with_body(self, body: Body) -> "BlenderBackend":
        return replace(self, body=body)

    def draws(self, look: Look) -> bool:
        return isinstance(look, BodyLook)

    def shoot(self, trajectory: Trajectory, look: Look, view: View) -> Shot:
        """One picture a frame; the same motion, look and view give the same bytes on the same machine."""
        if not isinstance(look, BodyLook):
            raise TypeError(f"backend 'blender': expected a look that shows a body, found {look.name!r}")
        stage = build_stage(trajectory, look, view, self.body)
        return Shot(self._frames(stage), stage.cameras.coverage, stage.heads_in_picture())

    def _frames(self, stage: Stage) -> Iterator[Picture]:
        job = describe_job(stage, samples=self.samples, denoise=self.denoise)
        with open_session(self.python, job) as session:
            under_way: tuple[int, Crop] | None = None
            grounds = _Grounds(stage)
            for number, vertices in enumerate(vertices for block in stage.blocks() for vertices in block):
                crop = self._crop(stage, stage.cameras.at(number), vertices)
                session.send(number, stage.cameras.positions[number], crop, vertices)
                # Blender already has this frame: it draws while the one before is put together.
                if under_way is not None:
                    yield _finished(session, grounds, *under_way)
                under_way = number, crop
            if under_way is not None:
                yield _finished(session, grounds, *under_way)

    def _crop(self, stage: Stage, camera: Camera, vertices: npt.NDArray[np.float32]) -> Crop:
        return find_crop(stage, camera, vertices) if self.crop else whole(camera.pixels)


class _Grounds:
    """Paints the ground anew only when the camera has moved."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.ground = Ground(stage)
        self.position: npt.NDArray[np.float64] | None = None
        self.picture: Picture | None = None

    def at(self, number: int) -> Picture:
        position = self.stage.cameras.positions[number]
        if self.picture is None or self.position is None or not np.array_equal(self.position, position):
            self.picture, self.position = self.ground.paint(position), position
        return self.picture


def _finished(session: BlenderSession, grounds: _Grounds, number: int, crop: Crop) -> Picture:
    drawn = session.receive(number, crop)
    if crop == whole(session.pixels):
        return drawn
    return with_crop(grounds.at(number), drawn, crop)
