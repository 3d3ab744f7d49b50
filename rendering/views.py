"""Clips for managers and researchers, by their row. Raters get theirs by a signed token: see annotation.views.clips."""

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from config.roles import MANAGER, RESEARCHER
from config.views import role_required
from rendering.models import Clip, ClipState
from rendering.serving import serve_file


@require_safe
@role_required(MANAGER, RESEARCHER)
def staff_clip(request: HttpRequest, pk: int) -> HttpResponseBase:
    clip = get_object_or_404(Clip, pk=pk, state=ClipState.READY)
    return serve_file(request, clip.file.name, content_type="video/mp4")


@require_safe
@role_required(MANAGER, RESEARCHER)
def staff_poster(request: HttpRequest, pk: int) -> HttpResponseBase:
    clip = get_object_or_404(Clip, pk=pk, state=ClipState.READY)
    return serve_file(request, clip.poster.name, content_type="image/jpeg")


@require_safe
@role_required(MANAGER, RESEARCHER)
def staff_player(request: HttpRequest, pk: int) -> HttpResponse:
    """The video element alone, for a table that puts it where its poster was."""
    return render(request, "_player.html", {"clip": get_object_or_404(Clip, pk=pk, state=ClipState.READY)})
