"""Clips for raters, by a signed token that says nothing of what it shows."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.http import require_safe

from annotation.links import BadLink, read_clip_token
from rendering.serving import serve_file


@require_safe
def clip(request: HttpRequest, token: str) -> HttpResponseBase:
    try:
        found = read_clip_token(token)
    except BadLink:
        return render(request, "rater/unknown_link.html", status=404)
    return serve_file(request, found.file.name, content_type="video/mp4")


@require_safe
def poster(request: HttpRequest, token: str) -> HttpResponseBase:
    try:
        found = read_clip_token(token)
    except BadLink:
        return render(request, "rater/unknown_link.html", status=404)
    return serve_file(request, found.poster.name, content_type="image/jpeg")
