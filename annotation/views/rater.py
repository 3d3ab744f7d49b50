"""The rater's pages. No account and no cookie: the token in the path is all there is.

They are exempt from CSRF checks because nothing ambient authorises them: a forged form would have to know the token,
and whoever knows it can open the page anyway. Cookies would not survive a crowd platform's frame either.
"""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from annotation import links
from annotation.errors import AnnotationError, BadAnswer
from annotation.models import Assignment, Enrolment, Rater, Study
from annotation.selectors.enrolments import (
    enrolment_active,
    enrolment_earned,
    enrolment_latest,
    enrolment_receipt,
    rater_enrolment,
)
from annotation.selectors.items import ItemView, assignment_answers, item_view, open_position
from annotation.selectors.outlook import study_outlook
from annotation.services.assignments import assignment_take
from annotation.services.raters import rater_enrol, rater_identify
from annotation.services.ratings import assignment_submit, item_open, item_release_unplayable, rating_save
from annotation.services.watching import Playback, seconds_to_wait

RaterView = Callable[[HttpRequest, str], HttpResponse]

REFUSED = 422
# Fields of the form that are no answers; no criterion's code has a dot.
SEEN = "seen."


def rater_page(view: RaterView) -> RaterView:
    """A page that its token alone opens, that no cache keeps, and that only the named platforms may frame."""

    @wraps(view)
    def page(request: HttpRequest, token: str) -> HttpResponse:
        try:
            response = view(request, token)
        except links.BadLink:
            response = render(request, "rater/unknown_link.html", status=404)
        add_never_cache_headers(response)
        if settings.RATER_FRAME_ANCESTORS:
            # Read by XFrameOptionsMiddleware and by django-csp, at the time of the answer.
            framing: dict[str, Any] = {"frame-ancestors": list(settings.RATER_FRAME_ANCESTORS)}
            response.xframe_options_exempt = True
            response._csp_replace = framing  # type: ignore[attr-defined]
        return response

    return csrf_exempt(page)


# --- Landing ----------------------------------------------------------------------------------------------------------


@rater_page
@require_http_methods(["GET", "HEAD", "POST"])
def landing(request: HttpRequest, token: str) -> HttpResponse:
    try:
        study, rater = links.read_personal_token(token)
    except links.BadLink:
        return _arrive(request, links.read_open_token(token))
    if request.method != "POST":
        return _landing(request, token, study, rater)
    if rater_enrolment(study, rater) is None and "consent" not in request.POST:
        return _landing(request, token, study, rater, message="Please read the consent and tick the box first.")
    try:
        assignment_take(enrolment=rater_enrol(study=study, rater=rater))
    except AnnotationError as error:
        return _landing(request, token, study, rater, message=str(error))
    return redirect("rater_rate", token)


def _landing(request: HttpRequest, token: str, study: Study, rater: Rater, *, message: str = "") -> HttpResponse:
    enrolment = rater_enrolment(study, rater)
    outlook = study_outlook(study, rater=rater)
    context = {
        "token": token,
        "study": study,
        "outlook": outlook,
        "example_token": links.example_token(outlook.example) if outlook.example else "",
        "enrolment": enrolment,
        "active": enrolment_active(enrolment),
        "latest": enrolment_latest(enrolment),
        "message": message,
    }
    return render(request, "rater/landing.html", context, status=REFUSED if message else 200)


def _arrive(request: HttpRequest, study: Study) -> HttpResponse:
    """An open link: the platform says who comes, and each gets a link of their own."""
    visitor = links.read_visitor(request.GET)
    if visitor is None:
        return render(request, "rater/who_are_you.html", {"study": study}, status=400)
    if visitor.is_preview:
        outlook = study_outlook(study)
        example = links.example_token(outlook.example) if outlook.example else ""
        context = {"study": study, "outlook": outlook, "example_token": example, "is_preview": True}
        return render(request, "rater/landing.html", context)
    rater = rater_identify(platform=visitor.platform, platform_id=visitor.platform_id)
    return redirect(links.personal_path(study, rater))


# --- Rating -----------------------------------------------------------------------------------------------------------


@rater_page
@require_http_methods(["GET", "HEAD", "POST"])
def rate(request: HttpRequest, token: str) -> HttpResponse:
    enrolment, assignment = rater_seat(token)
    if enrolment is None or assignment is None:
        return redirect("rater_landing", token)
    if request.method == "POST":
        return _answer(request, token, enrolment, assignment)
    if request.method == "HEAD" or _is_only_prefetched(request):
        # Showing an item starts its clock, so nothing but showing it may answer with the page.
        return HttpResponse(status=204)
    position = open_position(assignment, asked=_number(request.GET.get("item")))
    if position is None:
        return redirect("rater_review", token)
    shown = item_view(assignment, position)
    if not shown.is_ready and item_release_unplayable(item=shown.item):
        return redirect("rater_rate", token)
    return _item(request, token, shown, enrolment)


