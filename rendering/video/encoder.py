"""RGB pictures to an MP4 that every browser plays, through the ffmpeg binary that imageio-ffmpeg carries."""

import importlib.util
import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from typing import IO, Final

import numpy as np
import numpy.typing as npt

CRF: Final = 18
PRESET: Final = "veryfast"
_ERROR_LINES: Final = 5

__all__ = ["CRF", "PRESET", "Encoder", "VideoError", "encoder", "ffmpeg_path"]


class VideoError(RuntimeError):
    """Encoding failed; the message ends with the last lines that ffmpeg said."""


def ffmpeg_path() -> str:
    """The ffmpeg binary to use.

    The bundled file is looked up without importing imageio_ffmpeg, whose own search runs the binary once to see that
    it works: that would take longer than the rest of our start-up.
    """
    chosen = os.environ.get("IMAGEIO_FFMPEG_EXE")
    if chosen:
        return chosen
    spec = importlib.util.find_spec("imageio_ffmpeg")
    if spec is None or spec.origin is None:
        raise VideoError("no ffmpeg: the package imageio-ffmpeg, which carries it, is not installed")
    bundled = sorted(Path(spec.origin).parent.glob("binaries/ffmpeg-*"))
    if not bundled:
        raise VideoError("no ffmpeg: imageio-ffmpeg is installed without its binary; set IMAGEIO_FFMPEG_EXE")
    return str(bundled[-1])


class Encoder:
    """A running ffmpeg that takes pictures."""

    def __init__(self, process: subprocess.Popen[bytes], log: IO[bytes], shape: tuple[int, int, int]) -> None:
        self._process = process
        self._log = log
        self._shape = shape

    def write(self, picture: npt.NDArray[np.uint8]) -> None:
        """Encode one more picture."""
        if picture.shape != self._shape or picture.dtype != np.uint8:
            raise ValueError(f"expected uint8 {self._shape}, found {picture.dtype} {picture.shape}")
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(np.ascontiguousarray(picture).data)
        except OSError as error:  # ffmpeg is gone: its own words say more than "broken pipe"
            raise self._failure() from error

    def finish(self) -> None:
        """Wait until the file is complete."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
        except OSError as error:
            raise self._failure() from error
        if self._process.wait() != 0:
            raise self._failure()

    def stop(self) -> None:
        """End ffmpeg if it still runs. Its file is then worthless."""
        self._process.kill()
        self._process.wait()

    def _failure(self) -> VideoError:
        # It closes its pipe before it has said why: let it finish saying so.
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.stop()
            code = self._process.returncode
        self._log.seek(0)
        said = self._log.read().decode(errors="replace").strip().splitlines()[-_ERROR_LINES:]
        how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        return VideoError(f"ffmpeg {how}: {' | '.join(said) or 'it said nothing'}")


@contextmanager
def encoder(path: Path, *, fps: float, width: int, height: int) -> Iterator[Encoder]:
    """An encoder that writes to `path`; ffmpeg never outlives the block."""
    command = _command(path, rate=_rate(fps), width=width, height=height)
    # A file, not a pipe: nobody reads while we write, and a full pipe would stop both.
    with tempfile.TemporaryFile() as log:
        try:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log)
        except OSError as error:
            raise VideoError(f"ffmpeg cannot be started: {error.strerror} ({command[0]})") from error
        running = Encoder(process, log, (height, width, 3))
        try:
            yield running
        finally:
            running.stop()
            assert process.stdin is not None
            with suppress(OSError):  # what is still buffered has no reader any more
                process.stdin.close()


def _rate(fps: float) -> Fraction:
    rate = Fraction(fps).limit_denominator(100_000)
    if rate <= 0:
        raise VideoError(f"{fps:g} fps is too slow for a video")
    return rate


def _command(path: Path, *, rate: Fraction, width: int, height: int) -> list[str]:
    shape = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}"]
    pictures = [*shape, "-framerate", str(rate), "-i", "pipe:0"]
    # RGB to YUV by the matrix that the tags name: ffmpeg's default is that of standard definition television, and
    # players would show other colours than were drawn.
    matrix = "scale=in_range=full:out_range=tv:out_color_matrix=bt709:flags=accurate_rnd,format=yuv420p"
    # By filter: the frames' own tags win over the encoder's options, and frames from a pipe say "unknown".
    tags = "setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709"
    codec = ["-c:v", "libx264", "-preset", PRESET, "-crf", str(CRF), "-pix_fmt", "yuv420p"]
    # One thread each, so that two workers use two cores; bitexact, so that the same clip has the same bytes.
    calm = ["-threads", "1", "-filter_threads", "1"]
    exact = ["-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact"]
    start = [ffmpeg_path(), "-hide_banner", "-nostdin", "-loglevel", "error", "-y"]
    output = ["-an", "-movflags", "+faststart", "-f", "mp4", str(path)]
    return [*start, "-threads", "1", *pictures, "-vf", f"{matrix},{tags}", *codec, *calm, *exact, *output]
