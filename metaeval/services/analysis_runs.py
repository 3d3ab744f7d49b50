"""What a worker does about an analysis: the command that a person would run, in a child process."""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from django.conf import settings as site
from django.core.files.storage import default_storage
from django.db import transaction

from config.files import fetch_file
from config.jobs.child import run_child
from config.jobs.services import job_fail, job_finish, job_lock
from metaeval.models import Analysis, Report, ReportArchive
from metaeval.services.analysis_files import Packed, pack, store
from metaeval.services.analysis_inputs import write_config, write_scores

TIME_LIMIT_SECONDS = 3600.0
# What a person would type in the folder of the unpacked archive.
COMMAND = ("analyse", "inputs/ratings.csv", "inputs/scores.csv", "-o", "out", "--config", "analysis.toml")


def run(analysis: Analysis, folder: Path) -> None:
    """To its end, and record how it ended."""
    ratings, scores, config, out = (folder / name for name in ("ratings.csv", "scores.csv", "analysis.toml", "out"))
    if why := _fetch_ratings(analysis, ratings):
        job_fail(analysis, error=why, retry=False)
        return
    write_scores(analysis, scores)
    write_config(analysis, config)
    command = [sys.executable, "-m", "metaeval", "analyse", str(ratings), str(scores), "-o", str(out)]
    end = run_child([*command, "--config", str(config)], job=analysis, time_limit=TIME_LIMIT_SECONDS)
    if end.stopped or end.code:
        job_fail(analysis, error=end.stopped or end.stderr or f"ended with code {end.code}", retry=end.code != 2)
        return
    _record(analysis, out, folder / "out.zip")


def _fetch_ratings(analysis: Analysis, target: Path) -> str:
    """Why the frozen ratings cannot be had; empty when they are there."""
    label_set = analysis.label_set
    if not default_storage.exists(str(label_set.ratings_file)):
        return "the ratings behind the label set are gone, for a rater withdrew: freeze a new one"
    fetch_file(str(label_set.ratings_file), target)
    if hashlib.sha256(target.read_bytes()).hexdigest() != label_set.ratings_hash:
        return "the ratings behind the label set are not the ones that were frozen"
    return ""


def _record(analysis: Analysis, out: Path, archive: Path) -> None:
    results = json.loads((out / "results.json").read_text(encoding="utf-8"))
    provenance = _provenance(analysis, out / "provenance.json")
    packed = pack(out, archive)
    stored_as = store(packed)
    with transaction.atomic():
        if job_lock(analysis) is None:
            return
        if not Report.objects.filter(analysis=analysis).exists():
            _keep(analysis, results, provenance, packed, stored_as)
        job_finish(analysis)


def _keep(
    analysis: Analysis, results: dict[str, Any], provenance: dict[str, Any], packed: Packed, stored_as: str
) -> None:
    report = Report.objects.create(
        analysis=analysis,
        finding=results["summary"],
        results=results,
        provenance=provenance,
        content_hash=hashlib.sha256(json.dumps(results, sort_keys=True).encode()).hexdigest(),
    )
    ReportArchive.objects.create(
        report=report, file=stored_as, sha256=packed.sha256, size=packed.size, names=list(packed.names)
    )


def _provenance(analysis: Analysis, file: Path) -> dict[str, Any]:
    """What the command wrote and what only the site knows; the file is rewritten, so that the archive says it too."""
    provenance: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    # The folder was a scratch one: what a person would type is what counts.
    provenance["command"] = ["python", "-m", "metaeval", *COMMAND]
    provenance["touchstone"] = site.VERSION
    provenance["study"] = analysis.label_set.study.code
    provenance["label_set"] = analysis.label_set.content_hash
    provenance["settings_hash"] = analysis.settings_hash
    if preregistration := analysis.preregistration:
        before = preregistration.labels_frozen_before
        provenance["preregistration"] = {
            "title": preregistration.title,
            "settings_hash": preregistration.settings_hash,
            "frozen_at": preregistration.frozen_at.isoformat(),
            "labels": "before labels were frozen" if not before else f"after {before} label sets were frozen",
        }
    file.write_text(json.dumps(provenance, indent=2) + "\n", encoding="utf-8")
    return provenance
