"""One request to one outcome, and what the process says of a failure."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from rendering.jobfile import FailureKind, RenderFailure, RenderRequest, RenderResult

if TYPE_CHECKING:
    from rendering.motion import Trajectory

EXIT_CODES: Final[dict[FailureKind, int]] = {"renderer": 1, "input": 2}

__all__ = ["EXIT_CODES", "fail", "one_line", "render"]


def render(
    request: RenderRequest, on_progress: Callable[[float], None], trajectory: "Trajectory | None" = None
) -> RenderResult | RenderFailure:
    """Draw it; `trajectory`, when given, is the motion as it was read already."""
    from rendering.backends import BackendFailedError, BackendUnavailableError
    from rendering.body import BodyFormatError
    from rendering.motion import MotionFormatError
    from rendering.scene import PixelsError, UnknownNameError
    from rendering.video import OutputError, VideoError, make_clip

    try:
        return make_clip(request, on_progress, trajectory=trajectory)
    except (
        MotionFormatError,
        BodyFormatError,
        UnknownNameError,
        PixelsError,
        OutputError,
        BackendUnavailableError,
    ) as error:
        return RenderFailure(one_line(error), "input")
    except (BackendFailedError, VideoError, OSError) as error:
        return RenderFailure(one_line(error), "renderer")


def fail(failure: RenderFailure) -> int:
    print(f"error: {failure.error}", file=sys.stderr)
    return EXIT_CODES[failure.kind]


def one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
