"""Tables of an analysis that few readers open, each a page of its own: the result's page asks for them on demand."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from config.roles import RESEARCHER
from config.views import role_required, staff_page
from metaeval.models import Report
from metaeval.selectors.listings import listing_table
from metaeval.selectors.report_tables import statistics_matrix
from metaeval.selectors.reports import select


@require_safe
@role_required(RESEARCHER)
def research_statistics(request: HttpRequest, pk: int) -> HttpResponse:
    """Every statistic of one criterion at one level."""
    report = _report(pk)
    asked = {name: request.GET.get(name, "") for name in ("criterion", "level", "statistic")}
    selector = select(report, **asked)
    if selector is None:
        raise Http404("This analysis has correlated nothing.")
    matrix = statistics_matrix(report, selector.family)
    context = {"analysis": report.analysis, "family": selector.family, "matrix": matrix}
    return staff_page(request, "research/statistics.html", context)


@require_safe
@role_required(RESEARCHER)
def research_listing(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    report = _report(pk)
    listing = listing_table(report, name, page=request.GET.get("page", "1"))
    if listing is None:
        raise Http404("This analysis has no such table.")
    return staff_page(request, "research/listing.html", {"analysis": report.analysis, "listing": listing})


def _report(pk: int) -> Report:
    return get_object_or_404(Report.objects.select_related("analysis__label_set__study"), analysis=pk)
