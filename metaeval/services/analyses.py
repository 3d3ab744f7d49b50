"""Asking for an analysis, and what a worker does about it: the command that a person would run, in a child process."""

import csv
import hashlib
import json
import logging
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings as site
from django.core.files.storage import default_storage
from django.db import transaction

from annotation.models import LabelSet
from config.audit.services import audit_record
from config.files import fetch_file
from config.jobs.child import run_child
from config.jobs.doorbell import ring
from config.jobs.services import job_claim, job_fail, job_finish, job_lock, job_sweep
from metaeval.models import Analysis, Metric, Report, Score

logger = logging.getLogger(__name__)

TIME_LIMIT_SECONDS = 3600.0
TASK = "metaeval.tasks.analysis_next"


@transaction.atomic
def analysis_create(
    *, title: str, label_set: LabelSet, metrics: Sequence[Metric], actor: str, settings: dict[str, Any] | None = None
) -> Analysis:
    """Queue an analysis of a frozen label set."""
    content = json.dumps(settings or {}, sort_keys=True)
    analysis = Analysis.objects.create(
        title=title,
        label_set=label_set,
        settings=settings or {},
        settings_hash=hashlib.sha256(content.encode()).hexdigest(),
        created_by=actor,
    )
    analysis.metrics.set(metrics)
    audit_record(actor=actor, action="analysis.created", subject=analysis)
    transaction.on_commit(lambda: ring(TASK, waiting=1))
    return analysis


def analysis_run_next() -> bool:
    """Claim the most urgent analysis and run it; False when nothing waits."""
    analysis = job_claim(Analysis)
    if analysis is None:
        return False
    try:
        with tempfile.TemporaryDirectory(prefix="analysis-") as folder:
            _run(analysis, Path(folder))
    except Exception as error:  # a fault of ours must not leave the row leased until the sweep
        logger.exception("analysis %s broke", analysis.pk)
        job_fail(analysis, error=f"{type(error).__name__}: {error}", retry=True)
    ring(TASK, waiting=1)
    return True


def analyses_sweep() -> None:
    ring(TASK, waiting=job_sweep(Analysis))


def _run(analysis: Analysis, folder: Path) -> None:
    ratings, scores, out = folder / "ratings.csv", folder / "scores.csv", folder / "out"
    label_set = analysis.label_set
    if not default_storage.exists(str(label_set.ratings_file)):
        job_fail(
            analysis,
            error="the ratings behind the label set are gone, for a rater withdrew: freeze a new one",
            retry=False,
        )
        return
    fetch_file(str(label_set.ratings_file), ratings)
    if hashlib.sha256(ratings.read_bytes()).hexdigest() != label_set.ratings_hash:
        job_fail(analysis, error="the ratings behind the label set are not the ones that were frozen", retry=False)
        return
    _write(scores, ("sample", "generator", "metric", "value", "direction"), _score_rows(analysis))
    command = [sys.executable, "-m", "metaeval", "analyse", str(ratings), str(scores), "-o", str(out)]
    end = run_child(command, job=analysis, time_limit=TIME_LIMIT_SECONDS)
    if end.stopped or end.code:
        job_fail(analysis, error=end.stopped or end.stderr or f"ended with code {end.code}", retry=end.code != 2)
        return
    _record(analysis, out)


def _record(analysis: Analysis, out: Path) -> None:
    results = json.loads((out / "results.json").read_text())
    provenance = json.loads((out / "provenance.json").read_text())
    # The folder was a scratch one: what a person would type is what counts.
    provenance["command"] = ["python", "-m", "metaeval", "analyse", "ratings.csv", "scores.csv", "-o", "out"]
    provenance["touchstone"] = site.VERSION
    provenance["label_set"] = analysis.label_set.content_hash
    with transaction.atomic():
        if job_lock(analysis) is None:
            return
        Report.objects.get_or_create(
            analysis=analysis,
            defaults={
                "finding": results["summary"],
                "results": results,
                "provenance": provenance,
                "content_hash": hashlib.sha256(json.dumps(results, sort_keys=True).encode()).hexdigest(),
            },
        )
        job_finish(analysis)


def _score_rows(analysis: Analysis) -> Iterable[tuple[Any, ...]]:
    """A reference scores 0 against itself: it is left out of reference-based metrics, a leverage point otherwise."""
    scores = (
        Score.objects.filter(metric__in=analysis.metrics.all(), sample__labels__label_set=analysis.label_set)
        .exclude(metric__is_reference_based=True, sample__generator__is_reference=True)
        .distinct()
        .order_by("metric__name", "metric__version", "sample__code")
        .select_related("metric", "sample__generator")
    )
    versions = Counter(analysis.metrics.values_list("name", flat=True))
    for score in scores:
        assert score.sample is not None  # scores of generators have no labels
        metric = score.metric
        name = metric.name if versions[metric.name] == 1 else f"{metric.name}@{metric.version}"
        value = "" if score.value is None else repr(score.value)
        yield score.sample.code, score.sample.generator.name, name, value, metric.direction


def _write(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
