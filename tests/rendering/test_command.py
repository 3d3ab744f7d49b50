"""`python -m rendering` as a person and a render worker run it: a real process, real files, a real ffmpeg."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from rendering.__main__ import main
from rendering.backends import get_backend
from rendering.jobfile import (
    JobFileError,
    RenderFailure,
    RenderRequest,
    RenderResult,
    StageCosts,
    read_outcome,
    write_outcome,
    write_request,
)
from rendering.motion import read_npy
from rendering.scene import clip_key, get_look, get_view
from rendering.video import VideoError, encoder
from rendering.video.encoder import ffmpeg_path
from tests.rendering.people import a_walk
from tests.rendering.test_body_smpl import model
from tests.rendering.test_gl import needs_gl

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


@pytest.fixture
def motion(tmp_path: Path) -> Path:
    return save(tmp_path / "motion.npy", frames=9)


def save(path: Path, *, frames: int) -> Path:
    """A person who drifts over the floor: as many frames as wanted, each another picture."""
    drift = np.linspace(0, 1, frames)[:, None, None] * [0.5, 0, 0.2]
    np.save(path, (a_walk(1).joints + drift).astype(np.float32))
    return path


def environment(**extra: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **extra}


def run(*arguments: str | Path, **extra: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rendering", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment(**extra), timeout=60, check=False)


def request_for(motion: Path) -> RenderRequest:
    folder = motion.parent
    return RenderRequest(
        motion=motion,
        clip=folder / "clip.mp4",
        poster=folder / "poster.png",
        result=folder / "result.json",
        fps=20,
        look="stick",
        view="front-left",
        backend="stick",
        pixels=128,
    )


def run_job(request: RenderRequest, **extra: str) -> subprocess.CompletedProcess[str]:
    job = request.motion.parent / "job.json"
    write_request(job, request)
    return run("--job", job, **extra)


def shots(motion: Path, *, pixels: int) -> Iterator[npt.NDArray[np.uint8]]:
    look = get_look("stick").at(pixels)
    return get_backend("stick").shoot(read_npy(motion, fps=20), look, get_view("front-left")).frames


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def decode(clip: Path, pixels: int) -> npt.NDArray[np.uint8]:
    command = [ffmpeg_path(), "-v", "error", "-i", str(clip), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    raw = subprocess.run(command, capture_output=True, check=True).stdout
    return np.frombuffer(raw, dtype=np.uint8).reshape(-1, pixels, pixels, 3)


def describe(clip: Path) -> str:
    said = subprocess.run([ffmpeg_path(), "-i", clip], capture_output=True, text=True, check=False).stderr
    return next(line for line in said.splitlines() if "Video:" in line)


def boxes(clip: Path) -> list[str]:
    """The names of the file's top boxes, in order."""
    data, at, found = clip.read_bytes(), 0, []
    while at < len(data):
        found.append(data[at + 4 : at + 8].decode())
        at += int.from_bytes(data[at : at + 4], "big")
    return found


# One motion, one clip


def test_a_person_draws_one_motion(motion: Path) -> None:
    clip = motion.with_name("clip.mp4")
    done = run(motion, "-o", clip, "--fps", "29.97", "--view", "azimuth-30", "--pixels", "128", "--look", "stick")
    assert (done.returncode, done.stderr) == (0, "")
    assert "9 frames" in done.stdout
    assert names(motion.parent) == {"motion.npy", "clip.mp4"}
    line = describe(clip)
    assert "h264" in line
    assert "yuv420p(tv, bt709" in line
    assert "128x128" in line
    assert "29.97 fps" in line
    assert boxes(clip)[:2] == ["ftyp", "moov"]  # so that a browser can start before it has the whole file


def test_the_video_shows_the_frames_that_were_drawn(motion: Path) -> None:
    clip = motion.with_name("clip.mp4")
    main([str(motion), "-o", str(clip), "--pixels", "256", "--look", "stick"])
    drawn = np.stack(list(shots(motion, pixels=256)))
    shown = decode(clip, 256)
    assert shown.shape == drawn.shape
    assert np.abs(shown.astype(int) - drawn).mean() < 3


@pytest.mark.parametrize("colour", [(230, 119, 0), (0, 98, 168), (246, 247, 249)])
def test_colours_are_shown_as_they_were_drawn(tmp_path: Path, colour: tuple[int, int, int]) -> None:
    """By a player that believes the tags: encoded by another matrix than tagged, orange would be off by tens."""
    with encoder(tmp_path / "flat.mp4", fps=20, width=64, height=64) as video:
        video.write(np.full((64, 64, 3), colour, dtype=np.uint8))
        video.finish()
    assert np.abs(decode(tmp_path / "flat.mp4", 64).astype(int) - colour).max() <= 3


