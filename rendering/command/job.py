"""A job file to a clip, for a render worker: progress as JSON lines, the outcome as a file."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from rendering.command.outcome import fail, one_line, render
from rendering.jobfile import JobFileError, RenderFailure, RenderResult, read_request, result_path, write_outcome

_REPORT_SECONDS: Final = 0.2

__all__ = ["run_job"]


def run_job(path: Path) -> int:
    place = result_path(path)
    if place is None or not place.parent.is_dir():
        return fail(_without_a_place(path, place))
    # The result of an earlier attempt must not be taken for this one's, should this one be killed.
    place.unlink(missing_ok=True)
    outcome = _outcome(path)
    write_outcome(place, outcome)
    return fail(outcome) if isinstance(outcome, RenderFailure) else 0


def _without_a_place(path: Path, place: Path | None) -> RenderFailure:
    """Why there is nowhere to write a result to."""
    if place is not None:
        return RenderFailure(f"{path.name}: no folder {place.parent} to write the result to", "input")
    try:
        read_request(path)
    except JobFileError as error:
        return RenderFailure(one_line(error), "input")
    return RenderFailure(f"{path.name}: 'result' is missing", "input")


def _outcome(path: Path) -> RenderResult | RenderFailure:
    try:
        request = read_request(path)
    except JobFileError as error:
        return RenderFailure(one_line(error), "input")
    return render(request, _progress())


def _progress() -> Callable[[float], None]:
    """Reports to the parent not more often than it could care about."""
    last = 0.0

    def report(share: float) -> None:
        nonlocal last
        now = time.monotonic()
        if share < 1 and now - last < _REPORT_SECONDS:
            return
        last = now
        print(json.dumps({"progress": round(share, 3)}), flush=True)

    return report
