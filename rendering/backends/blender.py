"""The `blender` backend: known, not built. This module only says what stands in its way.

Blender runs in a process of its own with its own environment (`.venv-render`); nothing here may import `bpy`.
"""

import subprocess
from pathlib import Path
from typing import Final

NOT_BUILT: Final = "not built yet: comes with the rendering work"
_ROOT: Final = Path(__file__).resolve().parents[2]
_IMPORT_SECONDS: Final = 60

__all__ = ["NOT_BUILT", "what_is_missing"]


def what_is_missing(root: Path = _ROOT) -> str:
    """Why it cannot run, and whether its environment would be there if it were built."""
    return f"{NOT_BUILT} ({_environment(root / '.venv-render' / 'bin' / 'python')})"


def _environment(python: Path) -> str:
    if not python.exists():
        return "and there is no .venv-render with bpy"
    try:
        done = subprocess.run([python, "-c", "import bpy"], capture_output=True, timeout=_IMPORT_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return "and .venv-render does not run"
    return "its .venv-render with bpy is ready" if done.returncode == 0 else "and .venv-render cannot import bpy"
