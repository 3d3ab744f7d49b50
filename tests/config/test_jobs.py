"""Jobs are rows: claimed once, kept by a lease, taken over when the worker dies. Tried on render jobs."""

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, connections, transaction
from django.utils import timezone

from config.audit.models import AuditEvent
from config.jobs import services
from config.jobs.models import JobState
from config.jobs.services import (
    LEASE,
    RETRY_AFTER,
    job_cancel,
    job_claim,
    job_fail,
    job_finish,
    job_heartbeat,
    job_retry,
    job_sweep,
    jobs_cancel_waiting,
    jobs_retry,
)
from rendering.models import RenderJob
from tests.factories import RenderJobFactory


def claimed(**columns: object) -> RenderJob:
    RenderJobFactory(**columns)
    job = job_claim(RenderJob)
    assert job is not None
    return job


def fresh(job: RenderJob) -> RenderJob:
    return RenderJob.objects.get(pk=job.pk)


def lease_runs_out(job: RenderJob) -> None:
    RenderJob.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def actions() -> list[str]:
    return list(AuditEvent.objects.order_by("id").values_list("action", flat=True))


@pytest.mark.django_db
class TestClaiming:
    def test_the_most_urgent_goes_first_then_the_oldest(self) -> None:
        low, first, second, high = (RenderJobFactory(priority=priority) for priority in (-1, 0, 0, 5))
        order = [job_claim(RenderJob) for _ in range(4)]
        assert order == [high, first, second, low]
        assert job_claim(RenderJob) is None

    def test_a_claim_takes_a_lease_and_counts_the_attempt(self) -> None:
        before = timezone.now()
        job = fresh(claimed(attempt=1, error="the first one crashed"))
        assert (job.state, job.attempt, job.worker) == (JobState.RUNNING, 2, services.worker_name())
        assert job.lease_until is not None
        assert before + LEASE <= job.lease_until <= timezone.now() + LEASE
        assert job.error == ""
        assert actions() == ["render_job.claimed"]

    def test_a_job_that_waits_for_its_retry_is_left_alone(self) -> None:
        RenderJobFactory(not_before=timezone.now() + timedelta(minutes=1))
        assert job_claim(RenderJob) is None

    @pytest.mark.parametrize("state", [JobState.DONE, JobState.FAILED, JobState.CANCELLED])
    def test_a_job_that_is_over_is_left_alone(self, state: str) -> None:
        RenderJobFactory(state=state, finished_at=timezone.now(), error="x")
        assert job_claim(RenderJob) is None


@pytest.mark.django_db
class TestKeeping:
    def test_a_heartbeat_extends_the_lease_and_tells_how_far_it_is(self) -> None:
        job = claimed()
        lease_runs_out(job)
        assert job_heartbeat(job, progress=0.4)
        now = fresh(job)
        assert now.lease_until is not None
        assert now.lease_until > timezone.now()
        assert now.progress == pytest.approx(0.4)

    @pytest.mark.parametrize(("told", "kept"), [(-1.0, 0.0), (7.0, 1.0)])
    def test_progress_stays_a_share(self, told: float, kept: float) -> None:
        job = claimed()
        assert job_heartbeat(job, progress=told)
        assert fresh(job).progress == kept

    def test_finishing_ends_the_lease(self) -> None:
        job = claimed()
        assert job_finish(job)
        done = fresh(job)
        assert (done.state, done.lease_until, done.progress) == (JobState.DONE, None, 1.0)
        assert done.finished_at is not None
        assert actions() == ["render_job.claimed", "render_job.done"]

    def test_finishing_twice_is_once(self) -> None:
        job = claimed()
        assert job_finish(job)
        assert not job_finish(job)
        assert actions().count("render_job.done") == 1


