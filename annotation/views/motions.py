"""The manager's page that imports motions: check first, then import the same."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from annotation.errors import AnnotationError
from annotation.models import Study, StudyState
from annotation.services.motion_import.arriving import motions_arrived
from annotation.services.motion_import.importing import MotionImport, motions_import
from annotation.views.staff import page_actor, study_named
from config.roles import MANAGER
from config.views import role_required, staff_page
from rendering.motion.reading import SUFFIXES
from rendering.motion.stature import UNITS
from rendering.motion.upright import TURNS


@dataclass(frozen=True)
class Outcome:
    """What the page says of a check or an import; `refusal` when it was not even begun."""

    is_check: bool
    result: MotionImport | None = None
    refusal: str = ""

    @property
    def is_good(self) -> bool:
        return self.result is not None and not self.result.problems

    @property
    def may_import(self) -> bool:
        return self.is_check and self.is_good and self.result is not None and self.result.counts.samples > 0


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(MANAGER)
def manage_motions(request: HttpRequest, code: str) -> HttpResponse:
    study = study_named(code)
    outcome = _outcome(request, study) if request.method == "POST" else None
    context = {
        "study": study,
        "is_closed": study.state == StudyState.CLOSED,
        "outcome": outcome,
        "keeps_files": bool(request.headers.get("HX-Request")),
        "plans_clips": outcome is None or "clips" in request.POST,
        "suffixes": SUFFIXES,
        "axes": TURNS,
        "units": UNITS,
    }
    # htmx shows no answer that says 4xx, and the page tells the person by its words.
    good = outcome is None or outcome.is_good or context["keeps_files"]
    return staff_page(request, "manage/motions.html", context, status=200 if good else 400)


def _outcome(request: HttpRequest, study: Study) -> Outcome:
    is_check = request.POST.get("do") != "import"
    try:
        with motions_arrived(manifest=request.FILES.get("manifest"), files=request.FILES.get("files")) as (
            manifest,
            files,
        ):
            result = motions_import(
                study=study,
                manifest=manifest,
                files=files,
                actor=page_actor(request),
                dry_run=is_check,
                plan_clips="clips" in request.POST,
            )
    except AnnotationError as error:
        return Outcome(is_check, refusal=str(error))
    return Outcome(is_check, result)
