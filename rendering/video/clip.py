"""From a request to a clip: read the motion, draw it, encode it, and say what was made."""

import hashlib
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rendering.backends import Backend, Shot, check_draws, get_backend, with_body
from rendering.jobfile import RenderRequest, RenderResult, StageCosts
from rendering.motion import MotionFormatError, Trajectory, read_npy
from rendering.scene import Look, View, clip_key, get_look, get_views, view_name
from rendering.video.aside import Aside, aside
from rendering.video.encoder import encoder
from rendering.video.label import draw_label
from rendering.video.memory import peak_memory_bytes
from rendering.video.outputs import check_outputs
from rendering.video.poster import POSTER_FORMATS, write_poster
from rendering.video.stills import Preview, Strip

__all__ = ["make_clip"]

Picture = npt.NDArray[np.uint8]
Progress = Callable[[float], None]  # told the share that is done, 0 to 1


@dataclass(frozen=True)
class _Scene:
    """A request with its names looked up and its motion read."""

    trajectory: Trajectory
    backend: Backend
    look: Look
    views: tuple[View, ...]
    label: str | None


@dataclass
class _Stopwatch:
    """When each stage ended, and the peak of memory by then."""

    began: float = field(default_factory=time.perf_counter)
    cpu_began: float = field(default_factory=lambda: _cpu_seconds())
    ended: dict[str, float] = field(default_factory=dict)
    peaks: dict[str, int] = field(default_factory=dict)

    def end(self, stage: str) -> None:
        self.ended[stage] = time.perf_counter()
        self.peaks[stage] = peak_memory_bytes()

    def costs(self, *, waited: float) -> StageCosts:
        """`waited`: what drawing waited for the encoder."""
        read, pose, drawn = (self.ended[stage] for stage in ("read", "pose", "draw"))
        return StageCosts(
            read=round(read - self.began, 4),
            pose=round(pose - read, 4),
            draw=round(drawn - pose - waited, 4),
            encode=round(waited, 4),
            total=round(time.perf_counter() - self.began, 4),
            cpu=round(_cpu_seconds() - self.cpu_began, 4),
            read_peak_bytes=self.peaks["read"],
            pose_peak_bytes=self.peaks["pose"],
            draw_peak_bytes=self.peaks["draw"],
        )


@dataclass(frozen=True)
class _Made:
    """The files that were made, by what they are."""

    bytes: int
    sha256: dict[str, str]
    strip_stride: int | None
    waited: float


def make_clip(
    request: RenderRequest, on_progress: Progress = lambda share: None, *, trajectory: Trajectory | None = None
) -> RenderResult:
    """Draw the clip, and the pictures beside it, that `request` asks for; on any error none of them appears.

    `trajectory`, when given, is the motion as it was read already, from whatever kind of file.
    """
    watch = _Stopwatch()
    scene = _prepare(request, trajectory)
    watch.end("read")
    shots = [scene.backend.shoot(scene.trajectory, scene.look, view) for view in scene.views]
    watch.end("pose")
    made = _make_files(request, scene, shots, on_progress)
    watch.end("draw")
    coverage = np.min([shot.coverage for shot in shots], axis=0)
    on_progress(1.0)
    return RenderResult(
        **_identity(scene, request),
        fps=scene.trajectory.fps,
        frames=scene.trajectory.frames,
        seconds=scene.trajectory.seconds,
        width=scene.look.pixels * len(scene.views),
        height=scene.look.pixels,
        bytes=made.bytes,
        sha256=made.sha256["clip"],
        poster_sha256=made.sha256.get("poster"),
        strip_sha256=made.sha256.get("strip"),
        strip_stride=made.strip_stride,
        preview_sha256=made.sha256.get("preview"),
        coverage=tuple(round(float(share), 4) for share in coverage),
        coverage_min=round(float(coverage.min()), 4),
        coverage_mean=round(float(coverage.mean()), 4),
        stages=watch.costs(waited=made.waited),
        peak_memory_bytes=peak_memory_bytes(),
    )


