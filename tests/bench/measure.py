"""Time and memory of a piece of work, so that us and a peer can be put side by side."""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Line:
    """A row of the table in docs/performance.md."""

    work: str
    peer: str
    peer_seconds: float | None  # None where the peer cannot do it
    seconds: float
    wanted: str
    note: str = ""

    @property
    def ratio(self) -> str:
        return "" if self.peer_seconds is None else f"{self.peer_seconds / self.seconds:.0f}x"


def seconds_of(work: Callable[[], object], *, repeat: int = 3) -> float:
    """The best of a few runs: what the machine can do when nothing else disturbs it."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def own_peak() -> float:
    """The most memory that this process has had so far, in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2


def run_apart(arguments: list[str]) -> tuple[float, float, int]:
    """Seconds, peak memory in GB and exit code of a command in its own process."""
    start = time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    end = subprocess.run([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    # ru_maxrss is the largest child so far: a smaller one after it cannot be told apart.
    return seconds, max(peak, before) / 1024**2, end.returncode
