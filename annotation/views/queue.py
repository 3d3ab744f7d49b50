"""The render queue of a study: how far the clips are, what failed and why, and what can be done about it.

Every button is a form that works without JavaScript: it sends the person back to the queue with a message. With htmx
the same answer is swapped in place.
"""

from django.contrib import messages
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.models import Study
from annotation.selectors.queue import (
    study_clip_counts,
    study_jobs_ended,
    study_jobs_open,
    study_jobs_shared,
    study_jobs_waiting,
    study_queue_ended,
    study_queue_waiting,
)
from annotation.selectors.queue_now import study_queue_now
from annotation.services.clips import study_make_clips
from annotation.services.studies import study_drawing
from annotation.views.staff import page_actor, study_named
from config.jobs.models import JobState
from config.jobs.services import job_cancel, jobs_cancel_waiting
from config.roles import MANAGER
from config.views import role_required, staff_page
from rendering.models import RenderJob
from rendering.scene import UnknownNameError
from rendering.services.jobs import render_jobs_retry


@require_safe
@role_required(MANAGER)
def manage_queue(request: HttpRequest, code: str) -> HttpResponse:
    study = study_named(code)
    now = study_queue_now(study)
    context = {
        "study": study,
        "drawing": study_drawing(study),
        "now": now,
        "counts": now.counts,
        "ended": study_queue_ended(study, now.counts),
        "waiting": study_queue_waiting(study, now.counts),
    }
    template = "manage/_queue.html" if request.headers.get("HX-Request") else "manage/queue.html"
    return staff_page(request, template, context)


@require_safe
@role_required(MANAGER)
def manage_queue_now(request: HttpRequest, code: str) -> HttpResponse:
    """The live part alone, for the page that asks again; it tells the tables below when they are out of date."""
    study = study_named(code)
    now = study_queue_now(study)
    context = {"study": study, "drawing": study_drawing(study), "now": now, "counts": now.counts}
    response = staff_page(request, "manage/_queue_now.html", context)
    if request.GET.get("version") != now.version:
        response["HX-Trigger"] = "queue-changed"
    return response


@require_safe
@role_required(MANAGER)
def manage_queue_ended(request: HttpRequest, code: str) -> HttpResponse:
    study = study_named(code)
    counts = study_clip_counts(study)
    table = study_queue_ended(study, counts, page=request.GET.get("page", "1"))
    return _table_page(request, study, "ended", {"ended": table, "counts": counts})


@require_safe
@role_required(MANAGER)
def manage_queue_waiting(request: HttpRequest, code: str) -> HttpResponse:
    study = study_named(code)
    counts = study_clip_counts(study)
    table = study_queue_waiting(study, counts, page=request.GET.get("page", "1"))
    return _table_page(request, study, "waiting", {"waiting": table, "counts": counts})


# --- What a person may do ---------------------------------------------------------------------------------------------


@require_POST
@role_required(MANAGER)
def manage_queue_make(request: HttpRequest, code: str) -> HttpResponseBase:
    study = study_named(code)
    try:
        made = study_make_clips(study=study, actor=page_actor(request))
    except UnknownNameError as error:
        messages.error(request, f"The study's clips cannot be drawn: {error}. Nothing was planned.")
    else:
        words = f"{_clips(made)} will be made, those of the next HITs first." if made else "No clip was missing."
        messages.success(request, words)
    return _back(study)


@require_POST
@role_required(MANAGER)
def manage_queue_retry(request: HttpRequest, code: str) -> HttpResponseBase:
    """One `job`, or all of a `state`."""
    study = study_named(code)
    state = request.POST.get("state", "")
    jobs = study_jobs_ended(study, *([state] if state else []))
    if "job" in request.POST:
        jobs = jobs.filter(pk=_number(request.POST["job"]))
    try:
        retried = render_jobs_retry(jobs=jobs, actor=page_actor(request))
    except IntegrityError:  # planned anew by somebody else, between our look and our write
        retried = 0
    if retried:
        messages.success(request, f"{_clips(retried)} will be tried again.")
    else:
        messages.warning(request, "Nothing was left to retry: it was asked for already, or is made by now.")
    return _back(study)


@require_POST
@role_required(MANAGER)
def manage_queue_cancel(request: HttpRequest, code: str) -> HttpResponseBase:
    """One job: at once if it waits, at its next heartbeat if it runs."""
    study = study_named(code)
    job = study_jobs_open(study).filter(pk=_number(request.POST.get("job", ""))).first()
    if job is not None:
        job_cancel(job, actor=page_actor(request))
        job.refresh_from_db()
    _say_cancelled(request, job)
    return _back(study)


def _say_cancelled(request: HttpRequest, job: RenderJob | None) -> None:
    if job is not None and job.state == JobState.CANCELLED:
        messages.success(request, "1 clip was cancelled.")
    elif job is not None and job.cancel_requested:
        messages.success(request, "The clip that is being drawn will be cancelled within a few seconds.")
    else:
        messages.warning(request, "Nothing was left to cancel: that clip is no longer waiting or being drawn.")


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(MANAGER)
def manage_queue_cancel_waiting(request: HttpRequest, code: str) -> HttpResponseBase:
    """Asks first, with the count in the question."""
    study = study_named(code)
    jobs = study_jobs_waiting(study)
    if request.method != "POST":
        return staff_page(
            request,
            "manage/queue_cancel.html",
            {"study": study, "count": jobs.count(), "shared": study_jobs_shared(study)},
        )
    cancelled = jobs_cancel_waiting(jobs, actor=page_actor(request))
    if cancelled:
        messages.success(request, f"{_clips(cancelled)} cancelled. What was being drawn goes on.")
    else:
        messages.warning(request, "Nothing was left to cancel: no clip waits any more.")
    return _back(study)


def _table_page(request: HttpRequest, study: Study, name: str, context: dict[str, object]) -> HttpResponse:
    """A table on a page of its own, for those without JavaScript; the table alone for htmx."""
    is_part = bool(request.headers.get("HX-Request"))
    template = f"manage/_queue_{name}.html" if is_part else "manage/queue_table.html"
    return staff_page(request, template, {"study": study, "table": f"manage/_queue_{name}.html"} | context)


def _back(study: Study) -> HttpResponseBase:
    return redirect("manage_queue", study.code)


def _number(text: str) -> int:
    """A job's number; 0, which no job has, for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0


def _clips(count: int) -> str:
    return "1 clip" if count == 1 else f"{count} clips"
