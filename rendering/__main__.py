"""`python -m rendering`: motions to clips, for a person or for a render worker.

Exit codes: 0 done; 1 the renderer failed (a retry may help); 2 bad input (it will not); 128 + n ended by signal n.
Signals and dispatch only: the work is in `rendering.command`.
"""

import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Final, NoReturn

from rendering.command.arguments import make_parser

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = make_parser()
    options = parser.parse_args(arguments)
    if options.backends:
        return _list_backends()
    if options.job is not None:
        from rendering.command.job import run_job

        return run_job(options.job)
    if not options.motion or options.output is None:
        parser.error("expected a motion and -o CLIP, or --job JOB, or --backends")
    from rendering.command.clips import run_clips

    return run_clips(options)


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


if __name__ == "__main__":
    _own_the_process()
    sys.exit(main())
