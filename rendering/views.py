"""Clips and figures for managers and researchers, by their row. Raters get clips by a signed token: see
annotation.views.clips."""

from functools import cache

from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from config.roles import MANAGER, RESEARCHER
from config.views import role_required
from rendering.body import load_body
from rendering.figure3d import FORMAT, MAX_WINDOW, encode_body, encode_window
from rendering.models import Clip, ClipState, Motion
from rendering.motion import read_npy
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
def staff_strip(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Every third frame side by side."""
    return _still(request, pk, "strip", "image/jpeg")


@require_safe
@role_required(MANAGER, RESEARCHER)
def staff_preview(request: HttpRequest, pk: int) -> HttpResponseBase:
    """A small picture that moves."""
    return _still(request, pk, "preview", "image/webp")


def _still(request: HttpRequest, pk: int, what: str, content_type: str) -> HttpResponseBase:
    clip = get_object_or_404(Clip, pk=pk, state=ClipState.READY)
    name = clip.details.get(what)
    if not name:
        raise Http404(f"This clip was drawn without a {what}.")
    return serve_file(request, name, content_type=content_type)


@require_safe
@role_required(MANAGER, RESEARCHER)
def staff_player(request: HttpRequest, pk: int) -> HttpResponse:
    """The video element alone, for a table that puts it where its poster was."""
    return render(request, "_player.html", {"clip": get_object_or_404(Clip, pk=pk, state=ClipState.READY)})


@require_safe
@role_required(MANAGER, RESEARCHER)
def body_mesh(request: HttpRequest, version: str) -> HttpResponse:
    """The body that figures are made of. Its address names its version, so a browser may keep it for good."""
    if version != load_body().version:
        raise Http404("There is no body of this version any more.")
    response = HttpResponse(_encoded_body(), content_type="application/octet-stream")
    response["Cache-Control"] = "private, max-age=31536000, immutable"
    return response


@cache
def _encoded_body() -> bytes:
    return encode_body(load_body())


@require_safe
@role_required(MANAGER, RESEARCHER)
def motion_bones(request: HttpRequest, pk: int) -> HttpResponse:
    """A window of a motion: where every bone is, `?from=0&frames=600`."""
    motion = get_object_or_404(Motion, pk=pk)
    try:
        start, frames = int(request.GET.get("from", "0")), int(request.GET.get("frames", str(MAX_WINDOW)))
    except ValueError:
        return HttpResponseBadRequest("from, frames: expected whole numbers", content_type="text/plain")
    etag = f'"{motion.content_hash[:32]}-{load_body().version}-{FORMAT}-{start}-{frames}"'
    if etag in request.headers.get("If-None-Match", ""):
        response = HttpResponse(status=304)
    else:
        try:
            with default_storage.open(str(motion.file), "rb") as file:
                trajectory = read_npy(file.read(), fps=motion.fps, name=str(motion.file))
        except FileNotFoundError:
            raise Http404("This motion is not stored here any more.") from None
        try:
            content = encode_window(load_body(), trajectory, start=start, frames=frames)
        except ValueError as error:
            return HttpResponseBadRequest(str(error), content_type="text/plain")
        response = HttpResponse(content, content_type="application/octet-stream")
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return response
