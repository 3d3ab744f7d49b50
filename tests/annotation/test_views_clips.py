"""The manager's page of the render queue: what it counts, what its buttons do, and that it stays quick."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from annotation.models import Study
from annotation.selectors.needs import study_needs
from annotation.selectors.queue import study_clip_counts, study_jobs_ended, study_queue_ended, study_queue_waiting
from annotation.selectors.queue_now import study_queue_now
from annotation.services.clips import NEXT_HITS, SOME_TIME, SOMEBODY_WAITS, study_make_clips
from annotation.services.studies import study_plan_clips
from config.audit.models import AuditEvent
from config.jobs.models import JobState
from config.jobs.services import RETRY_AFTER, job_claim, job_fail, job_finish
from rendering.models import Clip, Motion, RenderJob
from tests.annotation.campaign import open_study
from tests.conftest import Doorbell
from tests.factories import (
    ManagerFactory,
    MotionFactory,
    PromptFactory,
    ResearcherFactory,
    SampleFactory,
    StudyFactory,
    digest,
)

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

PAGES = ("", "now/", "ended/", "waiting/", "cancel-waiting/")
BUTTONS = ("make/", "retry/", "cancel/", "cancel-waiting/")
LONG_ERROR = "the renderer ended with code 1: " + "a very long story " * 40 + "and its end"


@pytest.fixture
def manager() -> Client:
    client = Client()
    client.force_login(ManagerFactory(username="ada"))
    return client


def study_of(samples: int, **columns: object) -> Study:
    study = StudyFactory(code="big", title="A big study", **columns)
    for _ in range(samples):
        study.samples.add(SampleFactory())
    return study


def planned(samples: int) -> Study:
    study = study_of(samples)
    study_plan_clips(study=study, actor="user:test")
    return study


def made(job: RenderJob, *, seconds: float = 2.0) -> None:
    """What a worker records, with the time that it took."""
    Clip.objects.filter(pk=job.clip_id).update(
        state="ready", file="clips/x.mp4", file_hash=digest("x"), rendered_at=timezone.now()
    )
    job_finish(job)
    RenderJob.objects.filter(pk=job.pk).update(started_at=timezone.now() - timedelta(seconds=seconds))


def claim() -> RenderJob:
    job = job_claim(RenderJob)
    assert job is not None
    return job


def fail(error: str = "no such look", *, retry: bool = False) -> RenderJob:
    job = claim()
    job_fail(job, error=error, retry=retry)
    job.refresh_from_db()
    return job


def text(client: Client, path: str = "", **headers: str) -> str:
    return client.get(f"/manage/big/clips/{path}", headers=headers).content.decode()


def said(client: Client, path: str, **form: object) -> str:
    """Press a button, and read the page to which it leads."""
    response = client.post(f"/manage/big/clips/{path}", form, follow=True)
    assert response.redirect_chain == [("/manage/big/clips/", 302)]
    return response.content.decode()


def states() -> list[str]:
    return list(RenderJob.objects.order_by("id").values_list("state", flat=True))


# --- Who --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PAGES)
def test_only_managers_see_the_queue(client: Client, manager: Client, path: str) -> None:
    study_of(1)
    assert client.get(f"/manage/big/clips/{path}").status_code == 302
    assert manager.get(f"/manage/big/clips/{path}").status_code == 200
    client.force_login(ResearcherFactory())
    assert client.get(f"/manage/big/clips/{path}").status_code == 403


@pytest.mark.parametrize("path", BUTTONS)
def test_buttons_want_a_manager_a_post_and_its_token(client: Client, path: str) -> None:
    planned(1)
    assert client.post(f"/manage/big/clips/{path}").status_code == 302
    careful = Client(enforce_csrf_checks=True)
    careful.force_login(ManagerFactory())
    assert careful.post(f"/manage/big/clips/{path}").status_code == 403
    if path != "cancel-waiting/":
        assert careful.get(f"/manage/big/clips/{path}").status_code == 405
    assert states() == ["waiting"]


def test_the_queue_of_an_unknown_study_is_not_found(manager: Client) -> None:
    assert manager.get("/manage/nothing/clips/").status_code == 404


# --- How far ----------------------------------------------------------------------------------------------------------


def test_each_clip_is_counted_where_it_stands(manager: Client) -> None:
    study = planned(6)
    made(claim())
    fail()
    claim()
    cancelled = RenderJob.objects.filter(state=JobState.WAITING).earliest("id")
    said(manager, "cancel/", job=cancelled.pk)
    study.samples.add(SampleFactory())
    counts = study_clip_counts(study)
    assert (counts.wanted, counts.made, counts.waiting, counts.running) == (7, 1, 2, 1)
    assert (counts.failed, counts.cancelled, counts.not_planned, counts.missing) == (1, 1, 1, 2)
    assert "<strong>1</strong> of 7 clips made" in text(manager)


def test_a_motion_of_several_samples_is_one_clip(manager: Client) -> None:
    study = study_of(0)
    motion = MotionFactory()
    for _ in range(2):
        study.samples.add(SampleFactory(motion=motion, prompt=PromptFactory()))
    study_plan_clips(study=study, actor="user:test")
    counts = study_clip_counts(study)
    assert (counts.wanted, counts.waiting) == (1, 1)


def test_a_retried_job_counts_once_and_as_what_it_is_now() -> None:
    study = planned(1)
    cancelled = RenderJob.objects.get()
    RenderJob.objects.update(state=JobState.CANCELLED, finished_at=timezone.now())
    study_make_clips(study=study, actor="user:test")
    assert states() == ["cancelled", "waiting"]
    assert study_clip_counts(study).cancelled == 0
    assert not study_jobs_ended(study).filter(pk=cancelled.pk).exists()


def test_a_study_without_samples_says_what_to_do_first(manager: Client) -> None:
    study_of(0)
    page = text(manager)
    assert "No clips to make yet" in page
    assert "/manage/big/motions/" in page
    assert "every 3s" not in page


def test_the_page_asks_again_only_while_something_is_open(manager: Client) -> None:
    planned(1)
    assert 'hx-trigger="every 3s"' in text(manager)
    made(claim())
    page = text(manager, "now/")
    assert "every 3s" not in page
    assert "<strong>1</strong> of 1 clip made" in page


def test_the_tables_are_told_when_they_are_out_of_date(manager: Client) -> None:
    study = planned(2)
    version = study_queue_now(study).version
    assert "HX-Trigger" not in manager.get(f"/manage/big/clips/now/?version={version}")
    claim()
    assert manager.get(f"/manage/big/clips/now/?version={version}")["HX-Trigger"] == "queue-changed"


def test_htmx_gets_the_part_that_it_swaps(manager: Client) -> None:
    planned(1)
    fail()
    for path, part in (("", "queue"), ("ended/", "queue-ended"), ("waiting/", "queue-waiting")):
        answer = text(manager, path, **{"HX-Request": "true"})
        assert "<html" not in answer
        assert f'id="{part}"' in answer
        assert "<html" in text(manager, path)


def test_what_runs_is_shown_with_progress_machine_and_attempt(manager: Client) -> None:
    study = planned(1)
    job = claim()
    RenderJob.objects.filter(pk=job.pk).update(progress=0.5, worker="blade-7:4711")
    page = text(manager)
    assert "drawing, 30 of 60 frames" in page
    assert "on blade-7, process 4711" in page
    assert "attempt 1 of 3" in page
    RenderJob.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert study_queue_now(study).running[0].is_silent
    assert "Its worker is silent" in text(manager)


# --- How long ---------------------------------------------------------------------------------------------------------


def test_the_time_left_follows_from_what_the_last_clips_took() -> None:
    study = planned(14)
    for _ in range(4):
        made(claim(), seconds=30)
    claim()
    now = study_queue_now(study)
    assert now.seconds_left == pytest.approx(10 * 30, rel=0.02)
    assert now.time_left == "about 5 min"


def test_motions_twice_as_long_take_twice_as_long() -> None:
    study = planned(8)
    for _ in range(4):
        made(claim(), seconds=30)
    Motion.objects.filter(clips__state="planned").update(frames=120)
    RenderJob.objects.filter(pk=claim().pk).update(progress=0.5)
    assert study_queue_now(study).seconds_left == pytest.approx(3.5 * 60, rel=0.02)


def test_nothing_is_said_of_the_time_left_while_it_is_unknown(manager: Client) -> None:
    study = planned(5)
    assert study_queue_now(study).time_left == ""  # no clip was made yet
    for _ in range(3):
        made(claim())
    RenderJob.objects.filter(state=JobState.DONE).update(finished_at=timezone.now() - timedelta(hours=1))
    assert study_queue_now(study).time_left == ""  # nobody is at it
    assert "to go" not in text(manager)


def test_clips_of_other_studies_that_go_first_are_named(manager: Client) -> None:
    study = planned(5)
    for _ in range(3):
        made(claim())
    other = StudyFactory(code="other")
    other.samples.add(SampleFactory())
    study_plan_clips(study=other, actor="user:test", priority=NEXT_HITS)
    now = study_queue_now(study)
    assert now.ahead == 1
    assert now.time_left.startswith("at least")
    assert "1 clip of other studies goes first" in text(manager)


def test_a_queue_that_nobody_serves_is_said_so(manager: Client) -> None:
    planned(1)
    assert "No render worker" not in text(manager)
    RenderJob.objects.update(not_before=timezone.now() - timedelta(minutes=3, seconds=20))
    assert "No render worker has taken a job for 3 minutes." in text(manager)


def test_a_worker_that_draws_or_just_took_a_job_is_no_silence() -> None:
    study = planned(2)
    RenderJob.objects.update(not_before=timezone.now() - timedelta(minutes=9))
    job = claim()
    assert study_queue_now(study).silence is None
    made(job)
    assert study_queue_now(study).silence is None
    long_ago = timezone.now() - timedelta(minutes=5)
    RenderJob.objects.filter(pk=job.pk).update(started_at=long_ago, finished_at=long_ago)
    assert study_queue_now(study).silent_minutes == 5


def test_a_job_left_by_the_only_worker_is_silence_and_cancelling_is_no_sign_of_life(manager: Client) -> None:
    study = planned(2)
    claim()
    died = timezone.now() - timedelta(minutes=6)
    RenderJob.objects.update(started_at=died - timedelta(minutes=1), not_before=died - timedelta(minutes=1))
    RenderJob.objects.filter(state=JobState.RUNNING).update(lease_until=died)
    said(manager, "cancel/", job=RenderJob.objects.get(state=JobState.WAITING).pk)
    assert study_queue_now(study).silent_minutes == 6


# --- Failed -----------------------------------------------------------------------------------------------------------


def test_a_failure_is_shown_whole_with_its_machine_and_sample(manager: Client) -> None:
    study = planned(1)
    fail(LONG_ERROR)
    RenderJob.objects.update(worker="blade-7:4711")
    sample = study.samples.get()
    page = text(manager)
    assert LONG_ERROR in page
    assert "blade-7" in page
    assert f'href="/manage/big/samples/{sample.pk}/">{sample.prompt.text}' in page


def test_an_error_is_text_never_markup(manager: Client) -> None:
    planned(1)
    fail("<script>alert(1)</script>\nsecond line")
    page = text(manager)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;<br>second line" in page


def test_one_click_retries_a_failed_clip_and_wakes_a_worker(
    manager: Client, doorbells: list[Doorbell], django_capture_on_commit_callbacks: Any
) -> None:
    planned(1)
    job = fail()
    with django_capture_on_commit_callbacks(execute=True):
        assert "1 clip will be tried again." in said(manager, "retry/", job=job.pk)
    assert states() == ["waiting"]
    assert [bell.task for bell in doorbells] == ["rendering.tasks.render_next"]
    assert AuditEvent.objects.get(action="render_job.retried").actor == "user:ada"


def test_all_failed_clips_are_retried_at_once_and_the_cancelled_stay(manager: Client) -> None:
    planned(4)
    fail()
    fail()
    said(manager, "cancel/", job=RenderJob.objects.filter(state=JobState.WAITING).latest("id").pk)
    assert "Retry all 2 failed" in text(manager)
    assert "2 clips will be tried again." in said(manager, "retry/", state="failed")
    assert states() == ["waiting", "waiting", "waiting", "cancelled"]


def test_a_cancelled_clip_is_retried_by_its_row(manager: Client) -> None:
    planned(1)
    job = RenderJob.objects.get()
    assert "1 clip was cancelled." in said(manager, "cancel/", job=job.pk)
    assert f'id="retry-{job.pk}"' in text(manager)
    said(manager, "retry/", job=job.pk)
    assert states() == ["waiting"]


def test_a_second_click_on_retry_changes_nothing(manager: Client) -> None:
    planned(1)
    job = fail()
    said(manager, "retry/", job=job.pk)
    assert "Nothing was left to retry" in said(manager, "retry/", job=job.pk)
    assert "Nothing was left to retry" in said(manager, "retry/", job="nonsense")
    assert AuditEvent.objects.filter(action="render_job.retried").count() == 1


def test_another_studys_jobs_are_out_of_reach(manager: Client) -> None:
    planned(1)
    other = StudyFactory(code="other")
    other.samples.add(SampleFactory())
    study_plan_clips(study=other, actor="user:test", priority=NEXT_HITS)
    theirs = fail()
    said(manager, "retry/", job=theirs.pk)
    said(manager, "cancel/", job=theirs.pk)
    theirs.refresh_from_db()
    assert theirs.state == JobState.FAILED


def test_a_job_that_waits_after_a_failure_says_why_and_until_when(manager: Client) -> None:
    study = planned(2)
    job = fail("the driver crashed", retry=True)
    rows = study_queue_waiting(study, study_clip_counts(study)).rows
    assert [row.job.pk for row in rows][-1] == job.pk  # it pauses: the other is taken first
    assert rows[-1].pauses
    assert job.not_before - timezone.now() <= RETRY_AFTER
    page = text(manager)
    assert "the driver crashed" in page
    assert "attempt 1 of 3" in page
    assert "tried again in" in page


# --- Waiting ----------------------------------------------------------------------------------------------------------


def test_waiting_clips_stand_in_the_order_in_which_workers_take_them() -> None:
    study = planned(4)
    first, second, third, fourth = RenderJob.objects.order_by("id")
    RenderJob.objects.filter(pk=third.pk).update(priority=SOMEBODY_WAITS)
    RenderJob.objects.filter(pk=fourth.pk).update(priority=NEXT_HITS)
    rows = study_queue_waiting(study, study_clip_counts(study)).rows
    assert [row.job for row in rows] == [third, fourth, first, second]
    assert [row.urgency for row in rows] == ["a rater waits for it", "next HITs", "later", "later"]
    assert [claim().pk for _ in range(4)] == [row.job.pk for row in rows]


def test_the_tables_are_paged_by_the_server(manager: Client) -> None:
    study = planned(25)
    assert len(study_queue_waiting(study, study_clip_counts(study)).rows) == 20
    assert "21–25 of 25 clips" in text(manager, "waiting/?page=2")
    for _ in range(21):
        fail()
    assert len(study_queue_ended(study, study_clip_counts(study)).rows) == 20
    assert "21–21 of 21 clips" in text(manager, "ended/?page=2")


def test_cancelling_all_that_wait_asks_first_with_the_count(manager: Client) -> None:
    planned(3)
    claim()
    page = text(manager, "cancel-waiting/")
    assert "Cancel 2 waiting clips?" in page
    assert states() == ["running", "waiting", "waiting"]
    assert "2 clips cancelled. What was being drawn goes on." in said(manager, "cancel-waiting/")
    assert states() == ["running", "cancelled", "cancelled"]
    assert "No clip waits any more" in text(manager, "cancel-waiting/")


def test_the_question_says_that_other_studies_show_some_of_them(manager: Client) -> None:
    study = planned(3)
    StudyFactory(code="other").samples.add(study.samples.earliest("id"))
    assert "1 of them is shown by other studies too" in text(manager, "cancel-waiting/")


def test_a_clip_being_drawn_is_cancelled_at_its_workers_next_heartbeat(manager: Client) -> None:
    planned(1)
    job = claim()
    assert "will be cancelled within a few seconds" in said(manager, "cancel/", job=job.pk)
    job.refresh_from_db()
    assert (job.state, job.cancel_requested) == (JobState.RUNNING, True)
    assert "being cancelled" in text(manager)


# --- Missing ----------------------------------------------------------------------------------------------------------


def test_one_button_makes_all_missing_clips_and_names_how(manager: Client) -> None:
    study_of(3, look="stick", view="front", pixels=256)
    page = text(manager)
    assert "Make 3 missing clips" in page
    assert "Look stick, view front, 256 px, drawn by stick." in page
    assert "3 clips will be made, those of the next HITs first." in said(manager, "make/")
    assert states() == ["waiting"] * 3
    assert "missing clip" not in text(manager)
    assert "No clip was missing." in said(manager, "make/")
    assert RenderJob.objects.count() == 3


def test_the_cancelled_are_missing_and_the_failed_wait_for_their_retry(manager: Client) -> None:
    planned(3)
    fail()
    said(manager, "cancel-waiting/")
    assert "Make 2 missing clips" in text(manager)
    said(manager, "make/")
    assert states() == ["failed", "cancelled", "cancelled", "waiting", "waiting"]


def test_a_clip_of_an_older_renderer_is_not_made_again() -> None:
    study = planned(2)
    made(claim())
    Clip.objects.filter(state="ready").update(renderer_version="0.0", key=digest("old"))
    assert study_make_clips(study=study, actor="user:test") == 0


def test_a_study_that_cannot_be_drawn_says_why(manager: Client) -> None:
    study_of(1, look="clay")
    page = said(manager, "make/")
    assert "unknown look" in page
    assert "Nothing was planned" in page
    assert states() == []


def test_making_missing_clips_puts_those_of_the_next_hits_first(manager: Client) -> None:
    study = open_study(prompts=12, generators=2, ratings_per_sample=1, gold=1)
    Study.objects.filter(pk=study.pk).update(code="big")
    RenderJob.objects.all().delete()
    Clip.objects.all().delete()
    said(manager, "make/")
    first, *_, last = study.batches.get().hits.order_by("number")
    jobs = RenderJob.objects.all()
    assert set(jobs.filter(clip__motion__samples__hit_positions__hit=first).values_list("priority", flat=True)) == {
        NEXT_HITS
    }
    assert set(jobs.filter(clip__motion__samples__hit_positions__hit=last).values_list("priority", flat=True)) == {
        SOME_TIME
    }


# --- Where it is found ------------------------------------------------------------------------------------------------


def test_the_queue_is_reached_from_the_stages_and_from_what_needs_me(manager: Client) -> None:
    study = planned(2)
    fail()
    (need,) = study_needs(study)
    assert need.page == "manage_queue"
    for path in ("/manage/", "/manage/big/"):
        assert 'href="/manage/big/clips/">clips failed to render' in manager.get(path).content.decode()
    assert 'href="/manage/big/clips/">Clips' in manager.get("/manage/big/stages/").content.decode()
    sample = study.samples.filter(motion__clips__jobs__state="failed").get()
    assert 'href="/manage/big/clips/">See why' in manager.get(f"/manage/big/samples/{sample.pk}/").content.decode()


def test_the_line_of_stages_counts_clips_that_nobody_planned(manager: Client) -> None:
    study_of(3)
    assert "of 3" in manager.get("/manage/big/stages/").content.decode().split("Clips")[1].split("HITs")[0]


# --- Quick ------------------------------------------------------------------------------------------------------------


def test_the_page_needs_as_many_queries_for_many_rows_as_for_few(
    manager: Client, django_assert_max_num_queries: Callable[[int], AbstractContextManager[Any]]
) -> None:
    planned(40)
    for _ in range(5):
        fail()
        made(claim())
    claim()
    manager.get("/manage/big/clips/")  # the session and the roles
    for path, most in (("", 20), ("now/", 17), ("ended/", 12), ("waiting/", 12)):
        with django_assert_max_num_queries(most):
            assert manager.get(f"/manage/big/clips/{path}").status_code == 200


def test_ten_thousand_samples_do_not_slow_it_down(manager: Client, files: Path) -> None:
    count = 10_000
    study = many_samples(count)
    assert "Make 10000 missing clips" in text(manager)
    said(manager, "make/")
    ids = list(RenderJob.objects.order_by("id").values_list("pk", flat=True))
    over = RenderJob.objects.filter(pk__in=ids[: count // 2])
    over.update(state="done", finished_at=timezone.now(), started_at=timezone.now() - timedelta(seconds=3))
    Clip.objects.filter(jobs__in=over).update(
        state="ready", file="clips/x.mp4", file_hash=digest("x"), rendered_at=timezone.now()
    )
    RenderJob.objects.filter(pk__in=ids[count // 2 : count // 2 + 500]).update(
        state="failed", error="broke", finished_at=timezone.now()
    )
    claim()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # what autovacuum does, which the tests' PostgreSQL has not
    assert study_clip_counts(study).failed == 500
    for path in ("", "now/", "ended/?page=7", "waiting/?page=90"):
        times = []
        for _ in range(3):
            start = time.perf_counter()
            assert manager.get(f"/manage/big/clips/{path}").status_code == 200
            times.append(time.perf_counter() - start)
        assert min(times) < 1.0  # 0.2 s on a quiet machine; tests share theirs


def many_samples(count: int) -> Study:
    study = StudyFactory(code="big")
    first = SampleFactory()
    motions = Motion.objects.bulk_create(
        Motion(content_hash=digest("many", n), file=f"motions/{n}.npy", frames=60, fps=20.0) for n in range(count)
    )
    sample_model, place_model = type(first), study.places.model
    samples = sample_model.objects.bulk_create(
        sample_model(code=f"many-{n}", prompt=first.prompt, generator=first.generator, motion=motion)
        for n, motion in enumerate(motions)
    )
    place_model.objects.bulk_create(place_model(study=study, sample=sample) for sample in samples)
    return study
