"""Runs a job's command in a child process: reads its progress, keeps the lease, stops it when cancelled or too slow.

Heavy work stays on the far side of a process border: a crash or a leak there costs one job, not the worker.
"""

import contextlib
import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from config.jobs.models import Job
from config.jobs.services import job_heartbeat
from config.processes import dies_with

# Several beats fit into a lease, so that one slow write does not lose the job.
HEARTBEAT_SECONDS = min(2.0, settings.JOB_LEASE_SECONDS / 4)
STOP_SECONDS = 5.0


@dataclass(frozen=True)
class ChildEnd:
    """How the child ended. `stopped` says why we ended it; empty when it ended by itself."""

    code: int
    stderr: str
    stopped: str = ""


@dataclass(frozen=True)
class Progress:
    """How far the child says that it is."""

    share: float = 0.0
    doing: str = ""


def run_child(command: Sequence[str], *, job: Job, time_limit: float, scratch: Path | None = None) -> ChildEnd:
    """Run `command` to its end; it prints {"progress": 0..1} as JSON lines, and if it likes what it is `doing`,
    and how many are `done` `of` how many.

    `scratch` is where it and its own children put temporary files: who clears that away has cleared all of them away,
    also what a killed Blender left.
    """
    child = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        preexec_fn=dies_with(os.getpid()),
        env=os.environ | {"TMPDIR": str(scratch)} if scratch else None,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    progress: queue.Queue[Progress] = queue.Queue()
    stderr: list[str] = []
    readers = [
        threading.Thread(target=_read_progress, args=(child.stdout, progress), daemon=True),
        threading.Thread(target=lambda pipe: stderr.append(pipe.read()), args=(child.stderr,), daemon=True),
    ]
    for reader in readers:
        reader.start()
    try:
        stopped = _watch(child, progress, job=job, time_limit=time_limit)
    finally:
        _stop(child)
    for reader in readers:
        reader.join(STOP_SECONDS)
    return ChildEnd(code=child.returncode, stderr="".join(stderr)[-4000:].strip(), stopped=stopped)


def _watch(child: "subprocess.Popen[str]", progress: "queue.Queue[Progress]", *, job: Job, time_limit: float) -> str:
    deadline = time.monotonic() + time_limit
    last, beat_at = Progress(), time.monotonic() + HEARTBEAT_SECONDS
    while child.poll() is None:
        last = _newest(progress) or last
        now = time.monotonic()
        if now > deadline:
            return f"took longer than its time limit of {time_limit:g} s"
        if now >= beat_at:
            if not job_heartbeat(job, progress=last.share, doing=last.doing):
                return "cancelled, or taken over by another worker"
            beat_at = now + HEARTBEAT_SECONDS
    return ""


def _newest(progress: "queue.Queue[Progress]") -> Progress | None:
    """The last of what was said since; a child that says much must not be followed late. Waits a moment for one."""
    newest = None
    with contextlib.suppress(queue.Empty):
        newest = progress.get(timeout=0.05)
        while True:
            newest = progress.get_nowait()
    return newest


def _read_progress(pipe: IO[str], progress: "queue.Queue[Progress]") -> None:
    for line in pipe:
        try:
            said = json.loads(line)
            progress.put(Progress(float(said["progress"]), _in_words(said)))
        except (ValueError, KeyError, TypeError):
            continue  # something else that the child printed


def _in_words(said: Mapping[str, Any]) -> str:
    """`bootstrap: sample level, 3 of 12`."""
    doing = str(said.get("doing") or "")
    return f"{doing}, {said['done']} of {said['of']}" if doing and said.get("of") and "done" in said else doing


def _stop(child: "subprocess.Popen[str]") -> None:
    if child.poll() is None:
        child.terminate()
        try:
            child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
