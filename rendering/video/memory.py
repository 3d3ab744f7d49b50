"""How much memory this process has used at most."""

import resource
from pathlib import Path
from typing import Final

_STATUS: Final = Path("/proc/self/status")

__all__ = ["peak_memory_bytes"]


def peak_memory_bytes() -> int:
    """The peak of the resident set.

    Linux's own line is preferred: getrusage's figure survives exec, so the child of a large worker would report the
    worker's memory as its own.
    """
    if _STATUS.exists():
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
