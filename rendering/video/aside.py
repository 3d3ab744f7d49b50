"""Files that appear whole or not at all: written beside their place, then moved into it together."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

__all__ = ["Aside", "aside"]


class Aside:
    """Hands out places to write to, and moves what was written to where it belongs."""

    def __init__(self) -> None:
        self._moves: dict[Path, Path] = {}  # from -> to

    def place_for(self, path: Path) -> Path:
        """A new path in the same folder (a rename is atomic only within one file system)."""
        part = path.with_name(f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}.part")
        self._moves[part] = path
        return part

    def publish(self) -> None:
        """Move everything into place, undisturbed by signals, so that no half of it is ever seen."""
        previous = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT, signal.SIGHUP})
        try:
            while self._moves:
                part, path = self._moves.popitem()
                os.replace(part, path)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, previous)

    def discard(self) -> None:
        """Remove whatever was not published."""
        for part in self._moves:
            part.unlink(missing_ok=True)
        self._moves.clear()


@contextmanager
def aside() -> Iterator[Aside]:
    """Places to write to; what is not published when the block ends, by whatever way, is removed."""
    places = Aside()
    try:
        yield places
    finally:
        places.discard()
