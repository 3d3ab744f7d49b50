"""Asking for an analysis, taking the wish back, asking again; and the queue. What a worker does is in analysis_runs."""

import logging
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.db import transaction

from annotation.models import LabelSet, LabelSetMark, MarkKind
from config.audit.services import audit_record
from config.jobs.doorbell import ring
from config.jobs.models import JobState
from config.jobs.services import job_cancel, job_claim, job_fail, job_retry, job_sweep
from metaeval.errors import MetaevalError
from metaeval.models import Analysis, Metric, Preregistration
from metaeval.services.analysis_files import archives_forget
from metaeval.services.analysis_runs import run
from metaeval.services.analysis_settings import Settings, settings_check, settings_merge, settings_of_study

logger = logging.getLogger(__name__)

TASK = "metaeval.tasks.analysis_next"


@transaction.atomic
def analysis_create(
    *,
    title: str,
    label_set: LabelSet,
    metrics: Sequence[Metric],
    actor: str,
    settings: Mapping[str, Any] | None = None,
    preregistration: Preregistration | None = None,
) -> Analysis:
    """Queue an analysis of a frozen label set. With a preregistration its settings count, and no others."""
    _refuse_unusable(label_set)
    if not metrics:
        raise MetaevalError("Expected at least one metric, found none.", field="metrics")
    checked = _settings(label_set, settings, preregistration)
    analysis = Analysis.objects.create(
        title=title,
        label_set=label_set,
        preregistration=preregistration,
        settings=checked.data,
        settings_hash=checked.digest,
        seed=checked.seed,
        created_by=actor,
    )
    analysis.metrics.set(metrics)
    details = {"settings_hash": checked.digest, "preregistration": preregistration.pk if preregistration else None}
    audit_record(actor=actor, action="analysis.created", subject=analysis, details=details)
    transaction.on_commit(lambda: ring(TASK, waiting=1))
    return analysis


def _refuse_unusable(label_set: LabelSet) -> None:
    if label_set.frozen_at is None:
        raise MetaevalError(f"Label set {label_set.number} is not frozen yet.", field="label_set")
    mark = LabelSetMark.objects.filter(label_set=label_set, kind=MarkKind.SUPERSEDED).first()
    if mark:
        raise MetaevalError(
            f"Label set {label_set.number} is superseded ({mark.reason}): choose a newer one.", field="label_set"
        )


def _settings(
    label_set: LabelSet, settings: Mapping[str, Any] | None, preregistration: Preregistration | None
) -> Settings:
    if preregistration is None:
        return settings_check(settings_merge(settings_of_study(label_set.study), settings or {}))
    if preregistration.study_id != label_set.study_id:
        raise MetaevalError("The preregistration is of another study.", field="preregistration")
    frozen = settings_check(preregistration.settings)
    if frozen.digest != preregistration.settings_hash:
        # A newer version of the software reads the same settings differently: not what was promised.
        raise MetaevalError(
            "This version of Touchstone reads the preregistered settings in another way: "
            f"expected the hash {preregistration.settings_hash}, found {frozen.digest}.",
            field="preregistration",
        )
    if settings and settings_check(settings_merge(frozen.data, settings)).digest != frozen.digest:
        raise MetaevalError("The settings differ from those that were preregistered: leave them out.", field="settings")
    return frozen


def analysis_cancel(*, analysis: Analysis, actor: str) -> Analysis:
    """A waiting analysis is cancelled at once; a running one at its next heartbeat."""
    job_cancel(analysis, actor=actor)
    analysis.refresh_from_db()
    if analysis.state != JobState.CANCELLED and not analysis.cancel_requested:
        raise MetaevalError(f"Only a waiting or running analysis can be cancelled; this one is {analysis.state}.")
    return analysis


@transaction.atomic
def analysis_retry(*, analysis: Analysis, actor: str) -> Analysis:
    """A failed or cancelled analysis waits again, with all its attempts."""
    before = analysis.state
    job_retry(analysis, actor=actor)
    analysis.refresh_from_db()
    if analysis.state != JobState.WAITING or before in (JobState.WAITING, JobState.RUNNING):
        raise MetaevalError(f"Only a failed or cancelled analysis can be tried again; this one is {analysis.state}.")
    transaction.on_commit(lambda: ring(TASK, waiting=1))
    return analysis


def analysis_run_next() -> bool:
    """Claim the most urgent analysis and run it; False when nothing waits."""
    analysis = job_claim(Analysis)
    if analysis is None:
        return False
    try:
        with tempfile.TemporaryDirectory(prefix="analysis-") as folder:
            run(analysis, Path(folder))
    except Exception as error:  # a fault of ours must not leave the row leased until the sweep
        logger.exception("analysis %s broke", analysis.pk)
        job_fail(analysis, error=f"{type(error).__name__}: {error}", retry=True)
    ring(TASK, waiting=1)
    return True


def analyses_sweep() -> None:
    archives_forget()
    ring(TASK, waiting=job_sweep(Analysis))