def _answer(request: HttpRequest, token: str, enrolment: Enrolment, assignment: Assignment) -> HttpResponse:
    position = open_position(assignment, asked=_number(request.POST.get("item")))
    if position is None or position != _number(request.POST.get("item")):
        return _go_on(request, token)
    chosen = {
        name: value
        for name in request.POST
        if not name.startswith(SEEN) and (value := _number(request.POST[name])) is not None
    }
    chosen.pop("item")
    shown = item_view(assignment, position, chosen=chosen)
    try:
        _refuse_incomplete(shown)
        rating_save(
            item=shown.item,
            enrolment=enrolment,
            answers=chosen,
            playback=read_playback(request.POST.get(f"{SEEN}coverage"), request.POST.get(f"{SEEN}replays")),
            device=device_class(request),
        )
    except AnnotationError as error:
        if _wants_json(request):
            return JsonResponse({"message": str(error)}, status=REFUSED)
        return _item(request, token, shown, enrolment, message=str(error))
    return _go_on(request, token)


def _go_on(request: HttpRequest, token: str) -> HttpResponse:
    return (
        JsonResponse({"next": reverse("rater_rate", args=[token])})
        if _wants_json(request)
        else redirect("rater_rate", token)
    )


def _item(
    request: HttpRequest, token: str, shown: ItemView, enrolment: Enrolment, *, message: str = ""
) -> HttpResponse:
    batch, wait = shown.item.assignment.seat.hit.batch, 0.0
    minimum = batch.terms.minimum_seconds
    if shown.is_ready:
        opened = item_open(item=shown.item)
        wait = seconds_to_wait(opened, minimum_seconds=minimum, at=timezone.now())
    context = {
        "token": token,
        "study": enrolment.study,
        "shown": shown,
        "clip_token": links.item_token(shown.item),
        "next_token": links.item_token(shown.following) if shown.following else "",
        "wait": wait,
        "minimum": minimum,
        "pay": batch.pay_per_hit,
        "earned": enrolment_earned(enrolment),
        "message": message,
    }
    return render(request, "rater/rate.html", context, status=REFUSED if message else 200)


def _refuse_incomplete(shown: ItemView) -> None:
    if not shown.is_ready:
        raise BadAnswer("This clip is still being made, so it cannot be rated yet.")
    if not all(question.is_answered for question in shown.questions):
        raise BadAnswer("One more answer, please: every question needs one.")


# --- Handing in -------------------------------------------------------------------------------------------------------


@rater_page
@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest, token: str) -> HttpResponse:
    enrolment, assignment = rater_seat(token)
    if enrolment is None or assignment is None:
        # A second click on Submit finds the assignment handed in: the receipt is the right answer.
        if enrolment_receipt(enrolment) is None:
            return redirect("rater_landing", token)
        return redirect(f"{reverse('rater_done', args=[token])}{'?again' if request.method == 'POST' else ''}")
    comment = request.POST.get("comment", "").replace("\0", "").strip()[:2000]
    message = ""
    if request.method == "POST":
        try:
            assignment_submit(assignment=assignment, enrolment=enrolment, comment=comment)
            return redirect("rater_done", token)
        except AnnotationError as error:
            message = str(error)
    elif open_position(assignment) is not None:
        return redirect("rater_rate", token)
    context = {"token": token, "answers": assignment_answers(assignment), "comment": comment, "message": message}
    return render(request, "rater/review.html", context, status=REFUSED if message else 200)


@rater_page
@require_safe
def done(request: HttpRequest, token: str) -> HttpResponse:
    study, rater = links.read_personal_token(token)
    receipt = enrolment_receipt(rater_enrolment(study, rater))
    if receipt is None:
        return redirect("rater_landing", token)
    context = {"token": token, "study": study, "receipt": receipt, "is_again": "again" in request.GET}
    return render(request, "rater/done.html", context)


# --- Reading the request ----------------------------------------------------------------------------------------------


def rater_seat(token: str) -> tuple[Enrolment | None, Assignment | None]:
    study, rater = links.read_personal_token(token)
    enrolment = rater_enrolment(study, rater)
    return enrolment, enrolment_active(enrolment)


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"-?\d{1,4}", text, re.ASCII) else None


def read_playback(coverage: object, replays: object) -> Playback:
    """What the browser says it played. What it cannot have measured counts as unknown, or as never replayed."""
    return Playback(_share(coverage), _count(replays))


def _share(said: object) -> float | None:
    if said is None or said == "":
        return None
    try:
        share = float(str(said))
    except ValueError:
        raise BadAnswer("coverage: expected a number from 0 to 1.") from None
    if not 0 <= share <= 1:
        raise BadAnswer(f"coverage: expected a number from 0 to 1, found {share}.")
    return share


def _count(said: object) -> int:
    return max(_number(str(said)) or 0, 0)


def _wants_json(request: HttpRequest) -> bool:
    return request.headers.get("Accept", "").startswith("application/json")


def _is_only_prefetched(request: HttpRequest) -> bool:
    purpose = request.headers.get("Sec-Purpose", "") + request.headers.get("Purpose", "")
    return "prefetch" in purpose or "prerender" in purpose


def device_class(request: HttpRequest) -> str:
    agent = request.headers.get("User-Agent", "")
    if "iPad" in agent or ("Android" in agent and "Mobile" not in agent):
        return "tablet"
    return "phone" if "Mobi" in agent else "desktop"
