"""What a child process does before it becomes another program."""

import ctypes
import os
import signal
import sys


def die_with_parent() -> None:
    """Linux ends the child when its parent is killed; elsewhere a job's lease does the tidying."""
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGTERM)


def yield_to_others() -> None:
    """Background work: the site goes first."""
    die_with_parent()
    os.nice(5)
