"""`python -m rendering`: one motion to one clip, for a person or for a render worker.

Exit codes: 0 done; 1 the renderer failed (a retry may help); 2 bad input (it will not); 128 + n ended by signal n.
Parsing and reporting only: the work is `rendering.video.make_clip`. Heavy imports wait until the arguments are good.
"""

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

from rendering.jobfile import (
    FailureKind,
    JobFileError,
    RenderFailure,
    RenderRequest,
    RenderResult,
    read_request,
    result_path,
    write_outcome,
)

EXIT_CODES: Final[dict[FailureKind, int]] = {"renderer": 1, "input": 2}
_REPORT_SECONDS: Final = 0.2
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.backends:
        return _list_backends()
    if options.job is not None:
        return _run_job(options.job)
    if options.motion is None or options.output is None:
        parser.error("expected a motion and -o CLIP, or --job JOB, or --backends")
    return _run_one(options)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m rendering", description="Draw a motion as a video clip.")
    parser.add_argument("motion", nargs="?", type=Path, help=".npy of shape (frames, 22, 3): metres, Y up")
    parser.add_argument("-o", "--output", type=Path, metavar="CLIP", help="the .mp4 to write")
    parser.add_argument("--poster", type=Path, help="also write the middle frame to this .png or .jpg")
    parser.add_argument("--fps", type=float, default=20.0, help="frames a second of the motion (default: 20)")
    parser.add_argument("--look", default="stick", help="how it is drawn (default: stick)")
    parser.add_argument("--view", default="front-left", help="from where it is seen (default: front-left)")
    parser.add_argument("--backend", default="stick", help="what draws it (default: stick)")
    parser.add_argument("--pixels", type=int, default=384, help="each side of the picture (default: 384)")
    parser.add_argument("--job", type=Path, help="take the request from this JSON file instead")
    parser.add_argument("--backends", action="store_true", help="list the backends and whether they can run here")
    return parser


def _own_the_process() -> None:
    """What only a process of our own may do, and a caller of `main` need not want."""
    # Before NumPy is imported: nothing here multiplies large matrices, and starting BLAS threads takes a third of its
    # import time.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for number in _SIGNALS:
        signal.signal(number, _leave)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """Turn a signal into an exception, so that everything half done is undone on the way out."""
    for each in _SIGNALS:  # a second one must not interrupt the cleaning up
        signal.signal(each, signal.SIG_IGN)
    raise SystemExit(128 + number)


def _list_backends() -> int:
    from rendering.backends import backend_statuses

    for status in backend_statuses():
        print(f"{status.name:<10}{status.missing or 'ready'}")
    return 0


def _run_one(options: argparse.Namespace) -> int:
    request = RenderRequest(
        motion=options.motion,
        clip=options.output,
        fps=options.fps,
        look=options.look,
        view=options.view,
        backend=options.backend,
        pixels=options.pixels,
        poster=options.poster,
    )
    on_terminal = sys.stderr.isatty()
    outcome = _render(request, _progress_line if on_terminal else _silent)
    if on_terminal:
        print(file=sys.stderr)
    if isinstance(outcome, RenderFailure):
        return _fail(outcome)
    print(f"{options.output}: {outcome.frames} frames, {outcome.seconds:g} s, {outcome.bytes} bytes")
    return 0


def _run_job(path: Path) -> int:
    place = result_path(path)
    if place is None or not place.parent.is_dir():
        return _fail(_without_a_place(path, place))
    # The result of an earlier attempt must not be taken for this one's, should this one be killed.
    place.unlink(missing_ok=True)
    outcome = _job_outcome(path)
    write_outcome(place, outcome)
    return _fail(outcome) if isinstance(outcome, RenderFailure) else 0


def _without_a_place(path: Path, place: Path | None) -> RenderFailure:
    """Why there is nowhere to write a result to."""
    if place is not None:
        return RenderFailure(f"{path.name}: no folder {place.parent} to write the result to", "input")
    try:
        read_request(path)
    except JobFileError as error:
        return RenderFailure(_one_line(error), "input")
    return RenderFailure(f"{path.name}: 'result' is missing", "input")


def _job_outcome(path: Path) -> RenderResult | RenderFailure:
    try:
        request = read_request(path)
    except JobFileError as error:
        return RenderFailure(_one_line(error), "input")
    return _render(request, _progress_json())


def _render(request: RenderRequest, on_progress: Callable[[float], None]) -> RenderResult | RenderFailure:
    from rendering.backends import BackendUnavailableError
    from rendering.motion import MotionFormatError
    from rendering.scene import PixelsError, UnknownNameError
    from rendering.video import OutputError, VideoError, make_clip

    try:
        return make_clip(request, on_progress)
    except (MotionFormatError, UnknownNameError, PixelsError, OutputError, BackendUnavailableError) as error:
        return RenderFailure(_one_line(error), "input")
    except (VideoError, OSError) as error:
        return RenderFailure(_one_line(error), "renderer")


def _fail(failure: RenderFailure) -> int:
    print(f"error: {failure.error}", file=sys.stderr)
    return EXIT_CODES[failure.kind]


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _silent(share: float) -> None:
    pass


def _progress_line(share: float) -> None:
    print(f"\r{share:4.0%}", end="", file=sys.stderr, flush=True)


def _progress_json() -> Callable[[float], None]:
    """Reports to the parent, as JSON lines, not more often than it could care about."""
    last = 0.0

    def report(share: float) -> None:
        nonlocal last
        now = time.monotonic()
        if share < 1 and now - last < _REPORT_SECONDS:
            return
        last = now
        print(json.dumps({"progress": round(share, 3)}), flush=True)

    return report


if __name__ == "__main__":
    _own_the_process()
    sys.exit(main())
