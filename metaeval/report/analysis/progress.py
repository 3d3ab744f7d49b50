"""How far an analysis has got, in words and as a share: for the worker that started it and the person who waits."""

from collections.abc import Callable
from dataclasses import dataclass, field

Report = Callable[[float, str, int, int], None]  # share, what is being done, how many are done, of how many


@dataclass
class Progress:
    """Counts steps; every step says what it is about to do."""

    steps: int
    report: Report | None = None
    # An analysis is not the whole command: figures and files come after it.
    share: float = 1.0
    done: int = field(default=0, init=False)

    def step(self, doing: str) -> None:
        if self.report is not None:
            self.report(self.share * min(self.done / max(self.steps, 1), 1.0), doing, self.done, self.steps)
        self.done += 1
