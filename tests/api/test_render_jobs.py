"""A manager cancels and retries render jobs."""

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from config.audit.models import AuditEvent
from config.jobs.models import JobState
from rendering.models import RenderJob
from tests.factories.rendering import RenderJobFactory

pytestmark = pytest.mark.django_db


def failed(**given: object) -> RenderJob:
    return RenderJobFactory(state=JobState.FAILED, error="no such look", finished_at=timezone.now(), **given)


def test_a_waiting_job_is_cancelled_and_the_log_says_by_whom(manager: APIClient) -> None:
    job = RenderJobFactory()
    answer = manager.post(f"/api/v1/render-jobs/{job.pk}/cancel/")
    assert (answer.status_code, answer.json()["state"]) == (200, "cancelled")
    assert AuditEvent.objects.get(action="render_job.cancelled").actor.startswith("user:manager")


def test_cancelling_twice_is_cancelling_once(manager: APIClient) -> None:
    job = RenderJobFactory()
    codes = [manager.post(f"/api/v1/render-jobs/{job.pk}/cancel/").status_code for _ in range(2)]
    assert codes == [200, 200]
    assert AuditEvent.objects.filter(action="render_job.cancelled").count() == 1


def test_a_failed_job_waits_again(manager: APIClient) -> None:
    answer = manager.post(f"/api/v1/render-jobs/{failed().pk}/retry/")
    assert (answer.status_code, answer.json()["state"], answer.json()["error"]) == (200, "waiting", "")


def test_a_done_job_is_neither_cancelled_nor_retried(manager: APIClient) -> None:
    job = RenderJobFactory(state=JobState.DONE, finished_at=timezone.now())
    for verb in ("cancel", "retry"):
        answer = manager.post(f"/api/v1/render-jobs/{job.pk}/{verb}/")
        assert answer.status_code == 409
        assert "done" in answer.json()["detail"]


def test_a_job_is_not_retried_while_another_draws_the_same_clip(manager: APIClient) -> None:
    job = failed()
    RenderJobFactory(clip=job.clip)
    assert manager.post(f"/api/v1/render-jobs/{job.pk}/retry/").status_code == 409
    job.refresh_from_db()
    assert job.state == JobState.FAILED


def test_a_researcher_only_looks(researcher: APIClient) -> None:
    assert researcher.post(f"/api/v1/render-jobs/{RenderJobFactory().pk}/cancel/").status_code == 403
