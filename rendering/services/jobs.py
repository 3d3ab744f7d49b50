"""What a render worker does when its doorbell rings."""

import contextlib
import logging
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from config.files import discard_others, fetch_file, store_file
from config.jobs.child import ChildEnd, run_child
from config.jobs.doorbell import ring
from config.jobs.services import job_claim, job_fail, job_finish, job_lock, job_retry, job_sweep, jobs_retry
from rendering.jobfile import JobFileError, RenderFailure, RenderRequest, RenderResult, read_outcome, write_request
from rendering.models import Clip, ClipState, RenderJob

logger = logging.getLogger(__name__)

FOLDERS = "touchstone-render-"


def render_job_run_next() -> bool:
    """Claim the most urgent job and render it; False when nothing waits."""
    job = job_claim(RenderJob)
    if job is None:
        return False
    try:
        with tempfile.TemporaryDirectory(prefix=FOLDERS) as folder:
            _run(job, Path(folder))
    except Exception as error:  # a fault of ours must not leave the job leased until the sweep
        logger.exception("render job %s broke", job.pk)
        job_fail(job, error=f"{type(error).__name__}: {error}", retry=True)
    ring("rendering.tasks.render_next", waiting=1)
    return True


def render_job_retry(*, job: RenderJob, actor: str) -> None:
    """A person asks for a failed or cancelled job again; a worker is woken for it."""
    job_retry(job, actor=actor)
    transaction.on_commit(lambda: ring("rendering.tasks.render_next", waiting=1))


@transaction.atomic
def render_jobs_retry(*, jobs: QuerySet[RenderJob], actor: str) -> int:
    """The same for all of these that failed or were cancelled; returns how many."""
    retried = jobs_retry(jobs, actor=actor)
    transaction.on_commit(lambda: ring("rendering.tasks.render_next", waiting=retried))
    return retried


def render_jobs_sweep() -> None:
    """Re-queue what a dead worker left, and ring for what waits."""
    _discard_folders()
    ring("rendering.tasks.render_next", waiting=job_sweep(RenderJob))


def _discard_folders() -> None:
    """A killed worker cannot empty its temporary folder; no job lasts so long that one this old is still in use."""
    oldest = time.time() - 2 * settings.RENDER_TIME_LIMIT - 3600
    for folder in Path(tempfile.gettempdir()).glob(f"{FOLDERS}*"):
        with contextlib.suppress(OSError):  # another worker on this machine was first, or it is not ours
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder)


def _run(job: RenderJob, folder: Path) -> None:
    clip = Clip.objects.select_related("motion").get(pk=job.clip_id)
    request = _request(clip, folder)
    fetch_file(str(clip.motion.file), request.motion)
    write_request(folder / "job.json", request)
    command = [sys.executable, "-m", "rendering", "--job", str(folder / "job.json")]
    end = run_child(command, job=job, time_limit=settings.RENDER_TIME_LIMIT, scratch=folder)
    outcome = _outcome(end, folder / "result.json")
    if isinstance(outcome, RenderFailure):
        job_fail(job, error=outcome.error, retry=outcome.kind == "renderer")
    else:
        _record(job, clip, request, outcome)


def _request(clip: Clip, folder: Path) -> RenderRequest:
    return RenderRequest(
        motion=folder / "motion.npy",
        clip=folder / "clip.mp4",
        poster=folder / "poster.jpg",
        strip=folder / "strip.jpg",
        preview=folder / "preview.webp",
        result=folder / "result.json",
        fps=clip.motion.fps,
        look=clip.look,
        view=clip.view,
        backend=clip.backend,
        pixels=clip.pixels,
        motion_hash=clip.motion.content_hash,
    )


def _stills(request: RenderRequest) -> Iterator[tuple[Path, str]]:
    """The pictures beside a clip, and how their names end."""
    for made, ending in ((request.poster, ".jpg"), (request.strip, "-strip.jpg"), (request.preview, ".webp")):
        if made is not None:
            yield made, ending


def _outcome(end: ChildEnd, path: Path) -> RenderResult | RenderFailure:
    if end.stopped:
        return RenderFailure(end.stopped, "renderer")
    try:
        return read_outcome(path)
    except JobFileError:
        return RenderFailure(
            f"the renderer ended with code {end.code}: {end.stderr[-500:] or 'no message'}", "renderer"
        )


def _record(job: RenderJob, clip: Clip, request: RenderRequest, result: RenderResult) -> None:
    """The files first, then the rows that point to them: a crash in between leaves a file that is written again."""
    # Named by its bytes as well: a worker that lost its claim cannot change what another one recorded.
    folder, stem = f"clips/{clip.key[:2]}", f"{clip.key}-{result.sha256[:16]}"
    name = f"{folder}/{stem}"
    made = [(request.clip, ".mp4"), *_stills(request)]
    for path, ending in made:
        store_file(path, f"{name}{ending}")
    with transaction.atomic():
        if job_lock(job) is None:
            return  # another worker took over: its result counts
        Clip.objects.filter(pk=clip.pk).update(
            state=ClipState.READY,
            file=f"{name}.mp4",
            poster=f"{name}.jpg",
            file_hash=result.sha256,
            details={**asdict(result), "strip": f"{name}-strip.jpg", "preview": f"{name}.webp"},
            rendered_at=timezone.now(),
        )
        job_finish(job)
    discard_others(folder, clip.key, keep=[f"{stem}{ending}" for _, ending in made])
