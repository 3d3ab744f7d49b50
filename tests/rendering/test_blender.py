"""The `blender` backend: what it draws, and what is said where it cannot."""

import os
import signal
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from rendering.backends import BackendFailedError, backend_statuses
from rendering.backends.blender import BlenderBackend
from rendering.backends.blender.crop import FEATHER, Crop, with_crop
from rendering.backends.blender.environment import explain_import, what_is_missing
from rendering.backends.gl import GlBackend
from rendering.motion import Trajectory, trajectory_from_array
from rendering.scene.body_looks import PARTS, STUDIO, VEMO, BodyLook
from rendering.scene.ground import Ground
from rendering.scene.stage import build_stage
from rendering.scene.stick_looks import STICK
from rendering.scene.views import get_view
from tests.rendering.people import a_walk
from tests.rendering.ssim import ssim

Pictures = list[npt.NDArray[np.uint8]]

# A person who stands, arms a little off the body: pelvis, then HumanML3D's order.
STANDING = np.array(
    [
        (0, 0.95, 0), (0.06, 0.86, 0), (-0.06, 0.86, 0), (0, 1.07, -0.02), (0.1, 0.48, 0), (-0.1, 0.48, 0),
        (0, 1.2, -0.02), (0.1, 0.08, -0.03), (-0.1, 0.08, -0.03), (0, 1.26, 0), (0.12, 0.02, 0.1), (-0.12, 0.02, 0.1),
        (0, 1.47, -0.03), (0.08, 1.38, -0.02), (-0.08, 1.38, -0.02), (0, 1.56, 0.02), (0.18, 1.4, -0.03),
        (-0.18, 1.4, -0.03), (0.3, 1.18, -0.04), (-0.3, 1.18, -0.04), (0.38, 0.95, 0.02), (-0.38, 0.95, 0.02),
    ],
    dtype=np.float32,
)  # fmt: skip


@pytest.fixture
def blender() -> BlenderBackend:
    backend = BlenderBackend()
    missing = backend.available()
    if missing is not None:
        pytest.skip(f"Blender: {missing}")
    return backend


def walk(frames: int = 2) -> Trajectory:
    steps = np.arange(frames, dtype=np.float32)[:, None, None] * np.array([0, 0, 0.1], dtype=np.float32)
    return trajectory_from_array(STANDING + steps, fps=20)


def shoot(backend: BlenderBackend, look: BodyLook, *, pixels: int = 128, frames: int = 2) -> Pictures:
    return list(backend.shoot(walk(frames), look.at(pixels), get_view("own")).frames)


def leftovers() -> set[str]:
    return {path.name for path in Path(tempfile.gettempdir()).glob("touchstone-blender-*")}


# Pictures


@pytest.mark.slow
@pytest.mark.parametrize("look", [VEMO, STUDIO, PARTS], ids=lambda look: str(look.name))
def test_cropped_frames_look_like_whole_frames_of_many_samples(blender: BlenderBackend, look: BodyLook) -> None:
    drawn = shoot(blender, look, frames=1)[0]
    reference = shoot(replace(blender, samples=128, crop=False), look, frames=1)[0]
    assert drawn.shape == (128, 128, 3)
    assert ssim(drawn, reference) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("look", [VEMO, STUDIO, PARTS], ids=lambda look: str(look.name))
def test_gl_shows_the_picture_that_blender_draws(blender: BlenderBackend, look: BodyLook) -> None:
    missing = GlBackend().available()
    if missing is not None:
        pytest.skip(f"gl: {missing}")
    walking = trajectory_from_array(np.array(a_walk(20).joints[14:15]), fps=20)
    reference = replace(blender, samples=128, crop=False).shoot(walking, look.at(256), get_view("own"))
    drawn = GlBackend().shoot(walking, look.at(256), get_view("own"))
    assert ssim(next(drawn.frames), next(reference.frames)) >= 0.95


@pytest.mark.slow
@pytest.mark.parametrize("look", [VEMO, STUDIO, PARTS], ids=lambda look: str(look.name))
def test_the_painted_ground_has_the_levels_of_the_drawn_one(blender: BlenderBackend, look: BodyLook) -> None:
    drawn = shoot(replace(blender, samples=64, crop=False), look, frames=1)[0]
    stage = build_stage(walk(1), look.at(128), get_view("own"))
    painted = Ground(stage).paint(stage.cameras.positions[0])
    # The upper corners and the left edge: far from the body and its shadow.
    for part in (np.s_[:24, :24], np.s_[:24, -24:], np.s_[40:80, :10]):
        assert painted[part].mean() == pytest.approx(drawn[part].mean(), abs=3)


