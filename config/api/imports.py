"""`POST …/import/`: a whole table as a request body, or as the file of a form."""

from collections.abc import Callable, Mapping
from contextlib import closing
from io import BytesIO
from pathlib import PurePath
from typing import IO, Any

from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError
from django.utils.http import parse_header_parameters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.decorators import action
from rest_framework.exceptions import APIException, UnsupportedMediaType, ValidationError
from rest_framework.parsers import BaseParser, MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from config.api.resources import actor_of, only
from config.bulk.importing import KIND_BY_ENDING, ImportResult, Readable, TooLarge, Upload, spool

LARGEST_BYTES = 2**30
_TRUE, _FALSE = ("1", "true"), ("0", "false")


class FileTooLarge(APIException):
    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_detail = f"Expected at most {LARGEST_BYTES:,} bytes. Send the table in parts."
    default_code = "too_large"


class LengthRequired(APIException):
    status_code = status.HTTP_411_LENGTH_REQUIRED
    default_detail = "Expected a Content-Length header; a body in chunks of unknown length is not read."
    default_code = "length_required"


class Conflict(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_detail = "Somebody else wrote some of the same rows in this moment. Nothing was kept; send it again."
    default_code = "conflict"


class _StreamParser(BaseParser):
    kind: str

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        _refuse_other_charset(media_type or "")
        return _spooled(stream, self.kind)


class CsvParser(_StreamParser):
    media_type = "text/csv"
    kind = "csv"


class JsonlParser(_StreamParser):
    media_type = "application/x-ndjson"
    kind = "jsonl"


class ProblemOutputSerializer(serializers.Serializer[Any]):
    line = serializers.IntegerField(help_text="in the file, from 1")
    field = serializers.CharField(help_text="the column; empty when the whole line is meant")
    expected = serializers.CharField()
    found = serializers.CharField()


class ImportOutputSerializer(serializers.Serializer[Any]):
    created = serializers.IntegerField(help_text="new rows; in a dry run, those that would be")
    unchanged = serializers.IntegerField(help_text="rows that were there already, just the same")
    # DRF takes a declared field off the class, so it hides no property.
    errors = serializers.IntegerField(  # type: ignore[assignment]
        help_text="how many errors are listed; with any, nothing was kept"
    )
    dry_run = serializers.BooleanField()
    stopped_at = serializers.IntegerField(
        allow_null=True, help_text="the line where reading was given up: after 100 errors, or one that hides the rest"
    )
    details = ProblemOutputSerializer(many=True)


import_action = action(
    detail=False,
    methods=["post"],
    url_path="import",
    url_name="import",
    parser_classes=[CsvParser, JsonlParser, MultiPartParser],
    pagination_class=None,
    own_parameters=frozenset({"dry_run"}),
    filterset_class=None,
)

_FORM = {"type": "object", "properties": {"file": {"type": "string", "format": "binary"}}, "required": ["file"]}


def schema_of_import(summary: str, about: str) -> Any:
    return extend_schema(
        summary=summary,
        description=(
            f"{about} All or nothing: with one error no row is kept. Up to 100 errors are listed, each with its line, "
            "its column, what was expected and what was found. Sending the same file again changes nothing. "
            "UTF-8, with or without a byte order mark; CSV starts with a header line, JSON lines have one object a "
            "line. An apostrophe in front of `=`, `+`, `-` or `@` in a CSV text is taken off: exports put it there."
        ),
        parameters=[OpenApiParameter("dry_run", bool, description="Check everything, keep nothing.")],
        request={
            "text/csv": OpenApiTypes.STR,
            "application/x-ndjson": OpenApiTypes.STR,
            "multipart/form-data": _FORM,
        },
        responses={
            200: ImportOutputSerializer,
            400: OpenApiResponse(ImportOutputSerializer, description="Nothing was kept; `details` says why."),
        },
    )


def import_answer(request: Request, service: Callable[..., ImportResult]) -> Response:
    """Parse the request, call the service, answer with its counts."""
    dry_run = flag(request, "dry_run")
    upload = _upload(request)
    with closing(upload.file):
        try:
            result = service(upload=upload, actor=actor_of(request), dry_run=dry_run)
        except IntegrityError as error:
            raise Conflict from error
    output = {
        "created": result.counts.created,
        "unchanged": result.counts.unchanged,
        "errors": len(result.problems),
        "dry_run": dry_run,
        "stopped_at": result.stopped_at,
        "details": result.problems,
    }
    code = status.HTTP_400_BAD_REQUEST if result.problems else status.HTTP_200_OK
    return Response(ImportOutputSerializer(output).data, status=code)


def flag(request: Request, name: str, *, default: str = "0") -> bool:
    word = request.query_params.get(name, default).lower()
    only(name, [word], [*_TRUE, *_FALSE])
    return word in _TRUE


def _upload(request: Request) -> Upload:
    if "chunked" in request.headers.get("Transfer-Encoding", "").lower() and not request.headers.get("Content-Length"):
        raise LengthRequired
    if isinstance(request.data, Upload):
        return request.data
    if not request.content_type.startswith(MultiPartParser.media_type):
        return _empty(request)
    file = request.FILES.get("file")
    if file is None:
        raise ValidationError({"file": ["Expected a file in the form's field `file`; found none."]})
    return _spooled(file, _kind_of(file))


def _empty(request: Request) -> Upload:
    """Without a body no parser is asked; the answer about an empty file is the reader's."""
    for parser in (CsvParser, JsonlParser):
        if request.content_type.startswith(parser.media_type):
            return spool(BytesIO(), kind=parser.kind, limit=LARGEST_BYTES)
    raise UnsupportedMediaType(request.content_type)


def _spooled(stream: Readable, kind: str) -> Upload:
    try:
        return spool(stream, kind=kind, limit=LARGEST_BYTES)
    except TooLarge:
        raise FileTooLarge from None


def _kind_of(file: UploadedFile) -> str:
    ending = PurePath(file.name or "").suffix.lower()
    if ending not in KIND_BY_ENDING:
        raise ValidationError(
            {"file": [f"Expected a name that ends in {', '.join(KIND_BY_ENDING)}; found {file.name!r}."]}
        )
    return KIND_BY_ENDING[ending]


def _refuse_other_charset(media_type: str) -> None:
    charset = str(parse_header_parameters(media_type)[1].get("charset", "utf-8"))
    if charset.lower().replace("_", "-") not in ("utf-8", "utf8", "us-ascii"):
        raise UnsupportedMediaType(media_type, detail=f"Expected charset utf-8; found {charset!r}.")