def test_one_frame_makes_a_clip(tmp_path: Path) -> None:
    motion = save(tmp_path / "still.npy", frames=1)
    assert main([str(motion), "-o", str(tmp_path / "still.mp4"), "--pixels", "64"]) == 0
    assert len(decode(tmp_path / "still.mp4", 64)) == 1


def test_the_same_motion_gives_the_same_bytes(motion: Path) -> None:
    clips = [motion.with_name(f"{number}.mp4") for number in (1, 2)]
    for clip in clips:
        main([str(motion), "-o", str(clip), "--pixels", "64"])
    assert clips[0].read_bytes() == clips[1].read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--look", "stik"), "error: unknown look 'stik'; known: stick, stick-dark, vemo, studio, parts\n"),
        (("--view", "top"), "error: unknown view 'top'; known: own, front, "),
        (("--backend", "opengl"), "error: unknown backend 'opengl'; known: "),
        (("--backend", "stick", "--look", "vemo"), "error: "),
        (("--pixels", "99"), "error: expected an even number of pixels from 64 to 2160, found 99\n"),
        (("--fps", "0"), "error: motion.npy: expected fps above 0 and at most 240, found 0\n"),
        (("--poster", "poster.txt"), "error: poster.txt: expected a poster named .png or .jpg or .jpeg\n"),
        (("-o", "no/such/clip.mp4"), "error: no/such/clip.mp4: no such folder: no/such\n"),
        (
            ("--look", "stick", "--body", "smpl.npz"),
            "error: backend 'stick' draws no body; expected one of: gl, blender\n",
        ),
        (("-o", "clip.avi"), "error: clip.avi: expected a clip named .mp4\n"),
    ],
)
def test_a_mistake_gets_one_clear_line(
    motion: Path, arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(motion), "-o", str(motion.with_name("clip.mp4")), *arguments]) == 2
    found = capsys.readouterr().err
    assert found.startswith(said)
    assert found.count("\n") == 1
    assert names(motion.parent) == {"motion.npy"}


def test_a_bad_motion_gets_one_clear_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    array = np.zeros((3, 22, 3), dtype=np.float32)
    array[2, 20, 1] = np.nan
    np.save(tmp_path / "nan.npy", array)
    np.save(tmp_path / "shape.npy", np.zeros((120, 24, 3)))
    for name in ("nan.npy", "shape.npy", "gone.npy"):
        assert main([str(tmp_path / name), "-o", str(tmp_path / "clip.mp4")]) == 2
    nan, shape, gone = capsys.readouterr().err.splitlines()
    assert nan.startswith("error: nan.npy: frame 2, joint 20 (left_wrist), y is nan")
    assert shape == "error: shape.npy: expected (frames, 22, 3), found (120, 24, 3)"
    assert gone.startswith("error: gone.npy: cannot be read: No such file or directory")
    assert names(tmp_path) == {"nan.npy", "shape.npy"}