@pytest.mark.slow
def test_frames_come_in_order_and_the_same_each_time(blender: BlenderBackend) -> None:
    first, again = shoot(blender, PARTS, frames=3), shoot(blender, PARTS, frames=3)
    assert len(first) == 3
    assert not np.array_equal(first[0], first[2])
    for a, b in zip(first, again, strict=True):
        assert np.array_equal(a, b)


def test_the_border_of_a_crop_melts_into_the_ground() -> None:
    ground = np.full((544, 544, 3), 100, dtype=np.uint8)
    crop = Crop(left=150, top=40, right=544, bottom=480)
    drawn = np.full((440, 394, 3), 120, dtype=np.uint8)
    row = with_crop(ground, drawn, crop)[310, :, 0].astype(int)
    assert np.abs(np.diff(row)).max() <= 4  # 20 levels over a feather of 8 pixels, and no step anywhere
    feather = int(np.ceil(FEATHER * 544))
    assert row[150 + feather :].tolist() == [120] * (394 - feather)
    assert row[:150].tolist() == [100] * 150


# Failures


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other tests draw with Blender at the same time: what is left over must be ours."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.mark.slow
def test_a_killed_blender_is_an_error_and_leaves_nothing(blender: BlenderBackend) -> None:
    before = leftovers()
    frames = blender.shoot(walk(40), PARTS.at(64), get_view("own")).frames
    next(frames)
    (folder,) = leftovers() - before
    child = child_in(folder)
    os.kill(child, signal.SIGKILL)
    with pytest.raises(BackendFailedError, match=r"Blender was killed .SIGKILL; perhaps .* memory. at frame"):
        list(frames)
    assert leftovers() == before


@pytest.mark.slow
def test_a_shot_that_is_given_up_ends_blender(blender: BlenderBackend) -> None:
    before = leftovers()
    frames = blender.shoot(walk(40), PARTS.at(64), get_view("own")).frames
    next(frames)
    (folder,) = leftovers() - before
    child = child_in(folder)
    frames.close()  # type: ignore[attr-defined]
    assert leftovers() == before
    assert not Path(f"/proc/{child}").exists()


def test_what_blender_said_last_is_in_the_error(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'ModuleNotFoundError: no module' >&2\nexit 3\n")
    python.chmod(0o755)
    with pytest.raises(BackendFailedError, match="Blender ended with 3 at frame 0: ModuleNotFoundError: no module"):
        shoot(BlenderBackend(python=python), PARTS, pixels=64)


def test_a_missing_environment_names_the_command_that_makes_it(tmp_path: Path) -> None:
    python = tmp_path / ".venv-render" / "bin" / "python"
    assert what_is_missing(python) == "there is no .venv-render with Blender (bpy); run: make render-setup"
    assert BlenderBackend(python=python).available() == what_is_missing(python)


@pytest.mark.parametrize(
    ("stderr", "said"),
    [
        (
            "ImportError: libXrender.so.1: cannot open shared object file: No such file or directory\n",
            "Blender (bpy) needs the library libXrender.so.1; run: apt-get install libxrender1",
        ),
        (
            "ImportError: libGL.so.1: cannot open shared object file: No such file or directory\n",
            "Blender (bpy) needs the library libGL.so.1; run: apt-get install libgl1",
        ),
        (
            "ImportError: libfoo-2.so.7: cannot open shared object file: No such file or directory\n",
            "Blender (bpy) needs the library libfoo-2.so.7",
        ),
        ("ModuleNotFoundError: No module named 'bpy'\n", ".venv-render has no bpy; run: make render-setup"),
        ("", "Blender (bpy) cannot be imported: it ended with -11"),
    ],
)
def test_a_failed_import_says_what_to_install(stderr: str, said: str) -> None:
    assert explain_import(-11, stderr) == said


def test_it_draws_bodies_only() -> None:
    assert BlenderBackend().draws(VEMO)
    assert not BlenderBackend().draws(STICK)


def test_every_backend_says_whether_it_can_run() -> None:
    assert "blender" in {status.name for status in backend_statuses()}


def child_in(folder: str) -> int:
    """The process that Blender runs in, by its working folder."""
    for _ in range(100):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if (process / "cwd").readlink().name == folder:
                    return int(process.name)
            except OSError:
                continue
        time.sleep(0.05)
    raise AssertionError(f"no process works in {folder}")
