"""Every motion is read, checked and written aside in its canonical form, before anything of it is kept."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from annotation.services.motion_import.files import MotionFiles
from annotation.services.motion_import.manifest import ManifestRow
from annotation.services.motion_import.refusing import FileRefused
from config.bulk.problems import Problems, shown
from rendering.motion import MotionFormatError, Trajectory, read_motion, write_npy
from rendering.services.arrivals import ArrivedMotion

_SPLIT: Final = re.compile(r"(?P<before>.*?)expected (?P<expected>.+?)[,;] found (?P<found>.+)", re.DOTALL)
_TURNED: Final = re.compile(r"(?P<found>.+), expected (?P<expected>.+)", re.DOTALL)
_NOTES_SHOWN: Final = 5

Progress = Callable[[int, int, str], None]  # done, of how many, the file's name


@dataclass(frozen=True)
class StagedRow:
    row: ManifestRow
    motion: ArrivedMotion


@dataclass
class Staging:
    """What came of the rows so far."""

    files: MotionFiles
    aside: Path
    references: frozenset[str]  # generators whose motions may belong to several prompts
    problems: Problems
    staged: list[StagedRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    _first: dict[str, ManifestRow] = field(default_factory=dict)  # by file
    _motions: dict[str, ArrivedMotion] = field(default_factory=dict)  # by file
    _owners: dict[str, ManifestRow] = field(default_factory=dict)  # by content hash

    def stage(self, rows: Sequence[ManifestRow], progress: Progress) -> None:
        """Stops with `ReadingStopped` when there are too many problems."""
        for done, row in enumerate(rows):
            progress(done, len(rows), row.file)
            self._stage_row(row)
        if not self.problems:  # else a line that was not understood may name them
            self._note_unnamed(rows)

    def _stage_row(self, row: ManifestRow) -> None:
        first = self._first.setdefault(row.file, row)
        if first is not row:
            if difference := self._contradiction(first, row):
                expected = "a file that no other line names otherwise"
                found = f"{shown(row.file)}, in line {first.line} with another {difference}"
                self.problems.add(row.line, "file", expected=expected, found=found)
            elif row.file in self._motions:
                self.staged.append(StagedRow(row, self._motions[row.file]))
            return
        try:
            with self.files.opened(row.file) as path:
                motion = self._write_aside(_read(row, path), row)
        except FileRefused as refusal:
            self.problems.add(row.line, "file", expected=refusal.expected, found=refusal.found)
        except MotionFormatError as error:
            self._add_problem(row, str(error).removeprefix(f"{row.file}: "))
        else:
            self._note_twin(row, motion)
            self._motions[row.file] = motion
            self.staged.append(StagedRow(row, motion))

    def _contradiction(self, first: ManifestRow, row: ManifestRow) -> str:
        """A recording may have several captions; what a model made was made for one prompt."""
        if row.generator != first.generator:
            return "generator"
        if row.reading != first.reading:
            return "fps, up or units"
        return "prompt" if row.prompt != first.prompt and row.generator not in self.references else ""

    def _write_aside(self, trajectory: Trajectory, row: ManifestRow) -> ArrivedMotion:
        path = self.aside / f"{trajectory.content_hash}.npy"
        if not path.exists():
            path.write_bytes(write_npy(trajectory))
        return ArrivedMotion(trajectory.content_hash, path, trajectory.frames, trajectory.fps, source=row.file)

    def _add_problem(self, row: ManifestRow, message: str) -> None:
        expected, found = _halves(message)
        self.problems.add(row.line, _field(row, message), expected=expected, found=found or _given(row))

    # --- Notes: nothing is wrong, but the person may want to know -----------------------------------------------------

    def _note_twin(self, row: ManifestRow, motion: ArrivedMotion) -> None:
        owner = self._owners.setdefault(motion.content_hash, row)
        if owner is not row and row.generator not in self.references:
            same = (owner.prompt, owner.generator) == (row.prompt, row.generator)
            so = "they make one sample" if same else f"and belongs to {owner.generator}, {shown(owner.prompt)}"
            self.notes.append(
                f"Line {row.line}: {row.file} holds the same motion as {owner.file} (line {owner.line}); {so}."
            )

    def _note_unnamed(self, rows: Sequence[ManifestRow]) -> None:
        if names := self.files.unnamed({row.file for row in rows}):
            more = f" and {len(names) - _NOTES_SHOWN} more" if len(names) > _NOTES_SHOWN else ""
            self.notes.append(f"Left out, because no line names them: {', '.join(names[:_NOTES_SHOWN])}{more}.")


def _read(row: ManifestRow, path: Path) -> Trajectory:
    return read_motion(path, fps=row.fps, up=row.up, units=row.units or "m", name=row.file)


def _halves(message: str) -> tuple[str, str]:
    """A reader's message as the two columns of a problem. Some name no other thing that they expected."""
    if match := _SPLIT.fullmatch(message):
        return match["expected"], match["before"] + match["found"]
    if match := _TURNED.fullmatch(message):
        return match["expected"], match["found"]
    if message.startswith("expected "):
        return message.removeprefix("expected "), ""
    return "a motion that can be read", message


def _field(row: ManifestRow, message: str) -> str:
    """The column to look at: what a reader says of rate, axis and units is mended there, not in the file."""
    if message.startswith("expected fps"):
        return "fps"
    if message.startswith("with up "):
        return "up"
    if message.startswith("expected units"):
        return "units" if row.units else "up"
    return "units" if "; units " in message else "file"


def _given(row: ManifestRow) -> str:
    return ", ".join(f"{name} {value}" for name, value in (("units", row.units), ("up", row.up)) if value)
