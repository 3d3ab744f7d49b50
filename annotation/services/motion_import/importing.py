"""The import itself: check every row, then keep all of them in one short transaction, or none."""

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.db import IntegrityError, transaction

from annotation.errors import AnnotationError
from annotation.models import Generator, Study, StudyState
from annotation.services.motion_import.files import MotionFiles
from annotation.services.motion_import.manifest import COLUMNS, REFERENCE, ManifestRow, manifest_row
from annotation.services.motion_import.placing import Plan, plan_make, plan_write
from annotation.services.motion_import.prompts import prompts_meant
from annotation.services.motion_import.staging import Progress, StagedRow, Staging
from annotation.services.studies import study_plan_clips
from config.audit.services import audit_record
from config.bulk.importing import Upload
from config.bulk.problems import Problem, Problems, ReadingStopped, shown
from config.bulk.reading import READERS
from rendering.models import ClipState
from rendering.services.arrivals import motion_files_stored


class StudyClosed(AnnotationError):
    """A closed study takes no samples."""


class ImportOvertaken(AnnotationError):
    """Between the check and the writing somebody else wrote what the check had not seen."""


@dataclass(frozen=True)
class MotionCounts:
    """In a dry run, what would be."""

    created: int = 0  # samples
    placed: int = 0  # samples of other studies that this one gets as well
    unchanged: int = 0  # samples that are in the study already
    prompts: int = 0  # new ones, as the next two
    generators: int = 0
    motions: int = 0

    @property
    def samples(self) -> int:
        """Those that the study gets."""
        return self.created + self.placed


@dataclass(frozen=True)
class MotionImport:
    """With problems nothing was kept, and the counts are nought."""

    counts: MotionCounts = MotionCounts()
    new_prompts: Sequence[str] = ()  # their texts
    new_generators: Sequence[str] = ()
    notes: Sequence[str] = ()
    problems: Sequence[Problem] = ()
    stopped_at: int | None = None
    clips_waiting: int | None = None  # of the whole study; None where no clips were planned


def _silently(done: int, all_rows: int, name: str) -> None:
    pass


def motions_import(
    *,
    study: Study,
    manifest: Upload,
    files: MotionFiles,
    actor: str,
    dry_run: bool = False,
    plan_clips: bool = True,
    progress: Progress = _silently,
) -> MotionImport:
    _refuse_closed(study)
    with tempfile.TemporaryDirectory(prefix="touchstone-import-") as aside:
        problems = Problems()
        staging = Staging(files, Path(aside), _references(), problems)
        with suppress(ReadingStopped):
            rows = [manifest_row(row) for row in READERS[manifest.kind](manifest.file, COLUMNS, problems)]
            _check_names(rows, problems)
            staging.stage(rows, progress)
        if problems:
            found = sorted(problems.found, key=lambda problem: problem.line)
            return MotionImport(problems=found, stopped_at=problems.stopped_at, notes=staging.notes)
        if dry_run:
            return _result(_plan(study, staging.staged), staging)
        plan = _keep(study, staging.staged, manifest, actor)
    waiting = _plan_clips(study, actor) if plan_clips else None
    return _result(plan, staging, clips_waiting=waiting)


def _refuse_closed(study: Study) -> None:
    if study.state == StudyState.CLOSED:
        raise StudyClosed(
            f"The study {study.code} is closed: what its raters saw is settled, and it takes no more samples. "
            "Nothing was kept. Import into another study."
        )


def _references() -> frozenset[str]:
    return frozenset({REFERENCE, *Generator.objects.filter(is_reference=True).values_list("name", flat=True)})


def _check_names(rows: Sequence[ManifestRow], problems: Problems) -> None:
    """What rows say of prompts and generators; a wrong one is said before minutes go into reading motions."""
    unclear = prompts_meant(row.prompt for row in rows).unclear
    spelled = {name.lower(): name for name in Generator.objects.values_list("name", flat=True)}
    for row in rows:
        if error := unclear.get(row.prompt):
            problems.add(row.line, "prompt", expected=error.expected, found=error.found)
        known = spelled.setdefault(row.generator.lower(), row.generator)
        if known != row.generator:
            expected = f"{shown(known)}, as the generator is known"
            problems.add(row.line, "generator", expected=expected, found=shown(row.generator))


def _plan(study: Study, staged: Sequence[StagedRow]) -> Plan:
    meant = prompts_meant(each.row.prompt for each in staged)
    if meant.unclear:
        raise _overtaken()
    return plan_make(study, staged, meant.found)


def _keep(study: Study, staged: Sequence[StagedRow], manifest: Upload, actor: str) -> Plan:
    """Files first, for they take long; then the rows. Read anew, because others may have written since the check."""
    motions = {each.motion.content_hash: each.motion for each in staged}
    try:
        with motion_files_stored(list(motions.values())) as found, transaction.atomic():
            row = Study.objects.select_for_update().get(pk=study.pk)
            _refuse_closed(row)
            plan = _plan(row, staged)
            if plan.changes_something:  # the same manifest again leaves no trace
                plan_write(plan, row, found=found, actor=actor)
                audit_record(
                    actor=actor, action="study.motions_imported", subject=row, details=_details(plan, manifest)
                )
            return plan
    except IntegrityError as error:
        raise _overtaken() from error


def _overtaken() -> ImportOvertaken:
    return ImportOvertaken(
        "Somebody else wrote some of the same rows in this moment. Nothing of this import was kept; start it again."
    )


def _plan_clips(study: Study, actor: str) -> int:
    """In a transaction of its own. Whatever of the study's clips is not drawn yet."""
    clips = study_plan_clips(study=study, actor=actor)
    return sum(clip.state == ClipState.PLANNED for clip in clips)


def _details(plan: Plan, manifest: Upload) -> dict[str, object]:
    counts = _counts(plan)
    return {
        "created": counts.created,
        "placed": counts.placed,
        "unchanged": counts.unchanged,
        "prompts": counts.prompts,
        "generators": plan.generators,
        "motions": counts.motions,
        "file_sha256": manifest.sha256,
    }


def _counts(plan: Plan) -> MotionCounts:
    return MotionCounts(
        created=len(plan.created),
        placed=len(plan.placed),
        unchanged=plan.unchanged,
        prompts=len(plan.new_prompts),
        generators=len(plan.generators),
        motions=len(plan.motions),
    )


def _result(plan: Plan, staging: Staging, *, clips_waiting: int | None = None) -> MotionImport:
    notes = list(staging.notes)
    if not staging.staged:
        notes.append("The manifest has no lines below its header.")
    if plan.replaced:
        notes.append(f"In the study already, as replaced by others; they stay so: {', '.join(plan.replaced)}.")
    return MotionImport(
        counts=_counts(plan),
        new_prompts=[prompt.text for prompt in plan.new_prompts],
        new_generators=plan.generators,
        notes=notes,
        clips_waiting=clips_waiting,
    )