def _prepare(request: RenderRequest, trajectory: Trajectory | None) -> _Scene:
    # Names first: they cost nothing, and a typo should not wait for a file to be read.
    look, views = get_look(request.look).at(request.pixels), get_views(request.view)
    backend = with_body(get_backend(request.backend), request.body)
    check_draws(backend, request.look)
    check_outputs(request)
    if trajectory is None:
        trajectory = read_npy(request.motion, fps=request.fps)
    if request.motion_hash not in (None, trajectory.content_hash):
        raise MotionFormatError(
            f"{request.motion.name}: expected the motion {request.motion_hash}, found {trajectory.content_hash}"
        )
    return _Scene(trajectory, backend, look, views, request.label)


def _identity(scene: _Scene, request: RenderRequest) -> dict[str, str]:
    view, motion_hash = view_name(request.view), scene.trajectory.content_hash
    backend, pixels = scene.backend, scene.look.pixels
    key = clip_key(motion_hash, scene.look.name, view, pixels, backend.name, backend.version, label=scene.label)
    return {
        "motion_hash": motion_hash,
        "look": scene.look.name,
        "view": view,
        "backend": backend.name,
        "renderer_version": backend.version,
        "clip_key": key,
    }


def _make_files(request: RenderRequest, scene: _Scene, shots: Sequence[Shot], on_progress: Progress) -> _Made:
    with aside() as places:
        stills = _Stills(request, scene.trajectory)
        clip = places.place_for(request.clip)
        waited = _draw_and_encode(clip, scene, shots, stills, on_progress)
        files = {"clip": clip, **stills.write(places)}
        made = _Made(
            bytes=clip.stat().st_size,
            sha256={what: _sha256(path) for what, path in files.items()},
            strip_stride=stills.strip.stride if stills.strip else None,
            waited=waited,
        )
        places.publish()
    return made


class _Stills:
    """The pictures beside the clip that the request asks for."""

    def __init__(self, request: RenderRequest, trajectory: Trajectory) -> None:
        self._request, self._middle_at = request, trajectory.frames // 2
        self._middle: Picture | None = None
        self.strip = Strip(trajectory.frames) if request.strip else None
        self._preview = Preview(trajectory.frames, trajectory.fps) if request.preview else None

    def add(self, index: int, picture: Picture) -> None:
        if index == self._middle_at:
            self._middle = picture
        if self.strip is not None:
            self.strip.add(index, picture)
        if self._preview is not None:
            self._preview.add(index, picture)

    def write(self, places: Aside) -> dict[str, Path]:
        written: dict[str, Path] = {}
        request = self._request
        if request.poster is not None and self._middle is not None:
            written["poster"] = places.place_for(request.poster)
            write_poster(self._middle, written["poster"], suffix=request.poster.suffix)
        if request.strip is not None and self.strip is not None:
            written["strip"] = places.place_for(request.strip)
            self.strip.write(written["strip"], kind=POSTER_FORMATS[request.strip.suffix.lower()])
        if request.preview is not None and self._preview is not None:
            written["preview"] = places.place_for(request.preview)
            self._preview.write(written["preview"])
        return written


def _draw_and_encode(path: Path, scene: _Scene, shots: Sequence[Shot], stills: _Stills, on_progress: Progress) -> float:
    """Seconds spent waiting for the encoder."""
    side, waited = scene.look.pixels, 0.0
    with encoder(path, fps=scene.trajectory.fps, width=side * len(shots), height=side) as video:
        for index, picture in enumerate(_pictures(shots, scene.label)):
            drawn = time.perf_counter()
            video.write(picture)
            waited += time.perf_counter() - drawn
            stills.add(index, picture)
            on_progress(index / scene.trajectory.frames)
        drawn = time.perf_counter()
        video.finish()
        waited += time.perf_counter() - drawn
    return waited


def _pictures(shots: Sequence[Shot], label: str | None) -> Iterator[Picture]:
    """The pictures of all views, frame by frame, side by side."""
    for index, together in enumerate(zip(*(shot.frames for shot in shots), strict=True)):
        pictures = together
        if label is not None:
            heads = [shot.heads[index] for shot in shots]
            pictures = tuple(draw_label(each, label, head) for each, head in zip(together, heads, strict=True))
        yield pictures[0] if len(pictures) == 1 else np.concatenate(pictures, axis=1)


def _cpu_seconds() -> float:
    """Of this process and of the children that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
