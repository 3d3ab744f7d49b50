"""Private files over HTTP, with the range requests that video players need (Safari plays nothing without them).

Who may see a file is decided by the caller; how its bytes travel is decided here (RFC 9110, sections 13 and 14).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.crypto import salted_hmac

CHUNK: Final = 64 * 1024
# Private: no shared cache may keep a clip. An hour: a rater who steps back does not load it again.
CACHE_CONTROL: Final = "private, max-age=3600"

_RANGE = re.compile(r"bytes\s*=\s*(\d{0,18})\s*-\s*(\d{0,18})\s*", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True)
class ByteRange:
    """`start` to `end`, both included, as HTTP counts."""

    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start + 1


class RangeNotSatisfiable(ValueError):
    """A range that is well formed and lies outside the file."""


def parse_range(header: str, size: int) -> ByteRange | None:
    """The one range that is asked for; None means the whole file: no range, several, or one that makes no sense."""
    match = _RANGE.fullmatch(header.strip())
    if match is None or match.groups() == ("", ""):
        return None
    first, last = match.groups()
    if not first:
        return _suffix(int(last), size)
    start = int(first)
    if last and int(last) < start:
        return None
    if start >= size:
        raise RangeNotSatisfiable(header)
    return ByteRange(start, min(int(last), size - 1) if last else size - 1)


def _suffix(length: int, size: int) -> ByteRange:
    if length == 0 or size == 0:
        raise RangeNotSatisfiable(f"the last {length} of {size} bytes")
    return ByteRange(max(size - length, 0), size - 1)


def serve_file(request: HttpRequest, name: str | None, *, content_type: str) -> HttpResponseBase:
    """The stored file `name`, whole or in part."""
    if not name:
        raise Http404("There is no such file.")
    if settings.ACCEL_REDIRECT_PREFIX:
        return _hand_to_nginx(name, content_type)
    try:
        size = default_storage.size(name)
    except FileNotFoundError:
        raise Http404("This file is not stored here any more.") from None
    response = _answer(request, name, size)
    response["Content-Type"] = content_type
    response["Accept-Ranges"] = "bytes"
    response["Cache-Control"] = CACHE_CONTROL
    response["ETag"] = file_etag(name, size)
    return response


def file_etag(name: str, size: int) -> str:
    """Keyed, because a file's name is its hash and a rater must not learn it."""
    return f'"{salted_hmac("rendering.serving", f"{name}/{size}").hexdigest()[:20]}"'


def _hand_to_nginx(name: str, content_type: str) -> HttpResponse:
    """nginx reads the file from its internal location, and does the ranges."""
    response = HttpResponse(content_type=content_type)
    response["X-Accel-Redirect"] = f"{settings.ACCEL_REDIRECT_PREFIX.rstrip('/')}/{quote(name)}"
    response["Cache-Control"] = CACHE_CONTROL
    return response


def _answer(request: HttpRequest, name: str, size: int) -> HttpResponseBase:
    etag = file_etag(name, size)
    if etag in request.headers.get("If-None-Match", ""):
        return HttpResponse(status=304)
    if request.method == "HEAD":
        return _empty(200, length=size)
    # A range of a file that has changed since would be glued to the wrong half: send it whole.
    stale = request.headers.get("If-Range", etag) != etag
    try:
        part = None if stale else parse_range(request.headers.get("Range", ""), size)
    except RangeNotSatisfiable:
        response = _empty(416, length=0)
        response["Content-Range"] = f"bytes */{size}"
        return response
    if part is None:
        return _stream(name, ByteRange(0, size - 1), status=200)
    partial = _stream(name, part, status=206)
    partial["Content-Range"] = f"bytes {part.start}-{part.end}/{size}"
    return partial


def _empty(status: int, *, length: int) -> HttpResponse:
    response = HttpResponse(status=status)
    response["Content-Length"] = str(length)
    return response


def _stream(name: str, part: ByteRange, *, status: int) -> StreamingHttpResponse:
    response = StreamingHttpResponse(_chunks(name, part), status=status)
    response["Content-Length"] = str(part.length)
    return response


def _chunks(name: str, part: ByteRange) -> Iterator[bytes]:
    """Opened at the first chunk, so that an answer that is never read leaves no file open."""
    with default_storage.open(name, "rb") as file:
        file.seek(part.start)
        left = part.length
        while left > 0 and (chunk := file.read(min(CHUNK, left))):
            left -= len(chunk)
            yield chunk
