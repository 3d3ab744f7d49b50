"""Makes the virtual environments. Standard library only: it runs before anything is installed.

    python3.11 config/bootstrap.py base     .venv for the demo
    python3.11 config/bootstrap.py test     .venv for the tests too
    python3.11 config/bootstrap.py render   .venv-render, which holds Blender (bpy)
    python3.11 config/bootstrap.py bench    .venv-bench, which holds the peers that we are measured against
    python3.11 config/bootstrap.py body     .venv-body, which makes the mesh of our human anew

Uses uv when it is on PATH, else venv and pip. Does nothing when the pins have not changed since the last time.
"""

import argparse
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "config" / "pins"
ENVIRONMENTS = {
    "base": ROOT / ".venv",
    "test": ROOT / ".venv",
    "render": ROOT / ".venv-render",
    "bench": ROOT / ".venv-bench",
    "body": ROOT / ".venv-body",
}
# The tests' pins contain the base ones.
INCLUDES = {"test": ("base",)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=ENVIRONMENTS)
    kind = parser.parse_args().kind
    if sys.version_info[:2] != (3, 11):
        found = ".".join(map(str, sys.version_info[:3]))
        print(f"Touchstone needs Python 3.11, found {found} ({sys.executable}).", file=sys.stderr)
        return 1
    with _one_at_a_time():
        if _is_current(kind):
            return 0
        try:
            _install(kind)
        except subprocess.CalledProcessError as error:
            print(f"Set-up failed: {' '.join(map(str, error.cmd))}", file=sys.stderr)
            return 1
        _stamp(kind)
    return 0


@contextmanager
def _one_at_a_time() -> Iterator[None]:
    """Two `make` at once: the second waits for the first instead of writing into the same folder."""
    lock = ROOT / ".setup.lock"
    with lock.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another set-up is running in this folder; waiting for it.", file=sys.stderr)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _digest(kind: str) -> str:
    return hashlib.sha256((PINS / f"{kind}.txt").read_bytes()).hexdigest()


def _stamp_file(kind: str) -> Path:
    return ENVIRONMENTS[kind] / f"touchstone-{kind}"


def _is_current(kind: str) -> bool:
    stamp = _stamp_file(kind)
    return stamp.exists() and stamp.read_text() == _digest(kind)


def _stamp(kind: str) -> None:
    for name in (kind, *INCLUDES.get(kind, ())):
        _stamp_file(name).write_text(_digest(name))


def _install(kind: str) -> None:
    folder, pins = ENVIRONMENTS[kind], PINS / f"{kind}.txt"
    print(f"Setting up {folder.name} ({pins.relative_to(ROOT)}) ...", flush=True)
    uv = shutil.which("uv")
    if uv:
        try:
            _install_with_uv(uv, folder, pins)
            return
        except subprocess.CalledProcessError:
            print("uv could not do it; trying pip.", file=sys.stderr)
    if not _has_pip(folder):
        _run([sys.executable, "-m", "venv", "--clear", folder])
    quiet = [] if os.environ.get("VERBOSE") else ["--quiet", "--quiet"]
    _run([folder / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check", *quiet, "-r", pins])


def _install_with_uv(uv: str, folder: Path, pins: Path) -> None:
    python = folder / "bin" / "python"
    if not python.exists():
        _run([uv, "venv", "--quiet", "--python", sys.executable, folder])
    # Compiled now: the first start would otherwise pay for it.
    _run([uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python, "-r", pins])


def _has_pip(folder: Path) -> bool:
    python = folder / "bin" / "python"
    return python.exists() and not subprocess.run([python, "-m", "pip", "--version"], capture_output=True).returncode


def _run(command: Sequence[str | Path]) -> None:
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main())
