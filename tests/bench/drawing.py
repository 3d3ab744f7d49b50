"""What drawing costs: writes docs/performance-drawing.md. Run by `make bench`.

CPU seconds are the reliable column: they count what a frame takes, not what else the machine does.
"""

import platform
import resource
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from rendering.backends import backend_named  # noqa: E402
from rendering.backends.blender import BlenderBackend  # noqa: E402
from rendering.body import load_body, pose_bones, skin  # noqa: E402
from rendering.jobfile import RenderRequest, RenderResult  # noqa: E402
from rendering.motion import Trajectory, read_npy, trajectory_from_array, write_npy  # noqa: E402
from rendering.scene import get_look, get_view  # noqa: E402
from rendering.video import make_clip  # noqa: E402
from tests.rendering.people import SHARED, a_walk  # noqa: E402
from tests.rendering.ssim import ssim  # noqa: E402

FRAMES = 120
BLENDER_FRAMES = 60
PAGE = ROOT / "docs" / "performance-drawing.md"


@dataclass(frozen=True)
class Row:
    work: str
    measured: str
    wanted: str


def main() -> None:
    motion = _motion()
    rows = [*_skinning(motion), *_clips(motion), *_blender(motion)]
    PAGE.write_text(_page(rows), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


def _motion() -> Trajectory:
    """A real motion where there is one, else our own performer's walk."""
    path = SHARED / "humanml3d" / "012314_joints.npy"
    motion = read_npy(path, fps=20) if path.exists() else a_walk(FRAMES)
    return trajectory_from_array(np.array(motion.joints[:FRAMES]), fps=motion.fps)


def _skinning(motion: Trajectory) -> Iterable[Row]:
    body = load_body()
    skin(body, pose_bones(body, motion.joints))
    best = min(_timed(lambda: skin(body, pose_bones(body, motion.joints))) for _ in range(5))
    yield Row(
        f"joints to {len(body.vertices):,} vertices, {motion.frames} frames",
        f"{best / motion.frames * 1e3:.2f} ms a frame",
        "under 1 ms",
    )


def _timed(work: object) -> float:
    assert callable(work)
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def _clips(motion: Trajectory) -> Iterable[Row]:
    for backend, look, pixels, wanted in (
        ("gl", "vemo", 544, "under 0.08 CPU-s a frame, clip under 6 s"),
        ("gl", "studio", 544, ""),
        ("gl", "parts", 544, ""),
        ("gl", "vemo", 1088, ""),
        ("stick", "stick", 384, "about 0.007 s a frame"),
    ):
        missing = backend_named(backend).available()
        if missing is not None:
            yield Row(f"{backend}, {look}, {pixels} px", f"cannot run here: {missing}", wanted)
            continue
        result = _clip(motion, backend, look, pixels)
        yield Row(f"{backend}, {look}, {pixels} px, {motion.frames} frames to a clip", _costs(result), wanted)


def _clip(motion: Trajectory, backend: str, look: str, pixels: int) -> RenderResult:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "motion.npy"
        source.write_bytes(write_npy(motion))
        view = "own" if look != "stick" else "front-left"
        request = RenderRequest(source, Path(folder) / "clip.mp4", motion.fps, look, view, backend, pixels)
        return make_clip(request)


def _costs(result: RenderResult) -> str:
    stages = result.stages
    return (
        f"{stages.cpu / result.frames:.3f} CPU-s a frame; {stages.total:.1f} s in all (pose {stages.pose:.1f}, "
        f"draw {stages.draw:.1f}, encode {stages.encode:.1f}); peak {result.peak_memory_bytes / 1e6:.0f} MB"
    )


def _blender(motion: Trajectory) -> Iterable[Row]:
    wanted = "under 0.8 CPU-s a frame, SSIM at least 0.95"
    backend = backend_named("blender")
    missing = backend.available()
    if missing is not None:
        yield Row("blender, vemo, 544 px", f"cannot run here: {missing}", wanted)
        return
    few = trajectory_from_array(np.array(motion.joints[:BLENDER_FRAMES]), fps=motion.fps)
    result = _clip(few, "blender", "vemo", 544)
    four = _cpu_seconds_of(BlenderBackend(samples=4), few) / few.frames
    look, view = get_look("vemo").at(544), get_view("own")
    still = trajectory_from_array(np.array(motion.joints[60:61]), fps=motion.fps)
    fast = next(BlenderBackend().shoot(still, look, view).frames)
    best = next(BlenderBackend(samples=256, crop=False).shoot(still, look, view).frames)
    gl = next(backend_named("gl").shoot(still, look, view).frames)
    yield Row(
        f"blender, vemo, 544 px, 2 samples + denoise, cropped, {few.frames} frames to a clip",
        f"{_costs(result)}; SSIM to 256 samples {ssim(fast, best):.3f}",
        wanted,
    )
    better = next(BlenderBackend(samples=4).shoot(still, look, view).frames)
    yield Row("the same with 4 samples", f"{four:.3f} CPU-s a frame; SSIM to 256 samples {ssim(better, best):.3f}", "")
    yield Row("gl beside blender with 256 samples, vemo, 544 px", f"SSIM {ssim(gl, best):.3f}", "")


def _cpu_seconds_of(backend: BlenderBackend, motion: Trajectory) -> float:
    began = _cpu_seconds()
    for _ in backend.shoot(motion, get_look("vemo").at(544), get_view("own")).frames:
        pass
    return _cpu_seconds() - began


def _cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _page(rows: Iterable[Row]) -> str:
    lines = [
        "# What drawing costs",
        "",
        f"Written by `make bench` on 2 cores without a graphics card, Python {platform.python_version()}. VeMo reports",
        "182 s from joints to mesh and 31 s from mesh to video for a motion, on a machine that it does not name.",
        "",
        "| work | measured | wanted |",
        "| --- | --- | --- |",
        *(f"| {row.work} | {row.measured} | {row.wanted} |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
