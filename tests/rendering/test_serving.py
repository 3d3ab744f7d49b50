"""Files over HTTP: what a video player asks for, and what it must get (RFC 9110, section 14)."""

from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import Http404
from django.http.response import HttpResponseBase, StreamingHttpResponse
from django.test import RequestFactory
from django.test.utils import override_settings
from hypothesis import given
from hypothesis import strategies as st

from rendering.serving import ByteRange, RangeNotSatisfiable, parse_range, serve_file

CONTENT = bytes(range(256)) * 1000
SIZES = st.integers(0, 10**12)


@given(size=SIZES, first=SIZES, length=SIZES)
def test_a_closed_range_stays_inside_the_file(size: int, first: int, length: int) -> None:
    header = f"bytes={first}-{first + length}"
    if first >= size:
        with pytest.raises(RangeNotSatisfiable):
            parse_range(header, size)
    else:
        assert parse_range(header, size) == ByteRange(first, min(first + length, size - 1))


@given(size=st.integers(1, 10**12), first=SIZES)
def test_an_open_range_goes_to_the_end(size: int, first: int) -> None:
    first %= size
    assert parse_range(f"bytes={first}-", size) == ByteRange(first, size - 1)


@given(size=st.integers(1, 10**12), length=st.integers(1, 10**12))
def test_a_suffix_range_is_the_end_of_the_file(size: int, length: int) -> None:
    found = parse_range(f"bytes=-{length}", size)
    assert found is not None
    assert found.end == size - 1
    assert found.length == min(length, size)


@given(header=st.text(max_size=40), size=SIZES)
def test_whatever_the_header_says_the_answer_is_a_range_of_the_file_or_the_file(header: str, size: int) -> None:
    try:
        found = parse_range(header, size)
    except RangeNotSatisfiable:
        return
    assert found is None or 0 <= found.start <= found.end < size


@pytest.mark.parametrize("header", ["", "bytes=", "bytes=-", "bytes=5-2", "bytes=0-1,4-5", "items=0-5", "bytes=a-b"])
def test_a_header_that_makes_no_sense_gets_the_whole_file(header: str) -> None:
    assert parse_range(header, 100) is None


@pytest.mark.parametrize("header", ["bytes=-0", "bytes=100-", "bytes=100-200"])
def test_a_range_outside_the_file_is_refused(header: str) -> None:
    with pytest.raises(RangeNotSatisfiable):
        parse_range(header, 100)


@pytest.fixture
def stored(files: Path) -> str:
    return default_storage.save("clips/secret-hash.mp4", ContentFile(CONTENT))


def ask(name: str | None, method: str = "GET", **headers: str) -> HttpResponseBase:
    return serve_file(RequestFactory().generic(method, "/", headers=headers), name, content_type="video/mp4")


def body(response: HttpResponseBase) -> bytes:
    if isinstance(response, StreamingHttpResponse):
        return b"".join(response.streaming_content)  # type: ignore[arg-type]
    return response.content  # type: ignore[attr-defined]


def test_the_whole_file_is_sent_when_no_range_is_asked(stored: str) -> None:
    response = ask(stored)
    assert response.status_code == 200
    assert body(response) == CONTENT
    assert response["Content-Length"] == str(len(CONTENT))
    assert response["Accept-Ranges"] == "bytes"
    assert response["Cache-Control"].startswith("private")
    assert response["Content-Type"] == "video/mp4"


@pytest.mark.parametrize(
    ("header", "start", "end"),
    [
        ("bytes=0-0", 0, 0),
        ("bytes=10-19", 10, 19),
        ("bytes=100000-200000", 100_000, 200_000),
        ("bytes=255990-", 255_990, 255_999),
        ("bytes=-7", 255_993, 255_999),
    ],
)
def test_a_range_gets_exactly_its_bytes(stored: str, header: str, start: int, end: int) -> None:
    response = ask(stored, Range=header)
    assert response.status_code == 206
    assert body(response) == CONTENT[start : end + 1]
    assert response["Content-Length"] == str(end - start + 1)
    assert response["Content-Range"] == f"bytes {start}-{end}/{len(CONTENT)}"


def test_a_range_outside_says_how_long_the_file_is(stored: str) -> None:
    response = ask(stored, Range=f"bytes={len(CONTENT)}-")
    assert response.status_code == 416
    assert response["Content-Range"] == f"bytes */{len(CONTENT)}"
    assert body(response) == b""


def test_head_says_what_get_would_send(stored: str) -> None:
    response = ask(stored, "HEAD")
    assert response.status_code == 200
    assert response["Content-Length"] == str(len(CONTENT))
    assert body(response) == b""


def test_a_known_etag_costs_no_bytes_and_reveals_no_name(stored: str) -> None:
    etag = ask(stored)["ETag"]
    assert "secret" not in etag
    assert ask(stored, **{"If-None-Match": etag}).status_code == 304


def test_a_range_of_a_changed_file_gets_the_whole_file(stored: str) -> None:
    etag = ask(stored)["ETag"]
    assert ask(stored, **{"Range": "bytes=0-9", "If-Range": etag}).status_code == 206
    assert ask(stored, **{"Range": "bytes=0-9", "If-Range": '"another"'}).status_code == 200


@pytest.mark.parametrize("name", ["clips/none.mp4", "", None])
def test_a_missing_file_is_not_found(files: Path, name: str | None) -> None:
    with pytest.raises(Http404):
        ask(name)


def test_nginx_gets_the_file_to_send(stored: str) -> None:
    with override_settings(ACCEL_REDIRECT_PREFIX="/protected/"):
        response = ask(stored, Range="bytes=0-9")
    assert response.status_code == 200
    assert response["X-Accel-Redirect"] == "/protected/clips/secret-hash.mp4"
    assert body(response) == b""
