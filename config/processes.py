"""What a child process does before it becomes another program."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable


def die_with_parent() -> None:
    """Linux ends the child when its parent is killed; elsewhere a job's lease does the tidying."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


def prepared(*, niceness: int) -> Callable[[], None]:
    """Dies with its parent, and lets processes that are less nice go first."""

    def prepare() -> None:
        die_with_parent()
        os.nice(niceness)

    return prepare
