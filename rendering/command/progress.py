"""How far the command is, on a terminal; nowhere else, where a bar would only be noise."""

import sys
import time
from types import TracebackType
from typing import Final, Self

_WIDTH: Final = 28

__all__ = ["Bar"]


class Bar:
    """One line that is written over and over."""

    def __init__(self, clips: int) -> None:
        self._clips, self._done, self._name = clips, -1, ""
        self._shown = sys.stderr.isatty()
        self._began, self._last = time.monotonic(), 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.clear()

    def begin(self, name: str) -> None:
        self._done += 1
        self._name = name
        self.advance(0.0)

    def advance(self, share: float) -> None:
        """`share` of the present clip is done."""
        now = time.monotonic()
        if not self._shown or (share < 1 and now - self._last < 0.1):
            return
        self._last = now
        whole = (self._done + share) / self._clips
        left = f"{(now - self._began) * (1 - whole) / whole:4.0f} s left" if whole > 0.02 else ""
        bar = "#" * round(whole * _WIDTH)
        counted = f"{self._done + 1} of {self._clips}  " if self._clips > 1 else ""
        print(
            f"\r\033[K[{bar:<{_WIDTH}}] {whole:4.0%}  {counted}{self._name}  {left}",
            end="",
            file=sys.stderr,
            flush=True,
        )

    def clear(self) -> None:
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
