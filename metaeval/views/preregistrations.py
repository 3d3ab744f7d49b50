"""Freezing what will count before the labels are known."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods

from annotation.models import Study
from config.audit.services import actor_for_user
from config.roles import RESEARCHER
from config.views import role_required, staff_page
from metaeval.errors import MetaevalError
from metaeval.services.preregistrations import preregistration_create
from metaeval.views.analysis_form import PreregistrationForm


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(RESEARCHER)
def research_preregistrations(request: HttpRequest, code: str) -> HttpResponse:
    study = get_object_or_404(Study.objects.select_related("rubric"), code=code)
    form = PreregistrationForm(request.POST or None, study=study)
    if request.method == "POST" and form.is_valid() and _create(form, study, request):
        return redirect("research_preregistrations", code)
    context = {
        "study": study,
        "form": form,
        "frozen": study.label_sets.filter(frozen_at__isnull=False).count(),
        "preregistrations": study.preregistrations.prefetch_related("analyses"),
    }
    return staff_page(request, "research/preregistrations.html", context, status=400 if form.errors else 200)


def _create(form: PreregistrationForm, study: Study, request: HttpRequest) -> bool:
    try:
        preregistration_create(
            study=study,
            title=form.cleaned_data["title"],
            settings=form.settings(),
            actor=actor_for_user(request.user),  # type: ignore[arg-type]
        )
    except MetaevalError as error:
        form.refuse(error)
        return False
    return True
