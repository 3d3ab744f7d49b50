"""Where a request wants its files: checked before anything is drawn."""

from pathlib import Path

from rendering.jobfile import RenderRequest
from rendering.video.poster import POSTER_FORMATS

__all__ = ["OutputError", "check_outputs"]


class OutputError(ValueError):
    """A file that cannot be written where, or as, the request wants it."""


def check_outputs(request: RenderRequest) -> None:
    """Raise unless all files have fitting names, folders that exist, and do not overwrite the motion or each other."""
    pictures = tuple(POSTER_FORMATS)
    wanted = (
        (request.clip, "a clip", (".mp4",)),
        (request.poster, "a poster", pictures),
        (request.strip, "a strip", pictures),
        (request.preview, "a preview", (".webp",)),
    )
    outputs = [path for path, _, _ in wanted if path is not None]
    for path, what, suffixes in wanted:
        if path is not None:
            _check_name(path, what, suffixes)
            _check_place(path)
    paths = [path.resolve() for path in (request.motion, *outputs)]
    if len(set(paths)) < len(paths):
        raise OutputError(f"{request.motion.name}: motion, clip, poster, strip and preview must be different files")


def _check_name(path: Path, what: str, suffixes: tuple[str, ...]) -> None:
    if path.suffix.lower() not in suffixes:
        raise OutputError(f"{path.name}: expected {what} named {' or '.join(suffixes)}")


def _check_place(path: Path) -> None:
    if path.is_dir():
        raise OutputError(f"{path}: expected the name of a file, found a folder")
    if not path.parent.is_dir():
        raise OutputError(f"{path}: no such folder: {path.parent}")
