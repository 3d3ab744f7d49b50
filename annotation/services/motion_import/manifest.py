"""The manifest: a table with one line for each motion file."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final

from config.bulk.cells import NumberCell, TextCell
from config.bulk.reading import Row
from rendering.motion.stature import UNITS
from rendering.motion.upright import TURNS

REFERENCE: Final = "reference"
NAMES: Final = ("manifest.csv", "manifest.jsonl", "manifest.ndjson")

COLUMNS: Final = (
    TextCell("file", required=True, max_length=300, expected="the path of a motion file"),
    TextCell("prompt", required=True, expected="the code of a prompt, or its text"),
    TextCell(
        "generator",
        required=True,
        max_length=60,
        pattern=re.compile(r"[-a-zA-Z0-9_]+"),
        expected="a generator's name, of letters, digits, - and _",
    ),
    NumberCell("fps", expected="frames per second, such as 20, or nothing"),
    TextCell(
        "up",
        pattern=re.compile("|".join(map(re.escape, TURNS)), re.IGNORECASE),
        expected=f"{', '.join(TURNS)} or nothing",
    ),
    TextCell("units", pattern=re.compile("|".join(UNITS), re.IGNORECASE), expected=f"{', '.join(UNITS)} or nothing"),
)


@dataclass(frozen=True)
class ManifestRow:
    """A line whose cells are good, each by itself."""

    line: int
    file: str  # without `./` and doubled slashes: one file has one name
    prompt: str
    generator: str
    fps: float | None
    up: str | None
    units: str | None

    @property
    def reading(self) -> tuple[float | None, str | None, str | None]:
        """How the file is to be read."""
        return self.fps, self.up, self.units


def manifest_row(row: Row) -> ManifestRow:
    cells = row.cells
    return ManifestRow(
        line=row.line,
        file=str(PurePosixPath(cells["file"].strip())),
        prompt=cells["prompt"],
        generator=cells["generator"],
        fps=cells.get("fps"),
        up=cells.get("up", "").lower() or None,
        units=cells.get("units", "").lower() or None,
    )