@needs_gl
def test_a_person_brings_a_body_of_their_own(motion: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clip, body = motion.with_name("clip.mp4"), motion.with_name("smpl.npz")
    np.savez(body, **model())
    arguments = [str(motion), "-o", str(clip), "--look", "vemo", "--pixels", "64", "--stills"]
    assert main([*arguments, "--body", str(body)]) == 0
    theirs = json.loads(clip.with_suffix(".json").read_text())
    assert main(arguments) == 0  # another body is another clip: it is drawn anew
    ours = json.loads(clip.with_suffix(".json").read_text())
    assert theirs["renderer_version"] != ours["renderer_version"]
    assert theirs["sha256"] != ours["sha256"]

    body.write_bytes(b"\x80\x04")
    assert main([*arguments, "--body", str(body)]) == 2
    assert "error: smpl.npz: pickled Python objects are not read" in capsys.readouterr().err


def test_nothing_to_do_says_what_is_expected() -> None:
    done = run()
    assert done.returncode == 2
    assert "expected a motion and -o CLIP, or --job JOB, or --backends" in done.stderr


def test_the_backends_are_listed_with_what_they_lack() -> None:
    done = run("--backends")
    assert done.returncode == 0
    assert re.search(r"^stick\s+ready$", done.stdout, re.MULTILINE)
    assert re.search(r"^gl\s+\S", done.stdout, re.MULTILINE)
    assert re.search(r"^blender\s+\S", done.stdout, re.MULTILINE)


# A job of a render worker


def test_a_job_leaves_clip_poster_and_result(motion: Path) -> None:
    request = request_for(motion)
    done = run_job(request)
    assert (done.returncode, done.stderr) == (0, "")
    assert names(motion.parent) == {"motion.npy", "job.json", "clip.mp4", "poster.png", "result.json"}
    result = read_outcome(motion.with_name("result.json"))
    assert isinstance(result, RenderResult)
    motion_hash = read_npy(motion, fps=20).content_hash
    assert result.motion_hash == motion_hash
    assert result.clip_key == clip_key(motion_hash, "stick", "front-left", 128, "stick", result.renderer_version)
    assert result.sha256 == hashlib.sha256(request.clip.read_bytes()).hexdigest()
    assert result.bytes == request.clip.stat().st_size
    assert (result.frames, result.seconds, result.width, result.height) == (9, 0.45, 128, 128)
    assert 0 < result.coverage_min <= result.coverage_mean <= 1
    assert len(result.coverage) == 9
    assert min(result.coverage) == result.coverage_min
    assert 0 < result.stages.draw < result.stages.total
    assert result.stages.read_peak_bytes <= result.stages.draw_peak_bytes
    assert 10e6 < result.peak_memory_bytes < 500e6


def test_the_poster_is_the_middle_frame(motion: Path) -> None:
    run_job(request_for(motion))
    pictures = list(shots(motion, pixels=128))
    with Image.open(motion.with_name("poster.png")) as poster:
        np.testing.assert_array_equal(np.asarray(poster), pictures[4])


def test_progress_grows_to_one(tmp_path: Path) -> None:
    done = run_job(request_for(save(tmp_path / "motion.npy", frames=300)))
    shares = [json.loads(line)["progress"] for line in done.stdout.splitlines()]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(shares) > 1


def test_bad_input_is_also_in_the_result_file(motion: Path) -> None:
    done = run_job(replace(request_for(motion), look="stik"))
    assert done.returncode == 2
    failure = read_outcome(motion.with_name("result.json"))
    assert failure == RenderFailure("unknown look 'stik'; known: stick, stick-dark, vemo, studio, parts", "input")
    assert names(motion.parent) == {"motion.npy", "job.json", "result.json"}


def test_another_motion_than_expected_is_refused(motion: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = motion.with_name("job.json")
    write_request(job, replace(request_for(motion), motion_hash="0" * 64))
    assert main(["--job", str(job)]) == 2
    assert "motion.npy: expected the motion 000" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"fps": "fast"}, "job.json: 'fps' must be a number, found 'fast'"),
        ({"pixels": 128.5}, "job.json: 'pixels' must be a whole number, found 128.5"),
        ({"pixels": True}, "job.json: 'pixels' must be a whole number, found True"),
        ({"look": None}, "job.json: 'look' must be a text, found None"),
        ({"colour": "red"}, "job.json: unknown field 'colour'"),
    ],
)
def test_a_bad_job_file_names_the_field(
    motion: Path, change: dict[str, object], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    job = motion.with_name("job.json")
    job.write_text(json.dumps({**json.loads(request_for(motion).to_json()), **change}))
    assert main(["--job", str(job)]) == 2
    assert capsys.readouterr().err == f"error: {said}\n"
    assert read_outcome(motion.with_name("result.json")) == RenderFailure(said, "input")


def test_a_job_file_that_cannot_be_read_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "torn.json").write_text('{"motion": ')
    for name in ("torn.json", "gone.json"):
        assert main(["--job", str(tmp_path / name)]) == 2
    torn, gone = capsys.readouterr().err.splitlines()
    assert torn.startswith("error: torn.json: not JSON: ")
    assert gone.startswith("error: gone.json: cannot be read: No such file")


