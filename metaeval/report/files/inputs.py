"""Copies of what the analysis was made from, and the command that makes it again from them."""

import hashlib
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

MOST_BYTES = 50_000_000
CONFIG = "analysis.toml"
_CONFIG_OPTIONS = ("--config", "-c")
_OUTPUT_OPTIONS = ("-o", "--output")


def input_names(inputs: Sequence[Path]) -> dict[Path, str]:
    """Each input's name in the report: its own, with a number before it where two are called the same."""
    names: dict[Path, str] = {}
    for path in inputs:
        name, number = path.name, 2
        while name in names.values() and path not in names:
            name, number = f"{number}-{path.name}", number + 1
        names.setdefault(path, name)
    return names


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copy_inputs(names: Mapping[Path, str], folder: Path) -> bool:
    """Into `folder`, if together they are small enough to be carried around with every report."""
    if sum(path.stat().st_size for path in names) > MOST_BYTES:
        return False
    folder.mkdir(parents=True, exist_ok=True)
    for path, name in names.items():
        shutil.copyfile(path, folder / name)
    return True


def rerun_command(
    command: Sequence[str], *, names: Mapping[Path, str], has_copies: bool, has_config: bool
) -> list[str]:
    """The command in terms of the report's own files, to be run inside OUT; it writes to `again`.

    Paths of the machine that ran it would say nothing elsewhere, and would make two equal runs differ.
    """
    places = {str(path): f"inputs/{name}" if has_copies else name for path, name in names.items()}
    places |= {str(path.resolve()): place for path, place in zip(names, list(places.values()), strict=True)}
    renamed: list[str] = []
    for word in command:
        before = renamed[-1] if renamed else ""
        option, equals, _ = word.partition("=")
        if before in _OUTPUT_OPTIONS:
            renamed.append("again")
        elif before in _CONFIG_OPTIONS and has_config:
            renamed.append(CONFIG)
        elif equals and option in _OUTPUT_OPTIONS:
            renamed.append(f"{option}=again")
        elif equals and option in _CONFIG_OPTIONS and has_config:
            renamed.append(f"{option}={CONFIG}")
        else:
            renamed.append(places.get(word, word))
    return renamed
