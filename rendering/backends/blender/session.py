"""One Blender, in a process of its own: started with a scene, sent frames, gone when the shot is over."""

import ctypes
import json
import os
import signal
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image

from rendering.backends.blender.crop import Crop
from rendering.backends.blender.job import Job
from rendering.backends.protocol import BackendFailedError

# Number, camera's position, crop (left, bottom, right, top in pixels from below), as child.py reads it.
_FRAME: Final = struct.Struct("<i3d4i")
_CHILD: Final = Path(__file__).with_name("child.py")
_LAST_WORDS: Final = 3  # lines of what Blender said that go into an error

__all__ = ["BlenderSession", "open_session"]


@dataclass(frozen=True, eq=False)
class BlenderSession:
    """A running Blender. Frames are sent and received in order; one may be under way while the next is sent."""

    process: "subprocess.Popen[bytes]"
    folder: Path
    pixels: int

    def send(
        self, number: int, position: npt.NDArray[np.float64], crop: Crop, vertices: npt.NDArray[np.float32]
    ) -> None:
        """Ask for a frame. Waits until Blender is ready to read it."""
        assert self.process.stdin is not None
        box = (crop.left, self.pixels - crop.bottom, crop.right, self.pixels - crop.top)
        try:
            self.process.stdin.write(_FRAME.pack(number, *position.tolist(), *box))
            self.process.stdin.write(np.ascontiguousarray(vertices, dtype="<f4").tobytes())
            self.process.stdin.flush()
        except BrokenPipeError:
            raise self._failure(number) from None

    def receive(self, number: int, crop: Crop) -> npt.NDArray[np.uint8]:
        """The frame that was asked for, cropped."""
        assert self.process.stdout is not None
        if not self.process.stdout.read(1):
            raise self._failure(number)
        path = self.folder / f"{number}.png"
        with Image.open(path) as image:
            picture = np.asarray(image.convert("RGB"))
        path.unlink()
        expected = (crop.bottom - crop.top, crop.right - crop.left, 3)
        if picture.shape != expected:
            raise BackendFailedError(
                f"Blender, frame {number}: expected a picture of {expected}, found {picture.shape}"
            )
        return picture

    def _failure(self, number: int) -> BackendFailedError:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=10)
        log = (self.folder / "log.txt").read_text(errors="replace").strip().splitlines()
        said = "; ".join(line.strip() for line in log[-_LAST_WORDS:] if line.strip())
        return BackendFailedError(
            f"Blender {_ending(self.process.returncode)} at frame {number}" + (f": {said}" if said else "")
        )


@contextmanager
def open_session(python: Path, job: Job) -> Iterator[BlenderSession]:
    """Start Blender on `job`; however it ends, neither process nor file is left."""
    with tempfile.TemporaryDirectory(prefix="touchstone-blender-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        (folder / "job.json").write_text(json.dumps(job.values))
        np.savez(folder / "job.npz", **job.arrays)  # type: ignore[arg-type]
        with (folder / "log.txt").open("wb") as log:
            process = subprocess.Popen(
                [python, _CHILD, folder],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd=folder,
                env=_environment(folder),
                preexec_fn=_die_with_parent,
            )
        try:
            yield BlenderSession(process, folder, int(job.values["pixels"]))
        finally:
            _end(process)


def _environment(folder: Path) -> dict[str, str]:
    """Blender keeps its settings, caches and scratch files to the job's folder."""
    own = dict.fromkeys(("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "BLENDER_USER_RESOURCES"), str(folder))
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "BLENDER_"))}
    return inherited | own | {"PYTHONDONTWRITEBYTECODE": "1"}


def _die_with_parent() -> None:
    """Linux ends Blender when the worker is killed."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)


def _end(process: "subprocess.Popen[bytes]") -> None:
    # Killed, not asked: it holds nothing worth saving, and Blender may take seconds to free its memory.
    process.kill()
    # Leaving `process` closes its pipe, and that may break as well: the other one is outermost.
    with suppress(BrokenPipeError), process:
        pass


def _ending(returncode: int | None) -> str:
    if returncode is None:
        return "stopped answering"
    if returncode >= 0:
        return f"ended with {returncode}"
    if -returncode == signal.SIGKILL:
        return "was killed (SIGKILL; perhaps the machine ran out of memory)"
    return f"was killed ({signal.Signals(-returncode).name})"