def test_a_result_without_a_folder_is_refused_before_drawing(motion: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = motion.with_name("job.json")
    write_request(job, replace(request_for(motion), result=motion.parent / "no" / "result.json"))
    assert main(["--job", str(job)]) == 2
    assert capsys.readouterr().err == f"error: job.json: no folder {motion.parent / 'no'} to write the result to\n"
    assert names(motion.parent) == {"motion.npy", "job.json"}


def test_paths_in_a_job_file_count_from_its_folder(motion: Path) -> None:
    request = replace(request_for(motion), motion=Path("motion.npy"), clip=Path("a.mp4"), poster=None)
    job = motion.with_name("job.json")
    write_request(job, replace(request, result=Path("result.json")))
    assert main(["--job", str(job)]) == 0
    assert names(motion.parent) == {"motion.npy", "job.json", "a.mp4", "result.json"}


def test_requests_and_results_survive_the_file(tmp_path: Path) -> None:
    request = request_for(tmp_path / "motion.npy")
    assert RenderRequest.from_json(request.to_json()) == request
    result = RenderResult(
        motion_hash="a", look="stick", view="front", backend="stick", renderer_version="1", clip_key="b", fps=20.0,
        frames=3, seconds=0.15, width=64, height=64, bytes=10, sha256="c", poster_sha256=None, strip_sha256="d",
        strip_stride=3, preview_sha256=None, coverage=(0.1, 0.3, 0.2), coverage_min=0.1, coverage_mean=0.2,
        stages=StageCosts(0.1, 0.2, 0.3, 0.6, 1.2, 1.1, 7, 8, 9), peak_memory_bytes=5,
    )  # fmt: skip
    for outcome in (result, RenderFailure("it broke", "renderer")):
        write_outcome(tmp_path / "result.json", outcome)
        assert read_outcome(tmp_path / "result.json") == outcome
    with pytest.raises(JobFileError, match="'kind' must be one of input, renderer, found 'luck'"):
        RenderFailure.from_json('{"error": "x", "kind": "luck"}')


# Ends that come too early


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_half_way_leaves_nothing(tmp_path: Path, number: signal.Signals) -> None:
    motion = save(tmp_path / "motion.npy", frames=20_000)
    write_request(tmp_path / "job.json", request_for(motion))
    command = [sys.executable, "-m", "rendering", "--job", str(tmp_path / "job.json")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment()) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        for _ in range(2):
            child.stdout.readline()
        assert any(name.endswith(".part") for name in names(tmp_path))
        child.send_signal(number)
        assert child.wait(timeout=10) == 128 + number
        assert child.stderr.read() == b""
    time.sleep(0.2)  # an ffmpeg that lived on would finish its file now
    assert names(tmp_path) == {"motion.npy", "job.json"}


def test_an_old_result_is_not_taken_for_a_new_one(motion: Path) -> None:
    motion.with_name("result.json").write_text("{}")
    run_job(replace(request_for(motion), fps=500))
    assert isinstance(read_outcome(motion.with_name("result.json")), RenderFailure)


def test_an_ffmpeg_that_fails_is_quoted_and_leaves_nothing(motion: Path) -> None:
    broken = motion.with_name("ffmpeg")
    broken.write_text("#!/bin/sh\nfor last; do :; done\necho half > \"$last\"\necho 'disk is tired' >&2\nexit 3\n")
    broken.chmod(0o755)
    done = run_job(request_for(motion), IMAGEIO_FFMPEG_EXE=str(broken))
    assert done.returncode == 1
    assert done.stderr == "error: ffmpeg ended with code 3: disk is tired\n"
    assert read_outcome(motion.with_name("result.json")) == RenderFailure(done.stderr[7:-1], "renderer")
    assert names(motion.parent) == {"motion.npy", "job.json", "ffmpeg", "result.json"}


def test_an_ffmpeg_that_is_not_there_is_named(motion: Path) -> None:
    done = run_job(request_for(motion), IMAGEIO_FFMPEG_EXE="/no/ffmpeg")
    assert (done.returncode, done.stderr) == (
        1,
        "error: ffmpeg cannot be started: No such file or directory (/no/ffmpeg)\n",
    )


def test_a_killed_ffmpeg_is_reported(tmp_path: Path) -> None:
    picture = np.zeros((64, 64, 3), dtype=np.uint8)

    def kill_while_writing() -> None:
        with encoder(tmp_path / "clip.mp4", fps=20, width=64, height=64) as video:
            video.write(picture)
            video._process.kill()
            for _ in range(1000):
                video.write(picture)

    with pytest.raises(VideoError, match="ffmpeg was ended by signal 9"):
        kill_while_writing()


def test_a_picture_of_another_size_is_refused(tmp_path: Path) -> None:
    wrong = np.zeros((64, 62, 3), dtype=np.uint8)
    with (
        encoder(tmp_path / "clip.mp4", fps=20, width=64, height=64) as video,
        pytest.raises(ValueError, match=r"expected uint8 \(64, 64, 3\), found uint8 \(64, 62, 3\)"),
    ):
        video.write(wrong)
