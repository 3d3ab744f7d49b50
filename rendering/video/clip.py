"""From a request to a clip: read the motion, draw it, encode it, and say what was made."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rendering.backends import Backend, get_backend
from rendering.jobfile import RenderRequest, RenderResult, StageSeconds
from rendering.motion import MotionFormatError, Trajectory, read_npy
from rendering.scene import Look, View, clip_key, fit_camera, get_look, get_view, measure_figure, picture_coverage
from rendering.video.aside import aside
from rendering.video.encoder import encoder
from rendering.video.memory import peak_memory_bytes
from rendering.video.outputs import check_outputs
from rendering.video.poster import write_poster

__all__ = ["make_clip"]

Progress = Callable[[float], None]  # told the share that is done, 0 to 1


@dataclass(frozen=True)
class _Scene:
    """A request with its names looked up and its motion read."""

    trajectory: Trajectory
    backend: Backend
    look: Look
    view: View


@dataclass(frozen=True)
class _Made:
    """The files that were made, and how long it took."""

    bytes: int
    sha256: str
    poster_sha256: str | None
    draw_seconds: float
    encode_seconds: float


def make_clip(request: RenderRequest, on_progress: Progress = lambda share: None) -> RenderResult:
    """Draw the clip and the poster that `request` asks for; on any error neither appears."""
    began = time.perf_counter()
    scene = _prepare(request)
    read_seconds = time.perf_counter() - began
    made = _make_files(request, scene, on_progress)
    figure = measure_figure(scene.trajectory)
    camera = fit_camera(scene.trajectory, figure, scene.view, scene.look.pixels)
    coverage = picture_coverage(scene.trajectory, figure, camera)
    total = time.perf_counter() - began
    on_progress(1.0)
    return RenderResult(
        **_identity(scene),
        fps=scene.trajectory.fps,
        frames=scene.trajectory.frames,
        seconds=scene.trajectory.seconds,
        width=scene.look.pixels,
        height=scene.look.pixels,
        bytes=made.bytes,
        sha256=made.sha256,
        poster_sha256=made.poster_sha256,
        coverage_min=round(float(coverage.min()), 4),
        coverage_mean=round(float(coverage.mean()), 4),
        stages=StageSeconds(
            read=round(read_seconds, 4),
            draw=round(made.draw_seconds, 4),
            encode=round(made.encode_seconds, 4),
            total=round(total, 4),
        ),
        peak_memory_bytes=peak_memory_bytes(),
    )


def _prepare(request: RenderRequest) -> _Scene:
    # Names first: they cost nothing, and a typo should not wait for a file to be read.
    look, view = get_look(request.look).at(request.pixels), get_view(request.view)
    backend = get_backend(request.backend)
    check_outputs(request)
    trajectory = read_npy(request.motion, fps=request.fps)
    if request.motion_hash not in (None, trajectory.content_hash):
        raise MotionFormatError(
            f"{request.motion.name}: expected the motion {request.motion_hash}, found {trajectory.content_hash}"
        )
    return _Scene(trajectory, backend, look, view)


def _identity(scene: _Scene) -> dict[str, str]:
    names = scene.look.name, scene.view.name
    motion_hash = scene.trajectory.content_hash
    key = clip_key(motion_hash, *names, scene.look.pixels, scene.backend.name, scene.backend.version)
    return {
        "motion_hash": motion_hash,
        "look": scene.look.name,
        "view": scene.view.name,
        "backend": scene.backend.name,
        "renderer_version": scene.backend.version,
        "clip_key": key,
    }


def _make_files(request: RenderRequest, scene: _Scene, on_progress: Progress) -> _Made:
    with aside() as places:
        clip = places.place_for(request.clip)
        draw_seconds, encode_seconds, middle = _draw_and_encode(clip, scene, on_progress)
        poster_sha256 = None
        if request.poster is not None:
            poster = places.place_for(request.poster)
            write_poster(middle, poster, suffix=request.poster.suffix)
            poster_sha256 = _sha256(poster)
        made = _Made(clip.stat().st_size, _sha256(clip), poster_sha256, draw_seconds, encode_seconds)
        places.publish()
    return made


def _draw_and_encode(path: Path, scene: _Scene, on_progress: Progress) -> tuple[float, float, npt.NDArray[np.uint8]]:
    """Seconds spent drawing and seconds spent waiting for the encoder, and the middle picture."""
    trajectory, side = scene.trajectory, scene.look.pixels
    draw = encode = 0.0
    middle = np.zeros((side, side, 3), dtype=np.uint8)
    with encoder(path, fps=trajectory.fps, width=side, height=side) as video:
        then = time.perf_counter()
        for index, picture in enumerate(scene.backend.frames(trajectory, scene.look, scene.view)):
            drawn = time.perf_counter()
            video.write(picture)
            if index == trajectory.frames // 2:
                middle = picture
            on_progress(index / trajectory.frames)
            draw, encode, then = draw + drawn - then, encode + time.perf_counter() - drawn, time.perf_counter()
        video.finish()
        encode += time.perf_counter() - then
    return draw, encode, middle


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
