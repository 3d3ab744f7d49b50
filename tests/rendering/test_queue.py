"""Planning clips and rendering them, one child process a job."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.files.storage import default_storage

from config.audit.models import AuditEvent
from config.jobs.models import JobState
from config.jobs.services import job_claim, job_retry
from rendering.models import Clip, ClipState, Motion, RenderJob
from rendering.motion import trajectory_from_array
from rendering.scene import UnknownNameError
from rendering.services.clips import Drawing, clips_plan, clips_prioritise
from rendering.services.jobs import render_job_run_next, render_jobs_sweep
from rendering.services.motions import motion_store
from tests.factories.rendering import MotionFactory

DRAWING = Drawing(look="stick", view="front", pixels=64)
ACTOR = "user:tester"


def stored_motion(offset: float = 0.0) -> Motion:
    rng = np.random.default_rng(3)
    joints = np.cumsum(rng.normal(0, 0.01, (12, 22, 3)), axis=0) + rng.uniform(0, 1.6, (1, 22, 3)) + offset
    return motion_store(trajectory=trajectory_from_array(joints, fps=20), source="a test")


@pytest.mark.django_db
def test_the_same_motion_is_stored_once(files: Path) -> None:
    assert stored_motion() == stored_motion()
    assert stored_motion(1.0) != stored_motion()


@pytest.mark.django_db
def test_planning_twice_changes_nothing(
    files: Path, doorbells: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    motions = [stored_motion(), stored_motion(1.0)]
    with django_capture_on_commit_callbacks(execute=True):
        first = clips_plan(motions=motions, drawing=DRAWING, actor=ACTOR)
        second = clips_plan(motions=motions, drawing=DRAWING, actor=ACTOR)
    assert first == second
    assert RenderJob.objects.count() == 2
    assert [bell.task for bell in doorbells] == ["rendering.tasks.render_next"] * 2
    assert AuditEvent.objects.filter(action="render_job.planned").count() == 2


@pytest.mark.django_db
@pytest.mark.parametrize("typo", [Drawing("stik", "front", 64), Drawing("stick", "frnt", 64)])
def test_a_typo_is_refused_before_any_job_exists(files: Path, typo: Drawing) -> None:
    with pytest.raises(UnknownNameError, match="known: "):
        clips_plan(motions=[stored_motion()], drawing=typo, actor=ACTOR)
    assert not Clip.objects.exists()


@pytest.mark.slow
@pytest.mark.django_db
def test_a_job_becomes_a_clip_that_is_whole(files: Path, doorbells: list[Any]) -> None:
    (clip,) = clips_plan(motions=[stored_motion()], drawing=DRAWING, actor=ACTOR)
    assert render_job_run_next()
    clip.refresh_from_db()
    assert clip.state == ClipState.READY
    assert default_storage.open(str(clip.file)).read(12)[4:8] == b"ftyp"
    assert default_storage.exists(str(clip.poster))
    assert clip.details["clip_key"] == clip.key
    assert clip.details["frames"] == 12
    assert RenderJob.objects.get().state == JobState.DONE
    assert doorbells[-1].task == "rendering.tasks.render_next"
    assert not render_job_run_next()


@pytest.mark.slow
@pytest.mark.django_db
def test_a_corrupt_motion_fails_alone_and_says_why(files: Path) -> None:
    corrupt = stored_motion()
    (files / str(corrupt.file)).write_bytes(b"not a motion")
    clips_plan(motions=[corrupt, stored_motion(1.0)], drawing=DRAWING, actor=ACTOR)
    while render_job_run_next():
        pass
    bad, good = RenderJob.objects.order_by("id")
    assert (bad.state, good.state) == (JobState.FAILED, JobState.DONE)
    assert "not a .npy file" in bad.error
    assert bad.attempt == 1  # the same bytes would fail again: no retry

    # A person repairs it and asks again.
    clips_plan(motions=[corrupt], drawing=DRAWING, actor=ACTOR)
    assert RenderJob.objects.count() == 2
    (files / str(corrupt.file)).unlink()
    stored_motion()
    job_retry(bad, actor=ACTOR)
    assert render_job_run_next()
    assert Clip.objects.filter(state=ClipState.READY).count() == 2


@pytest.mark.django_db
def test_a_missing_file_is_retried_later_with_its_error_kept(files: Path) -> None:
    clips_plan(motions=[MotionFactory()], drawing=DRAWING, actor=ACTOR)
    assert render_job_run_next()
    job = RenderJob.objects.get()
    assert (job.state, job.attempt) == (JobState.WAITING, 1)
    assert "FileNotFoundError" in job.error
    assert not render_job_run_next()  # it pauses first


@pytest.mark.django_db
def test_a_clip_of_higher_priority_goes_first(files: Path) -> None:
    first, second = clips_plan(motions=[stored_motion(), stored_motion(1.0)], drawing=DRAWING, actor=ACTOR)
    clips_prioritise(clips=Clip.objects.filter(pk=second.pk), priority=10)
    job = job_claim(RenderJob)
    assert job is not None
    assert job.clip == second
    assert first != second


@pytest.mark.django_db
def test_the_sweep_rings_for_what_waits(files: Path, doorbells: list[Any]) -> None:
    render_jobs_sweep()
    assert doorbells == []
    clips_plan(motions=[stored_motion()], drawing=DRAWING, actor=ACTOR)
    render_jobs_sweep()
    assert [bell.task for bell in doorbells] == ["rendering.tasks.render_next"]
