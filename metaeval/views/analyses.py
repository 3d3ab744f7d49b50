"""Analyses: ask for one, follow it, read what it found, compare two."""

import contextlib
from urllib.parse import urlencode

from csp.constants import SELF
from csp.decorators import csp_update
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotation.models import Study
from config.audit.services import actor_for_user
from config.jobs.models import JobState
from config.roles import RESEARCHER
from config.staticfiles import plotly_style_ids
from config.views import role_required, staff_page
from metaeval.errors import MetaevalError
from metaeval.models import Analysis
from metaeval.selectors.archives import archive_of, ratings_are_withdrawn
from metaeval.selectors.comparing import pair_of
from metaeval.selectors.listings import listing_titles
from metaeval.selectors.report_tables import agreement_table, comparison_page, provenance_pairs
from metaeval.selectors.reports import brackets_of, metric_rows, select, tests_of
from metaeval.services.analyses import analysis_cancel, analysis_create, analysis_retry
from metaeval.views.analysis_form import AnalysisForm

COMPARABLE = 200


@require_http_methods(["GET", "HEAD", "POST"])
@role_required(RESEARCHER)
def analysis_new(request: HttpRequest, code: str) -> HttpResponse:
    study = get_object_or_404(Study.objects.select_related("rubric"), code=code)
    initial = {name: request.GET[name] for name in ("preregistration", "label_set") if name in request.GET}
    form = AnalysisForm(request.POST or None, study=study, initial=initial)
    if request.method == "POST" and form.is_valid() and (analysis := _create(form, request)):
        return redirect("research_analysis", analysis.pk)
    context = {"study": study, "form": form}
    return staff_page(request, "research/analysis_new.html", context, status=400 if form.errors else 200)


def _create(form: AnalysisForm, request: HttpRequest) -> Analysis | None:
    """None when the service refused; the form says why."""
    given = form.cleaned_data
    preregistration = given["preregistration"]
    try:
        return analysis_create(
            title=given["title"],
            label_set=given["label_set"],
            metrics=list(given["metrics"]),
            settings=None if preregistration else form.settings(),
            preregistration=preregistration,
            actor=_actor(request),
        )
    except MetaevalError as error:
        form.refuse(error)
        return None


@require_safe
@role_required(RESEARCHER)
@csp_update({"frame-src": [SELF]})  # type: ignore[arg-type]
def research_analysis(request: HttpRequest, pk: int) -> HttpResponse:
    analysis = _analysis(pk)
    is_open = analysis.state in (JobState.WAITING, JobState.RUNNING)
    if request.headers.get("HX-Target") == "progress" and not is_open:
        # The part that followed the work has nothing more to follow: show the whole page.
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = {"analysis": analysis, "is_open": is_open, "metrics": analysis.metrics.count(), "report": None}
    context["took"] = _took(analysis)
    if hasattr(analysis, "report"):
        context |= _results(request, analysis)
    return staff_page(request, "research/analysis.html", context)


def _took(analysis: Analysis) -> str:
    """Of one that ended well; a failed one may have been tried several times."""
    if analysis.state != JobState.DONE or not analysis.started_at or not analysis.finished_at:
        return ""
    seconds = round((analysis.finished_at - analysis.started_at).total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{round(seconds / 60)} min"


def _results(request: HttpRequest, analysis: Analysis) -> dict[str, object]:
    report = analysis.report
    archive = archive_of(analysis)
    selector = select(report, **_asked(request))
    context: dict[str, object] = {
        "report": report,
        "archive": archive,
        "is_withdrawn": ratings_are_withdrawn(analysis),
        "names": set(archive.names) if archive else set(),
        "files": _by_folder(archive.names) if archive else [],
        "selector": selector,
        "agreement": agreement_table(report),
        "listings": listing_titles(report),
        "provenance": provenance_pairs(report),
        "plotly_style_ids": plotly_style_ids(),
    }
    if selector:
        text = request.GET.get("with", "")
        rows = metric_rows(report, selector.family)
        context |= {
            "rows": rows,
            "brackets": brackets_of(rows),
            "tests": tests_of(rows),
            "comparisons": comparison_page(report, selector.family, page=request.GET.get("page", "1"), metric=text),
            "comparisons_query": f"{selector.family.query}&{urlencode({'with': text})}&",
            "with_metric": text,
        }
    return context


def _by_folder(paths: list[str]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Name and path of each file; what lies on top first."""
    folders: dict[str, list[tuple[str, str]]] = {"": []}
    for path in paths:
        folder, _, name = path.rpartition("/")
        folders.setdefault(folder, []).append((name, path))
    return list(folders.items())


@require_POST
@role_required(RESEARCHER)
def research_analysis_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Too late is no fault: the page shows how it ended."""
    with contextlib.suppress(MetaevalError):
        analysis_cancel(analysis=_analysis(pk), actor=_actor(request))
    return redirect("research_analysis", pk)


@require_POST
@role_required(RESEARCHER)
def research_analysis_retry(request: HttpRequest, pk: int) -> HttpResponse:
    with contextlib.suppress(MetaevalError):
        analysis_retry(analysis=_analysis(pk), actor=_actor(request))
    return redirect("research_analysis", pk)


@require_safe
@role_required(RESEARCHER)
def research_compare(request: HttpRequest) -> HttpResponse:
    done = Analysis.objects.filter(report__isnull=False).select_related("label_set__study")
    found = [_wanted(request, name) for name in ("a", "b")]
    context: dict[str, object] = {"analyses": done[:COMPARABLE], "a": found[0], "b": found[1], "pair": None}
    if found[0] and found[1]:
        context["pair"] = pair_of(found[0], found[1], **_asked(request))
        context["hidden"] = [("a", found[0].pk), ("b", found[1].pk)]  # what the selector carries along
    return staff_page(request, "research/compare.html", context)


def _wanted(request: HttpRequest, name: str) -> Analysis | None:
    key = request.GET.get(name, "")
    reports = Analysis.objects.filter(report__isnull=False)
    return get_object_or_404(_with_all(reports), pk=key) if key.isdecimal() and len(key) < 19 else None


def _asked(request: HttpRequest) -> dict[str, str]:
    return {name: request.GET.get(name, "") for name in ("criterion", "level", "statistic")}


def _with_all(analyses: QuerySet[Analysis]) -> QuerySet[Analysis]:
    return analyses.select_related("label_set__study", "preregistration", "report__archive")


def _analysis(pk: int) -> Analysis:
    return get_object_or_404(_with_all(Analysis.objects.all()), pk=pk)


def _actor(request: HttpRequest) -> str:
    return actor_for_user(request.user)  # type: ignore[arg-type]
