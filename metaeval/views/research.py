"""The researcher's pages: what can I conclude, and how sure am I."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST, require_safe

from annotation.models import Sample, Study
from annotation.selectors.stages import study_stages
from config.audit.services import actor_for_user
from config.jobs.models import JobState
from config.roles import RESEARCHER
from config.views import role_required, staff_page
from metaeval.models import Analysis
from metaeval.selectors.generators import generator_means
from metaeval.selectors.labels import label_table
from metaeval.selectors.metrics import study_metrics
from metaeval.selectors.reports import agreement_rows, correlation_tables, provenance_pairs
from metaeval.selectors.samples import sample_detail
from metaeval.selectors.studies import studies_with_labels, study_analyses, study_conclusions
from metaeval.services.analyses import analysis_create


@require_safe
@role_required(RESEARCHER)
def research_home(request: HttpRequest) -> HttpResponse:
    latest = Analysis.objects.select_related("label_set__study", "report")[:10]
    return staff_page(request, "research/home.html", {"studies": studies_with_labels(), "analyses": latest})


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
    }
    return staff_page(request, "research/study.html", context)


@require_POST
@role_required(RESEARCHER)
def analysis_new(request: HttpRequest, code: str) -> HttpResponse:
    """Every metric that has scores, against the study's latest frozen labels."""
    study = _study(code)
    conclusions = study_conclusions(study)
    if conclusions is None:
        return redirect("research_study", code)
    analysis = analysis_create(
        title=f"{study.title}: all metrics, label set {conclusions.label_set.number}"[:200],
        label_set=conclusions.label_set,
        metrics=[row.metric for row in study_metrics(study) if row.defined],
        actor=actor_for_user(request.user),  # type: ignore[arg-type]
    )
    return redirect("research_analysis", analysis.pk)


@require_safe
@role_required(RESEARCHER)
def research_analysis(request: HttpRequest, pk: int) -> HttpResponse:
    analysis = get_object_or_404(Analysis.objects.select_related("label_set__study", "report"), pk=pk)
    report = getattr(analysis, "report", None)
    context = {
        "analysis": analysis,
        "is_open": analysis.state in (JobState.WAITING, JobState.RUNNING),
        "report": report,
        "agreement": agreement_rows(report) if report else (),
        "correlations": correlation_tables(report) if report else (),
        "provenance": provenance_pairs(report) if report else (),
        "metrics": analysis.metrics.count(),
    }
    return staff_page(request, "research/analysis.html", context)


@require_safe
@role_required(RESEARCHER)
def research_sample(request: HttpRequest, pk: int) -> HttpResponse:
    sample = get_object_or_404(Sample.objects.select_related("prompt", "generator", "motion"), pk=pk)
    return staff_page(request, "research/sample.html", {"detail": sample_detail(sample)})


def _study(code: str) -> Study:
    return get_object_or_404(Study.objects.select_related("rubric"), code=code)
