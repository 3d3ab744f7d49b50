"""The manager's pages of batches: how far each is, a look at a new one before it is made, and publishing it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.errors import AnnotationError
from annotation.models import Batch, BatchKind, Platform, Study
from annotation.selectors.batch_preview import BatchWish, as_wish, batch_preview, seed_suggested
from annotation.selectors.batches import batch_hits, batch_progress, study_batches
from annotation.services.batches import batch_create, batch_discard, batch_publish
from annotation.views.staff import page_actor, study_named
from config.roles import MANAGER
from config.views import role_required, staff_page

REFUSED = 422
# The others are not chosen by hand.
PLATFORMS = (Platform.LINK, Platform.PROLIFIC, Platform.MTURK)


@require_safe
@role_required(MANAGER)
def manage_batches(request: HttpRequest, code: str) -> HttpResponse:
    study = study_named(code)
    return staff_page(request, "manage/batches.html", {"study": study, "batches": study_batches(study)})


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(MANAGER)
def manage_batch_new(request: HttpRequest, code: str) -> HttpResponseBase:
    """GET looks and writes nothing; POST makes what was looked at."""
    study = study_named(code)
    values = request.POST if request.method == "POST" else request.GET
    wish = as_wish(values.dict(), seed=seed_suggested(study))
    platform = _platform(values.get("platform", ""))
    if request.method != "POST":
        return _preview(request, study, wish, platform)
    try:
        batch = batch_create(
            study=study,
            seed=wish.seed,
            kind=wish.kind,
            hits=wish.hits,
            platform=platform,
            expected=request.POST.get("digest", ""),
            actor=page_actor(request),
        )
    except AnnotationError as error:
        return _preview(request, study, wish, platform, refused=str(error))
    messages.success(request, f"Batch {batch.number} is made. No rater sees it before you publish it.")
    return redirect("manage_batch", study.code, batch.number)


def _preview(
    request: HttpRequest, study: Study, wish: BatchWish, platform: Platform, *, refused: str = ""
) -> HttpResponse:
    context = {
        "study": study,
        "preview": batch_preview(study, wish),
        "wish": wish,
        "kinds": BatchKind.choices,
        "platform": platform,
        "platforms": [(each.value, each.label) for each in PLATFORMS],
        "refused": refused,
    }
    return staff_page(request, "manage/batch_new.html", context, status=REFUSED if refused else 200)


@require_safe
@role_required(MANAGER)
def manage_batch(request: HttpRequest, code: str, number: int) -> HttpResponse:
    return _batch_page(request, _batch(code, number))


@require_POST
@role_required(MANAGER)
def manage_batch_publish(request: HttpRequest, code: str, number: int) -> HttpResponseBase:
    batch = _batch(code, number)
    try:
        batch_publish(batch=batch, actor=page_actor(request))
    except AnnotationError as error:
        return _batch_page(request, batch, refused=str(error))
    messages.success(request, f"Batch {batch.number} is published. Its clips are drawn in the order raters want them.")
    return redirect("manage_batch", code, number)


@require_POST
@role_required(MANAGER)
def manage_batch_discard(request: HttpRequest, code: str, number: int) -> HttpResponseBase:
    batch = _batch(code, number)
    try:
        batch_discard(batch=batch, actor=page_actor(request))
    except AnnotationError as error:
        return _batch_page(request, batch, refused=str(error))
    messages.success(request, f"Draft {number} is discarded. The same seed makes the same HITs again.")
    return redirect("manage_batches", code)


def _batch_page(request: HttpRequest, batch: Batch, *, refused: str = "") -> HttpResponse:
    context = {
        "study": batch.study,
        "progress": batch_progress(batch),
        "hits": batch_hits(batch, page=request.GET.get("page", "1")),
        "refused": refused,
    }
    return staff_page(request, "manage/batch.html", context, status=REFUSED if refused else 200)


def _platform(word: str) -> Platform:
    return next((each for each in PLATFORMS if each.value == word), Platform.LINK)


def _batch(code: str, number: int) -> Batch:
    return get_object_or_404(Batch.objects.select_related("study"), study__code=code, number=number)
