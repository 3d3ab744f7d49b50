"""The researcher's pages: what can I conclude, and how sure am I."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotation.models import Sample, Study
from annotation.selectors.stages import study_stages
from config.roles import RESEARCHER
from config.views import role_required, staff_page
from metaeval.selectors.generators import generator_means
from metaeval.selectors.labels import label_table
from metaeval.selectors.metrics import study_metrics
from metaeval.selectors.samples import sample_detail
from metaeval.selectors.studies import latest_analyses, studies_with_labels, study_analyses, study_conclusions
from rendering.body import load_body


@require_safe
@role_required(RESEARCHER)
def research_home(request: HttpRequest) -> HttpResponse:
    context = {"studies": studies_with_labels(), "analyses": latest_analyses()}
    return staff_page(request, "research/home.html", context)


@require_safe
@role_required(RESEARCHER)
def research_study(request: HttpRequest, code: str) -> HttpResponse:
    study = _study(code)
    conclusions = study_conclusions(study)
    context = {
        "study": study,
        "stages": study_stages(study),
        "conclusions": conclusions,
        "means": generator_means(conclusions.label_set) if conclusions else None,
        "labels": label_table(conclusions.label_set, page=request.GET.get("page", "1")) if conclusions else None,
        "metrics": study_metrics(study),
        "analyses": study_analyses(study),
        "preregistrations": study.preregistrations.count(),
    }
    return staff_page(request, "research/study.html", context)


@require_safe
@role_required(RESEARCHER)
def research_sample(request: HttpRequest, pk: int) -> HttpResponse:
    sample = get_object_or_404(Sample.objects.select_related("prompt", "generator", "motion"), pk=pk)
    context = {"detail": sample_detail(sample), "body_version": load_body().version}
    return staff_page(request, "research/sample.html", context)


def _study(code: str) -> Study:
    return get_object_or_404(Study.objects.select_related("rubric"), code=code)