@pytest.mark.django_db
class TestFailing:
    def test_a_failure_waits_twice_as_long_each_time_and_then_stays(self) -> None:
        pauses = []
        job = claimed(max_attempts=3)
        for attempt in (1, 2):
            before = timezone.now()
            assert job_fail(job, error=f"crash {attempt}", retry=True)
            waiting = fresh(job)
            assert (waiting.state, waiting.error) == (JobState.WAITING, f"crash {attempt}")
            pauses.append((waiting.not_before - before) / RETRY_AFTER)
            RenderJob.objects.update(not_before=timezone.now())
            again = job_claim(RenderJob)
            assert again is not None
            job = again
        assert pauses == [pytest.approx(1, abs=0.2), pytest.approx(2, abs=0.2)]

        assert job_fail(job, error="crash 3", retry=True)
        failed = fresh(job)
        assert (failed.state, failed.error, failed.attempt) == (JobState.FAILED, "crash 3", 3)
        assert failed.finished_at is not None
        assert actions()[-1] == "render_job.failed"

    def test_what_retrying_cannot_help_fails_at_once(self) -> None:
        job = claimed()
        assert job_fail(job, error="motion is empty", retry=False)
        assert fresh(job).state == JobState.FAILED

    def test_a_person_asks_for_it_again(self) -> None:
        job = claimed()
        job_fail(job, error="motion is empty", retry=False)
        job_retry(job, actor="user:ada")
        waiting = fresh(job)
        assert (waiting.state, waiting.attempt, waiting.max_attempts, waiting.error) == (JobState.WAITING, 1, 4, "")
        assert job_claim(RenderJob) == job
        assert AuditEvent.objects.filter(actor="user:ada", action="render_job.retried").count() == 1

    def test_asking_again_for_a_job_that_is_not_over_changes_nothing(self) -> None:
        job = claimed()
        job_retry(job, actor="user:ada")
        assert fresh(job).state == JobState.RUNNING
        assert not AuditEvent.objects.filter(action="render_job.retried").exists()


@pytest.mark.django_db
class TestSweeping:
    def test_a_dead_workers_job_goes_back_without_a_pause(self) -> None:
        job = claimed()
        lease_runs_out(job)
        assert job_sweep(RenderJob) == 1
        waiting = fresh(job)
        assert waiting.state == JobState.WAITING
        assert "stopped without an answer" in waiting.error
        assert job_claim(RenderJob) == job

    def test_a_job_that_kills_every_worker_fails_in_the_end(self) -> None:
        job = claimed(max_attempts=1)
        lease_runs_out(job)
        assert job_sweep(RenderJob) == 0
        assert fresh(job).state == JobState.FAILED
        assert "stopped without an answer" in fresh(job).error

    def test_a_living_workers_job_is_left_alone(self) -> None:
        job = claimed()
        assert job_sweep(RenderJob) == 0
        assert fresh(job).state == JobState.RUNNING

    def test_a_worker_whose_job_was_taken_over_cannot_write(self) -> None:
        stale = claimed()
        lease_runs_out(stale)
        job_sweep(RenderJob)
        taken_over = job_claim(RenderJob)
        assert taken_over == stale

        assert not job_heartbeat(stale, progress=0.9)
        assert not job_finish(stale)
        assert not job_fail(stale, error="too late", retry=False)
        now = fresh(stale)
        assert (now.state, now.attempt, now.error, now.progress) == (JobState.RUNNING, 2, "", 0.0)
        assert taken_over is not None
        assert job_finish(taken_over)


