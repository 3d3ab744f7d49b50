"""Real render workers in processes of their own, to be killed by tests."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ("-m", "celery", "-A", "config", "worker", "-Q", "render", "-c", "1", "--without-gossip", "--without-mingle")
RENDERER = "-m rendering --job"


class RenderWorker:
    """`celery -A config worker -Q render` in a process group of its own; what it says goes to a log."""

    def __init__(self, environment: Mapping[str, str], log: Path) -> None:
        self.folder, self.log = environment["VAR_DIR"], log
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [sys.executable, *COMMAND, "-n", f"{log.stem}@%h"],
                cwd=ROOT,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def processes(self) -> dict[int, str]:
        """Every process that was started with this worker's folder and still runs, with its command line."""
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if f"VAR_DIR={self.folder}\0".encode() in (folder / "environ").read_bytes():
                    found[int(folder.name)] = (folder / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue  # it ended while we looked, or is not ours
        return {pid: command for pid, command in found.items() if command}  # a zombie has none

    def kill_the_group(self) -> None:
        """The worker, its pool and whatever they started, at the same moment."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def kill_all_but_the_renderer(self) -> None:
        """As the kernel does when memory runs out: the renderer is left without a parent, and must notice."""
        for pid, command in self.processes().items():
            if "celery" in command:
                os.kill(pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill_the_group()


def wait_for(condition: Callable[[], bool], *, seconds: float, what: str, log: Path) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"{what}: not within {seconds:g} s\n{log.read_text(errors='replace')[-6000:]}")
        time.sleep(0.05)
