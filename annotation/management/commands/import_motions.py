"""`manage.py import_motions STUDY MANIFEST`: a manifest's motions become samples of a study."""

import sys
from argparse import ArgumentParser
from contextlib import closing
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotation.errors import AnnotationError
from annotation.models import Study
from annotation.services.motion_import.arriving import manifest_opened
from annotation.services.motion_import.files import FolderFiles
from annotation.services.motion_import.importing import MotionImport, motions_import
from config.audit.services import SYSTEM
from rendering.command.progress import Bar


class Command(BaseCommand):
    help = "Import the motions that a manifest (CSV or JSON lines) names, as samples of a study: all of them or none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", help="the study's code")
        parser.add_argument("manifest", type=Path, help="columns: file, prompt, generator; if wanted fps, up, units")
        parser.add_argument("--folder", type=Path, help="where the files are (default: the manifest's folder)")
        parser.add_argument("--dry-run", action="store_true", help="check everything, keep nothing")
        parser.add_argument("--no-clips", action="store_true", help="do not have the clips drawn yet")

    def handle(
        self,
        *args: Any,
        study: str,
        manifest: Path,
        folder: Path | None,
        dry_run: bool,
        no_clips: bool,
        **options: Any,
    ) -> None:
        try:
            result = _import(_study(study), manifest, folder or manifest.parent, dry_run=dry_run, clips=not no_clips)
        except AnnotationError as error:
            raise CommandError(str(error)) from None
        for note in result.notes:
            self.stdout.write(f"Note: {note}")
        if result.problems:
            self._print_problems(result, manifest)
            sys.exit(1)
        self._print_counts(result, dry_run=dry_run)

    def _print_problems(self, result: MotionImport, manifest: Path) -> None:
        for problem in result.problems:
            field = f" {problem.field}:" if problem.field else ""
            self.stderr.write(f"{manifest}:{problem.line}:{field} expected {problem.expected}, found {problem.found}")
        if result.stopped_at is not None:
            self.stderr.write(f"Reading was given up at line {result.stopped_at}; there may be more.")
        self.stderr.write(f"{len(result.problems)} problem{_s(len(result.problems))}; nothing was kept.")

    def _print_counts(self, result: MotionImport, *, dry_run: bool) -> None:
        counts = result.counts
        self.stdout.write(f"{'Would be made' if dry_run else 'Made'}: {_counted(counts.created, 'sample')}", ending="")
        self.stdout.write(
            f" ({_counted(counts.motions, 'new motion')}, {_counted(counts.prompts, 'new prompt')},", ending=""
        )
        self.stdout.write(f" {_counted(counts.generators, 'new generator')})")
        for name in result.new_generators:
            self.stdout.write(f"  new generator {name}")
        for text in result.new_prompts:
            self.stdout.write(f"  new prompt {text}")
        self.stdout.write(f"Of other studies, placed in this one too: {counts.placed}. Unchanged: {counts.unchanged}.")
        if result.clips_waiting:
            self.stdout.write(f"{_counted(result.clips_waiting, 'clip')} of the study wait to be drawn.")
        if dry_run:
            self.stdout.write("Nothing was kept: this was a dry run.")


def _study(code: str) -> Study:
    try:
        return Study.objects.get(code=code)
    except Study.DoesNotExist:
        known = ", ".join(Study.objects.values_list("code", flat=True)[:20]) or "there is none yet"
        raise CommandError(f"expected the code of a study ({known}), found {code!r}") from None


def _import(study: Study, manifest: Path, folder: Path, *, dry_run: bool, clips: bool) -> MotionImport:
    if not folder.is_dir():
        raise CommandError(f"expected a folder, found {folder}")
    try:
        with manifest.open("rb") as file:
            upload = manifest_opened(file, manifest.name)
    except OSError as error:
        raise CommandError(f"{manifest}: cannot be read: {error.strerror}") from None
    with closing(upload.file), _Progress() as progress:
        return motions_import(
            study=study,
            manifest=upload,
            files=FolderFiles(folder),
            actor=SYSTEM,
            dry_run=dry_run,
            plan_clips=clips,
            progress=progress.tell,
        )


class _Progress:
    """A bar that learns how many files there are with the first of them."""

    def __init__(self) -> None:
        self._bar: Bar | None = None

    def __enter__(self) -> "_Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.clear()

    def tell(self, done: int, of: int, name: str) -> None:
        if self._bar is None:
            self._bar = Bar(of)
        self._bar.begin(name)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{_s(number)}"


def _s(number: int) -> str:
    return "" if number == 1 else "s"