@pytest.mark.django_db
class TestCancelling:
    def test_a_waiting_job_is_cancelled_at_once(self) -> None:
        job = RenderJobFactory()
        job_cancel(job, actor="user:ada")
        assert fresh(job).state == JobState.CANCELLED
        assert job_claim(RenderJob) is None

    def test_a_running_job_hears_of_it_at_its_next_heartbeat(self) -> None:
        job = claimed()
        job_cancel(job, actor="user:ada")
        assert fresh(job).state == JobState.RUNNING
        assert not job_heartbeat(job, progress=0.5)
        assert job_fail(job, error="cancelled", retry=True)
        assert fresh(job).state == JobState.CANCELLED

    def test_a_cancelled_job_of_a_dead_worker_is_not_tried_again(self) -> None:
        job = claimed()
        job_cancel(job, actor="user:ada")
        lease_runs_out(job)
        assert job_sweep(RenderJob) == 0
        assert fresh(job).state == JobState.CANCELLED

    def test_a_job_that_is_over_stays_what_it_is(self) -> None:
        job = claimed()
        job_finish(job)
        job_cancel(job, actor="user:ada")
        assert fresh(job).state == JobState.DONE

    def test_a_cancelled_job_can_be_asked_for_again(self) -> None:
        job = RenderJobFactory()
        job_cancel(job, actor="user:ada")
        job_retry(job, actor="user:ada")
        assert job_claim(RenderJob) == job
        assert not fresh(job).cancel_requested


@pytest.mark.django_db
class TestManyAtOnce:
    def over(self, state: JobState, **columns: object) -> RenderJob:
        return RenderJobFactory(state=state, finished_at=timezone.now(), error="broke", progress=0.5, **columns)

    def test_all_that_failed_or_were_cancelled_are_asked_for_again(self) -> None:
        failed = self.over(JobState.FAILED, attempt=3)
        cancelled = self.over(JobState.CANCELLED, cancel_requested=True)
        others: list[RenderJob] = [self.over(JobState.DONE), claimed(), RenderJobFactory()]
        before = [fresh(job) for job in others]
        assert jobs_retry(RenderJob.objects.all(), actor="user:ada") == 2
        for job, attempt in ((fresh(failed), 3), (fresh(cancelled), 0)):
            assert (job.state, job.error, job.progress) == (JobState.WAITING, "", 0.0)
            assert (job.attempt, job.max_attempts, job.cancel_requested) == (attempt, attempt + 3, False)
            assert job.finished_at is None
            assert job.not_before <= timezone.now()
        for job in before:
            assert (fresh(job).state, fresh(job).max_attempts) == (job.state, job.max_attempts)
        events = AuditEvent.objects.filter(actor="user:ada", action="render_job.retried")
        assert {event.subject for event in events} == {f"rendering.renderjob:{job.pk}" for job in (failed, cancelled)}

    def test_retrying_all_twice_is_once(self) -> None:
        self.over(JobState.FAILED)
        assert [jobs_retry(RenderJob.objects.all(), actor="user:ada") for _ in range(2)] == [1, 0]
        assert actions() == ["render_job.retried"]

    def test_all_that_wait_are_cancelled_and_nothing_else(self) -> None:
        waiting = RenderJobFactory.create_batch(2)
        pausing = RenderJobFactory(error="crashed", not_before=timezone.now() + timedelta(minutes=1))
        others: list[RenderJob] = [RenderJobFactory(priority=9), self.over(JobState.DONE), self.over(JobState.FAILED)]
        running = job_claim(RenderJob)
        assert running == others[0]
        assert jobs_cancel_waiting(RenderJob.objects.all(), actor="user:ada") == 3
        for job in (*waiting, pausing):
            assert fresh(job).state == JobState.CANCELLED
            assert fresh(job).finished_at is not None
        assert [fresh(job).state for job in others] == [JobState.RUNNING, JobState.DONE, JobState.FAILED]
        assert job_claim(RenderJob) is None
        assert actions().count("render_job.cancelled") == 3

    def test_only_the_jobs_that_were_named(self) -> None:
        theirs, ours = RenderJobFactory(), RenderJobFactory()
        assert jobs_cancel_waiting(RenderJob.objects.filter(pk=ours.pk), actor="user:ada") == 1
        assert fresh(theirs).state == JobState.WAITING
        assert jobs_retry(RenderJob.objects.filter(pk=theirs.pk), actor="user:ada") == 0

    def test_what_was_cancelled_together_can_be_asked_for_again_together(self) -> None:
        RenderJobFactory.create_batch(3)
        assert jobs_cancel_waiting(RenderJob.objects.all(), actor="user:ada") == 3
        assert jobs_retry(RenderJob.objects.all(), actor="user:ada") == 3
        assert job_claim(RenderJob) is not None


