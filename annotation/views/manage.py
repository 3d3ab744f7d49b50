"""The manager's pages: what needs me, and how far are we."""

import secrets

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_POST, require_safe

from annotation.links import open_path, personal_path
from annotation.models import Platform, Sample, Study
from annotation.selectors.clips import motion_clips
from annotation.selectors.needs import studies_by_need, study_needs
from annotation.selectors.raters import study_raters
from annotation.selectors.samples import SampleQuery, study_samples
from annotation.selectors.stages import study_stages
from annotation.services.raters import rater_identify
from annotation.views.staff import study_named
from config.roles import MANAGER
from config.views import role_required, staff_page
from rendering.body import load_body


@require_safe
@role_required(MANAGER)
def manage_home(request: HttpRequest) -> HttpResponse:
    return staff_page(request, "manage/home.html", {"studies": studies_by_need()})


@require_safe
@role_required(MANAGER)
def manage_study(request: HttpRequest, code: str) -> HttpResponse:
    return _study_page(request, study_named(code))


@require_POST
@role_required(MANAGER)
def manage_link(request: HttpRequest, code: str) -> HttpResponse:
    """A new personal link. Its rater is known by nothing but this link."""
    study = study_named(code)
    rater = rater_identify(platform=Platform.LINK, platform_id=secrets.token_hex(8))
    return _study_page(request, study, personal_link=request.build_absolute_uri(personal_path(study, rater)))


def _study_page(request: HttpRequest, study: Study, *, personal_link: str = "") -> HttpResponse:
    context = {
        "study": study,
        "stages": study_stages(study),
        "needs": study_needs(study),
        "raters": study_raters(study),
        "samples": study_samples(study, SampleQuery()),
        "open_link": request.build_absolute_uri(open_path(study)),
        "personal_link": personal_link,
    }
    return staff_page(request, "manage/study.html", context)


@require_safe
@role_required(MANAGER)
def manage_stages(request: HttpRequest, code: str) -> HttpResponse:
    """The line of stages alone, for the page that asks again every few seconds."""
    study = study_named(code)
    return staff_page(request, "manage/_stages.html", {"study": study, "stages": study_stages(study)})


@require_safe
@role_required(MANAGER)
def manage_samples(request: HttpRequest, code: str) -> HttpResponse:
    study = study_named(code)
    table = study_samples(study, SampleQuery.read(request.GET.dict()))
    template = "manage/_samples.html" if request.headers.get("HX-Request") else "manage/samples.html"
    return staff_page(request, template, {"study": study, "samples": table})


@require_safe
@role_required(MANAGER)
def manage_sample(request: HttpRequest, code: str, pk: int) -> HttpResponse:
    study = study_named(code)
    samples = Sample.objects.filter(places__study=study).select_related("prompt", "generator", "motion").distinct()
    sample = get_object_or_404(samples, pk=pk)
    clips = motion_clips(sample.motion_id)[:4]
    context = {"study": study, "sample": sample, "clips": clips, "body_version": load_body().version}
    return staff_page(request, "manage/sample.html", context)


@require_safe
@role_required(MANAGER)
def manage_raters(request: HttpRequest, code: str) -> HttpResponse:
    study = study_named(code)
    table = study_raters(study, page=request.GET.get("page", "1"))
    template = "manage/_raters.html" if request.headers.get("HX-Request") else "manage/raters.html"
    return staff_page(request, template, {"study": study, "raters": table})
