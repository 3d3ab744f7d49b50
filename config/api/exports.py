"""`GET …/export/?as=csv|jsonl`: a whole table as a stream."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from django.http import StreamingHttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from config.api.resources import only
from config.bulk.writing import Table, write_csv, write_jsonl

FORMATS: dict[str, tuple[str, Callable[[Table], Iterator[bytes]]]] = {
    "csv": ("text/csv; charset=utf-8", write_csv),
    "jsonl": ("application/x-ndjson", write_jsonl),
}
AS = OpenApiParameter("as", str, enum=list(FORMATS), default="csv", description="The format of the file.")
ABOUT_CSV = (
    "The whole table, streamed, with the list's filters and without pages. Numbers carry every digit; times are UTC. "
    "In CSV, text that begins with `=`, `+`, `-` or `@` (or a tab, a return, or a full-width form of these) gets an "
    "apostrophe in front, so that no spreadsheet runs it as a formula; the imports take it off again. Numbers, and "
    "names made of letters, digits, `.`, `_` and `-`, stay as they are. JSON lines carry every text unchanged."
)


class AnyAccept(DefaultContentNegotiation):
    """`as` chooses the format, so `Accept: text/csv` must not be refused."""

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


def schema_of_export(summary: str, *, about: str = "", parameters: tuple[OpenApiParameter, ...] = ()) -> Any:
    return extend_schema(
        summary=summary,
        description=f"{about} {ABOUT_CSV}".strip(),
        parameters=[AS, *parameters],
        filters=True,
        responses={(200, "text/csv"): OpenApiTypes.STR, (200, "application/x-ndjson"): OpenApiTypes.STR},
    )


def export_action(*own: str) -> Callable[[Any], Any]:
    """The route of an export; `own` names its parameters beside `as` and the list's filters."""
    return action(
        detail=False,
        url_path="export",
        url_name="export",
        own_parameters=frozenset({"as", *own}),
        pagination_class=None,
        renderer_classes=[JSONRenderer],
        content_negotiation_class=AnyAccept,
    )


def export_response(request: Request, *, table: Table, name: str) -> StreamingHttpResponse:
    extension = request.query_params.get("as", "csv")
    only("as", [extension], list(FORMATS))
    media_type, write = FORMATS[extension]
    chunks = write(table)
    # The first chunk is made here, so that a query that fails is an error and not half a file.
    first = next(chunks, b"")
    return StreamingHttpResponse(
        chain([first], chunks),
        content_type=media_type,
        headers={"Content-Disposition": f'attachment; filename="{name}.{extension}"', "Cache-Control": "no-store"},
    )
