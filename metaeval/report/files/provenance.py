"""Where a report comes from: hashes of its inputs, versions, the command. No dates: equal runs write equal files."""

import platform
import tomllib
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from metaeval.report.files.inputs import sha256
from metaeval.report.results import Finding

LIBRARIES = ("numpy", "scipy", "scikit-learn", "krippendorff", "matplotlib")
PACKAGE = "touchstone"


def provenance_of(
    finding: Finding, *, names: Mapping[Path, str], command: list[str], has_copies: bool, config: str | None
) -> dict[str, Any]:
    return {
        "inputs": {name: sha256(path) for path, name in names.items()},
        "inputs_are_copied": has_copies,
        "config": config,
        "command": command,
        "versions": versions(),
        "settings_hash": finding.settings_hash,
        "seed": finding.seed,
    }


def versions() -> dict[str, str]:
    found = {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES}
    own = _own_version()
    return {PACKAGE: own} | found if own else found


def _own_version() -> str | None:
    """Of the installed package, or of the checkout that this file is in."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        project = Path(__file__).parents[3] / "pyproject.toml"
    try:
        facts = tomllib.loads(project.read_text(encoding="utf-8")).get("project", {})
    except (OSError, tomllib.TOMLDecodeError):
        return None
    return str(facts["version"]) if facts.get("name") == PACKAGE and "version" in facts else None


def hashes(folder: Path) -> dict[str, str]:
    """Every file of the report so far, by its path in it."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): sha256(path) for path in paths}
