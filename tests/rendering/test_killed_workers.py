"""kill -9 of a render worker during a job, twice: every clip exists in the end, once, playable. Real workers."""

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import imageio_ffmpeg
import numpy as np
import pytest
from django.db import connection

from config.audit.models import AuditEvent
from config.jobs.models import JobState
from rendering.models import Clip, ClipState, RenderJob
from rendering.motion import trajectory_from_array
from rendering.services.clips import Drawing, clips_plan
from rendering.services.motions import motion_store
from tests.rendering.people import a_walk
from tests.rendering.workers import RENDERER, RenderWorker, wait_for

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not Path("/proc").exists(), reason="finds left-over processes through /proc, which is Linux's"),
]

# Long enough to be met in the middle, at a size that makes a frame cost something.
FRAMES = (400, 360, 120)
DRAWING = Drawing(look="stick", view="front", pixels=720)
PATIENCE = 120.0

Start = Callable[[], RenderWorker]


@pytest.fixture(
    params=[
        pytest.param("filesystem", marks=pytest.mark.sqlite_only),
        pytest.param("redis", marks=pytest.mark.servers),
    ]
)
def start(request: pytest.FixtureRequest, tmp_path: Path, files: Path) -> Iterator[Start]:
    """Starts workers that share the test's database and storage, one after the other."""
    (tmp_path / "tmp").mkdir()
    environment = {
        **{name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"},
        "DATABASE_URL": _database_url(),
        "BROKER_URL": _redis_of_its_own() if request.param == "redis" else "",
        "VAR_DIR": str(files.parent),  # so that its storage is the test's
        "TMPDIR": str(tmp_path / "tmp"),  # what a killed worker leaves there goes with the test
        "JOB_LEASE_SECONDS": "2",
        "SWEEP_SECONDS": "1",
    }
    workers: list[RenderWorker] = []

    def start_worker() -> RenderWorker:
        workers.append(RenderWorker(environment, tmp_path / f"worker-{len(workers) + 1}.log"))
        return workers[-1]

    yield start_worker
    for worker in workers:
        worker.stop()


def _database_url() -> str:
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    return urlunsplit(urlsplit(os.environ["TEST_DATABASE_URL"])._replace(path=f"/{name}"))


def _redis_of_its_own() -> str:
    """Another number than that of tests beside this one: their workers must not take our messages."""
    return urlunsplit(urlsplit(os.environ["BROKER_URL"])._replace(path="/9"))


def plan_clips(monkeypatch: pytest.MonkeyPatch) -> list[Clip]:
    """Nobody is rung for them: a worker finds what waits when it starts."""
    monkeypatch.setattr("rendering.services.clips.ring", lambda *_, **__: None)
    walk = a_walk(40)
    motions = []
    for frames in FRAMES:
        joints = np.tile(walk.joints, (-(-frames // walk.frames), 1, 1))[:frames]
        motions.append(motion_store(trajectory=trajectory_from_array(joints, fps=walk.fps), source="a test"))
    return clips_plan(motions=motions, drawing=DRAWING, actor="user:test")


def wait_until_half_drawn(worker: RenderWorker) -> RenderJob:
    """A job that is in the middle by its own account, and has a renderer at work."""
    half = RenderJob.objects.filter(state=JobState.RUNNING, progress__gt=0.1, progress__lt=0.8)

    def is_drawing() -> bool:
        return half.exists() and any(RENDERER in command for command in worker.processes().values())

    wait_for(is_drawing, seconds=PATIENCE, what="a job half drawn", log=worker.log)
    return half.get()


def wait_until_nothing_is_left_of(worker: RenderWorker) -> None:
    wait_for(lambda: not worker.processes(), seconds=20, what="no process left", log=worker.log)


def leave_half_stored(job: RenderJob, files: Path) -> None:
    """What a worker that dies while it stores a clip leaves behind, besides."""
    folder = files / "clips" / job.clip.key[:2]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f".{job.clip.key}-0123456789abcdef.mp4.{'0' * 32}.part").write_bytes(b"half")
    (folder / f"{job.clip.key}-0123456789abcdef.mp4").write_bytes(b"whole, but never recorded")


def frames_in(path: Path) -> int:
    """Frames that ffmpeg decodes from a clip; it complains of none."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", "-xerror", "-i", str(path), "-an", "-f", "framemd5", "-"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert answer.stderr == ""
    return sum(not line.startswith("#") for line in answer.stdout.splitlines())


def test_every_clip_is_made_once_although_workers_are_killed(
    start: Start, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clips = plan_clips(monkeypatch)

    first = start()
    killed = wait_until_half_drawn(first)
    first.kill_the_group()
    leave_half_stored(killed, files)
    wait_until_nothing_is_left_of(first)
    assert RenderJob.objects.get(pk=killed.pk).state == JobState.RUNNING  # nobody was there to give it back

    second = start()
    wait_until_half_drawn(second)
    second.kill_all_but_the_renderer()
    wait_until_nothing_is_left_of(second)

    third = start()
    ready = Clip.objects.filter(state=ClipState.READY)
    wait_for(lambda: ready.count() == len(clips), seconds=PATIENCE, what="every clip ready", log=third.log)
    done = RenderJob.objects.filter(state=JobState.DONE)
    wait_for(lambda: done.count() == len(clips), seconds=20, what="every job done", log=third.log)
    third.stop()
    wait_until_nothing_is_left_of(third)

    assert_every_clip_exists_once(clips, files)
    assert_the_log_tells_what_happened(clips, killed)


def assert_every_clip_exists_once(clips: list[Clip], files: Path) -> None:
    assert Clip.objects.count() == RenderJob.objects.count() == len(clips)
    expected = set()
    for clip in Clip.objects.select_related("motion"):
        assert frames_in(files / str(clip.file)) == clip.motion.frames
        expected |= {str(clip.file), str(clip.poster), clip.details["strip"], clip.details["preview"]}
    stored = {str(path.relative_to(files)) for path in (files / "clips").rglob("*") if path.is_file()}
    assert stored == expected
    assert sum(name.endswith(".mp4") for name in stored) == len(clips)


def assert_the_log_tells_what_happened(clips: list[Clip], killed: RenderJob) -> None:
    events = AuditEvent.objects.filter(action__startswith="render_job.")
    requeued = list(events.filter(action="render_job.requeued"))
    assert len(requeued) >= 2
    assert f"rendering.renderjob:{killed.pk}" in {event.subject for event in requeued}
    assert all("stopped without an answer" in event.details["error"] for event in requeued)
    finished = list(events.filter(action="render_job.done").values_list("subject", flat=True))
    assert sorted(finished) == sorted({f"rendering.renderjob:{job.pk}" for job in RenderJob.objects.all()})
    assert events.filter(action="render_job.claimed").count() == len(clips) + len(requeued)
