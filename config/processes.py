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


def dies_with(parent: int) -> Callable[[], None]:
    """As above, also when the parent was killed before the child could ask for it."""

    def prepare() -> None:
        die_with_parent()
        if os.getppid() != parent:
            os._exit(128 + signal.SIGTERM)

    return prepare


def prepared(*, niceness: int) -> Callable[[], None]:
    """Dies with its parent, and lets processes that are less nice go first."""

    def prepare() -> None:
        die_with_parent()
        os.nice(niceness)

    return prepare
