"""`POST studies/<code>/motions/`: a manifest and a zip of motions become samples of the study."""

from typing import Any, Final

from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers, status
from rest_framework.exceptions import APIException, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import Study
from annotation.services.motion_import.arriving import motions_arrived
from annotation.services.motion_import.importing import ImportOvertaken, StudyClosed, motions_import
from annotation.services.motion_import.refusing import UploadRefused
from config.api.imports import Conflict, ProblemOutputSerializer, flag
from config.api.resources import actor_of

_LISTED: Final = 100


class Closed(APIException):
    status_code = status.HTTP_409_CONFLICT
    default_code = "closed"


class MotionImportOutputSerializer(serializers.Serializer[Any]):
    created = serializers.IntegerField(help_text="new samples; in a dry run, those that would be")
    placed = serializers.IntegerField(help_text="samples that there were already, and that the study gets as well")
    unchanged = serializers.IntegerField(help_text="samples that are in the study already")
    prompts = serializers.IntegerField(help_text="new prompts")
    generators = serializers.IntegerField(help_text="new generators")
    motions = serializers.IntegerField(help_text="motions that no file held before")
    new_prompts = serializers.ListField(child=serializers.CharField(), help_text="the texts of up to 100 of them")
    new_generators = serializers.ListField(child=serializers.CharField(), help_text="the names of up to 100 of them")
    clips_waiting = serializers.IntegerField(
        allow_null=True, help_text="clips of the study that are not drawn yet; null where none were planned"
    )
    notes = serializers.ListField(child=serializers.CharField(), help_text="what is no error, but good to know")
    # DRF takes a declared field off the class, so it hides no property.
    errors = serializers.IntegerField(  # type: ignore[assignment]
        help_text="how many errors are listed; with any, nothing was kept"
    )
    dry_run = serializers.BooleanField()
    stopped_at = serializers.IntegerField(
        allow_null=True, help_text="the line where reading was given up: after 100 errors, or one that hides the rest"
    )
    details = ProblemOutputSerializer(many=True)


_BINARY: Final = {"type": "string", "format": "binary"}
_FORM: Final = {
    "type": "object",
    "properties": {"manifest": _BINARY, "files": _BINARY},
    "required": ["files"],
}

schema_of_motion_import = extend_schema(
    summary="Import motions as samples of a study",
    description=(
        "`files` is a zip of motion files (.npy joints or HumanML3D features, .npz, .bvh), `manifest` a CSV with a "
        "header or JSON lines with one line a file: `file` (its path in the zip), `prompt` (the code of a prompt that "
        "is known, or a text), `generator`; if wanted `fps`, `up` and `units`. Without `manifest` the zip holds a "
        "manifest.csv or manifest.jsonl itself. All or nothing: with one error nothing is kept. Up to 100 errors are "
        "listed, each with its line, column, what was expected and what was found. Sending the same again changes "
        "nothing."
    ),
    parameters=[
        OpenApiParameter("dry_run", bool, description="Check everything, keep nothing."),
        OpenApiParameter("clips", bool, default=True, description="Have the clips drawn that are missing."),
    ],
    request={"multipart/form-data": _FORM},
    responses={
        200: MotionImportOutputSerializer,
        400: OpenApiResponse(MotionImportOutputSerializer, description="Nothing was kept; `details` says why."),
        409: OpenApiResponse(description="The study is closed, or somebody else wrote the same rows in this moment."),
    },
)


def motion_import_answer(request: Request, study: Study) -> Response:
    dry_run, clips = flag(request, "dry_run"), flag(request, "clips", default="1")
    try:
        with motions_arrived(manifest=request.FILES.get("manifest"), files=request.FILES.get("files")) as (
            manifest,
            files,
        ):
            result = motions_import(
                study=study,
                manifest=manifest,
                files=files,
                actor=actor_of(request),
                dry_run=dry_run,
                plan_clips=clips,
            )
    except UploadRefused as error:
        raise ValidationError({error.field: [str(error)]}) from None
    except StudyClosed as error:
        raise Closed(str(error)) from None
    except ImportOvertaken as error:
        raise Conflict(str(error)) from None
    output = {
        **vars(result.counts),
        "new_prompts": result.new_prompts[:_LISTED],
        "new_generators": result.new_generators[:_LISTED],
        "clips_waiting": result.clips_waiting,
        "notes": result.notes,
        "errors": len(result.problems),
        "dry_run": dry_run,
        "stopped_at": result.stopped_at,
        "details": result.problems,
    }
    code = status.HTTP_400_BAD_REQUEST if result.problems else status.HTTP_200_OK
    return Response(MotionImportOutputSerializer(output).data, status=code)
