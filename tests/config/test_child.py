"""Running a job's command in a child process."""

import sys
import textwrap
from pathlib import Path

import pytest

from config.jobs import child
from config.jobs.child import run_child
from config.jobs.services import job_claim
from rendering.models import RenderJob
from tests.factories.rendering import RenderJobFactory

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


@pytest.fixture
def job(monkeypatch: pytest.MonkeyPatch) -> RenderJob:
    monkeypatch.setattr(child, "HEARTBEAT_SECONDS", 0.05)
    RenderJobFactory()
    claimed = job_claim(RenderJob)
    assert claimed is not None
    return claimed


def python(code: str) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(code)]


def test_progress_is_recorded_and_other_output_ignored(job: RenderJob) -> None:
    code = """
        import time
        print("hello", flush=True)
        print('{"progress": 0.5}', flush=True)
        time.sleep(0.6)
    """
    end = run_child(python(code), job=job, time_limit=30)
    assert (end.code, end.stopped) == (0, "")
    job.refresh_from_db()
    assert job.progress == 0.5


def test_what_it_is_doing_is_told_and_the_newest_word_counts(job: RenderJob) -> None:
    code = """
        import json, time
        for done in range(200):
            print(json.dumps({"progress": done / 200, "doing": "bootstrap", "done": done, "of": 200}), flush=True)
        time.sleep(0.6)
    """
    run_child(python(code), job=job, time_limit=30)
    job.refresh_from_db()
    assert (job.progress, job.doing) == (199 / 200, "bootstrap, 199 of 200")


def test_temporary_files_go_where_they_will_be_cleared_away(job: RenderJob, tmp_path: Path) -> None:
    code = """
        import os, tempfile
        tempfile.mkdtemp(prefix="left-")
        os.kill(os.getpid(), 9)
    """
    run_child(python(code), job=job, time_limit=30, scratch=tmp_path)
    assert [path.name[:5] for path in tmp_path.iterdir()] == ["left-"]


def test_the_childs_last_words_are_kept(job: RenderJob) -> None:
    end = run_child(python("raise SystemExit('the disk is full')"), job=job, time_limit=30)
    assert end.code == 1
    assert end.stderr == "the disk is full"


def test_a_child_that_takes_too_long_is_stopped(job: RenderJob) -> None:
    end = run_child(python("import time; time.sleep(60)"), job=job, time_limit=0.5)
    assert end.stopped == "took longer than its time limit of 0.5 s"
    assert end.code != 0


def test_a_cancelled_job_stops_its_child(job: RenderJob) -> None:
    RenderJob.objects.filter(pk=job.pk).update(cancel_requested=True)
    end = run_child(python("import time; time.sleep(60)"), job=job, time_limit=30)
    assert "cancelled" in end.stopped


def test_a_child_that_ignores_requests_is_killed(job: RenderJob, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "STOP_SECONDS", 0.5)
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('{}', flush=True); time.sleep(60)"
    end = run_child(python(code), job=job, time_limit=1.5)
    assert end.code == -9
