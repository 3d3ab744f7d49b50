"""Whether Blender can run here, and what to do where it cannot. Asked in a child: `bpy` is never imported by us."""

import re
import subprocess
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[3]
_IMPORT_SECONDS: Final = 120  # the first import reads 1 GB from disk

# What a minimal Debian lacks of what bpy is linked with, by the library that the loader asks for.
_DEBIAN: Final = MappingProxyType(
    {
        "libXrender": "libxrender1",
        "libXfixes": "libxfixes3",
        "libXi": "libxi6",
        "libxkbcommon": "libxkbcommon0",
        "libSM": "libsm6",
        "libICE": "libsm6",
        "libGL": "libgl1",
        "libEGL": "libegl1",
    }
)

__all__ = ["ROOT", "blender_python", "explain_import", "what_is_missing"]


def blender_python(root: Path = ROOT) -> Path:
    """The interpreter that has `bpy`."""
    return root / ".venv-render" / "bin" / "python"


@lru_cache(maxsize=8)
def what_is_missing(python: Path) -> str | None:
    """Why `python` cannot run Blender, or None when it can; asked once in a process."""
    if not python.exists():
        return f"there is no {python.parent.parent.name} with Blender (bpy); run: make render-setup"
    try:
        done = subprocess.run(
            [python, "-c", "import bpy"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_IMPORT_SECONDS,
            check=False,
        )
    except OSError as error:
        return f"{python.parent.parent.name} does not start ({error.strerror}); run: make render-setup"
    except subprocess.TimeoutExpired:
        return f"importing bpy took more than {_IMPORT_SECONDS} s"
    return None if done.returncode == 0 else explain_import(done.returncode, done.stderr)


def explain_import(returncode: int, stderr: str) -> str:
    """What a failed `import bpy` says, in words that can be acted on."""
    library = re.search(r"(lib[\w+-]+)\.so[.\d]*: cannot open shared object file", stderr)
    if library is not None:
        package = _DEBIAN.get(library[1])
        hint = f"; run: apt-get install {package}" if package else ""
        return f"Blender (bpy) needs the library {library[0].split(':')[0]}{hint}"
    if "No module named 'bpy'" in stderr:
        return ".venv-render has no bpy; run: make render-setup"
    said = stderr.strip().splitlines()[-1:] or [f"it ended with {returncode}"]
    return f"Blender (bpy) cannot be imported: {said[0]}"
