"""What the rater's page sends behind its back: each answer as it is given, and the clip that will not play."""

import contextlib
import json
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation import links
from annotation.errors import AnnotationError, AnsweredSince, BadAnswer, NotYours, TooSoon
from annotation.models import Assignment, Item
from annotation.services.ratings import answer_save, item_report_unplayable
from annotation.services.watching import Playback
from annotation.views.rater import REFUSED, device_class, rater_page, rater_seat, read_playback

CLOSED = "This set is closed: its answers can no longer be changed. What had arrived is stored."
# More changes of one answer than this are no person's.
MOST_REVISIONS = 9999


@dataclass(frozen=True)
class Submission:
    item: str
    criterion: str
    value: int
    revision: int
    playback: Playback


@rater_page
@require_POST
def save(request: HttpRequest, token: str) -> HttpResponse:
    enrolment, assignment = rater_seat(token)
    try:
        sent = _read(request.body)
        item = _item_of(assignment, sent.item)
        if enrolment is None or item is None:
            return JsonResponse({"message": CLOSED}, status=410)
        receipt = answer_save(
            item=item,
            enrolment=enrolment,
            criterion=sent.criterion,
            value=sent.value,
            revision=sent.revision,
            playback=sent.playback,
            device=device_class(request),
        )
    except AnnotationError as error:
        return _refusal(error)
    return JsonResponse({"revision": receipt.revision, "value": receipt.value, "already": not receipt.is_new})


@rater_page
@require_POST
def unplayable(request: HttpRequest, token: str) -> HttpResponse:
    """“This video won't play”: a second press, or one that comes too late, changes nothing."""
    enrolment, assignment = rater_seat(token)
    item = _item_of(assignment, request.POST.get("item", ""))
    if enrolment is not None and item is not None:
        with contextlib.suppress(AnnotationError):  # the next page says how things stand
            item_report_unplayable(item=item, enrolment=enrolment)
    return redirect("rater_rate", token)


def _refusal(error: AnnotationError) -> JsonResponse:
    said: dict[str, Any] = {"message": str(error)}
    if isinstance(error, AnsweredSince):
        return JsonResponse(said | {"revision": error.revision, "value": error.value}, status=409)
    if isinstance(error, NotYours):
        return JsonResponse(said, status=410)
    if isinstance(error, TooSoon):
        said["wait"] = error.wait
    return JsonResponse(said, status=REFUSED)


def _item_of(assignment: Assignment | None, token: str) -> Item | None:
    """The item that a token names, if it is one of this assignment's: a queue may hold answers of an earlier set."""
    if assignment is None:
        return None
    try:
        return assignment.items.filter(pk=links.read_item_token(token)).first()
    except links.BadLink:
        return None


def _read(body: bytes) -> Submission:
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):
        raise BadAnswer("Expected JSON.") from None
    if not isinstance(sent, dict):
        raise BadAnswer("Expected a JSON object.")
    revision = _whole(sent, "revision")
    if not 1 <= revision <= MOST_REVISIONS:
        raise BadAnswer(f"revision: expected 1 to {MOST_REVISIONS}, found {revision}.")
    return Submission(
        item=_text(sent, "item"),
        criterion=_text(sent, "criterion"),
        value=_whole(sent, "value"),
        revision=revision,
        playback=read_playback(sent.get("coverage"), sent.get("replays")),
    )


def _text(sent: dict[str, Any], name: str) -> str:
    if not isinstance(sent.get(name), str):
        raise BadAnswer(f"{name}: expected text.")
    return str(sent[name])


def _whole(sent: dict[str, Any], name: str) -> int:
    value = sent.get(name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadAnswer(f"{name}: expected a whole number.")
    return value