def in_threads(count: int, work: Callable[[], None]) -> None:
    """All at once, each with its own connection; the first error is raised here."""
    start = threading.Barrier(count)
    errors: list[BaseException] = []

    def run() -> None:
        try:
            start.wait()
            work()
        except BaseException as error:
            errors.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if errors:
        raise errors[0]


@pytest.mark.django_db(transaction=True)
class TestManyWorkers:
    def test_two_workers_never_get_the_same_job(self) -> None:
        RenderJobFactory.create_batch(12)
        taken: list[int] = []

        def work() -> None:
            while (job := job_claim(RenderJob)) is not None:
                taken.append(job.pk)

        in_threads(4, work)
        assert sorted(taken) == sorted(RenderJob.objects.values_list("pk", flat=True))
        assert set(RenderJob.objects.values_list("attempt", flat=True)) == {1}

    def test_a_dead_workers_job_is_requeued_once_by_many_sweeps(self) -> None:
        job = claimed()
        lease_runs_out(job)
        waiting: list[int] = []
        in_threads(4, lambda: waiting.append(job_sweep(RenderJob)))
        assert waiting == [1, 1, 1, 1]
        assert fresh(job).state == JobState.WAITING
        assert AuditEvent.objects.filter(action="render_job.requeued").count() == 1

    def test_only_one_of_many_finishes_counts(self) -> None:
        job = claimed()
        answers: list[bool] = []
        in_threads(4, lambda: answers.append(job_finish(job)))
        assert sorted(answers) == [False, False, False, True]

    def test_a_job_that_a_worker_claims_meanwhile_is_not_cancelled(self) -> None:
        first, second = RenderJobFactory(priority=1), RenderJobFactory()
        claims, cancelled = threading.Event(), []

        def cancel() -> None:
            cancelled.append(jobs_cancel_waiting(RenderJob.objects.all(), actor="user:ada"))

        def cancel_when_the_claim_is_under_way() -> None:
            assert claims.wait(30)
            cancel()

        canceller = threading.Thread(target=in_threads, args=(1, cancel_when_the_claim_is_under_way))
        canceller.start()
        with transaction.atomic():
            job = job_claim(RenderJob)
            claims.set()
            canceller.join(0.5)  # it cannot end before the claim does
            assert canceller.is_alive()
            assert cancelled == []
        canceller.join(60)
        assert (job, cancelled) == (first, [1])
        assert (fresh(first).state, fresh(first).cancel_requested) == (JobState.RUNNING, False)
        assert fresh(second).state == JobState.CANCELLED
        assert job_finish(first if job is None else job)

    def test_every_job_is_either_claimed_or_cancelled_never_both(self) -> None:
        RenderJobFactory.create_batch(12)
        taken: list[int] = []
        cancelled: list[int] = []
        turn = iter(("claim", "claim", "cancel", "claim"))

        def work() -> None:
            if next(turn) == "cancel":
                cancelled.append(jobs_cancel_waiting(RenderJob.objects.all(), actor="user:ada"))
                return
            while (job := job_claim(RenderJob)) is not None:
                taken.append(job.pk)

        in_threads(4, work)
        states = list(RenderJob.objects.values_list("state", flat=True))
        assert states.count(JobState.RUNNING) == len(taken) == len(set(taken))
        assert states.count(JobState.CANCELLED) == cancelled[0] == 12 - len(taken)

    @pytest.mark.postgres_only
    def test_a_claim_does_not_wait_for_another_workers_claim(self) -> None:
        first, second = RenderJobFactory(priority=1), RenderJobFactory()
        seen: list[RenderJob | None] = []
        with transaction.atomic():
            assert job_claim(RenderJob) == first  # held until this block ends
            in_threads(1, lambda: seen.append(job_claim(RenderJob)))
        assert seen == [second]
        assert connection.features.has_select_for_update_skip_locked
