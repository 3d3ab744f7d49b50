"""Why a file, or a whole upload, is not taken."""

from collections.abc import Iterable
from difflib import get_close_matches

from annotation.errors import AnnotationError
from config.bulk.cells import CellError
from config.bulk.problems import shown


class FileRefused(CellError):
    """A file that a row names cannot be had; the row's problem says why."""


class UploadRefused(AnnotationError):
    """What was sent cannot be looked into at all; `field` is `manifest` or `files`."""

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(message)


def found_nothing_like(name: str, known: Iterable[str]) -> str:
    """The words for a name that is not there, with up to three that it may have been meant for."""
    close = get_close_matches(name, known, n=3, cutoff=0.6)
    return f"{shown(name)}; close to it: {', '.join(close)}" if close else shown(name)
