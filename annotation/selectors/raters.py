"""Raters of a study as quality control sees them."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from statistics import median
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Max, Min, OuterRef, Q, Subquery, Sum, Value
from django.db.models.functions import Coalesce

from annotation.models import AssignmentState, Decision, Enrolment, Platform, PlatformIdentity, Rating, Study

PAGE_SIZE = 25


@dataclass(frozen=True)
class RaterRow:
    pseudonym: str
    demo_name: str
    assignments: int
    gold_failed: int
    gold_shown: int
    used: int
    left_out: int
    seconds_per_item: float | None
    standing: str

    @property
    def verdict(self) -> str:
        if not self.used + self.left_out:
            return "not yet"
        if not self.left_out:
            return "yes"
        return "no" if not self.used else f"{self.used} yes, {self.left_out} no"


@dataclass(frozen=True)
class RaterTable:
    rows: tuple[RaterRow, ...]
    page: Page[Any]

    @property
    def has_demo_names(self) -> bool:
        return any(row.demo_name for row in self.rows)


def study_raters(study: Study, *, page: int | str = 1) -> RaterTable:
    """A page of the study's raters, those who failed most gold first."""
    submitted = Q(assignments__state=AssignmentState.SUBMITTED)
    # A simulated rater's name is part of the demo; a real platform's id never leaves its table.
    demo = PlatformIdentity.objects.filter(rater=OuterRef("rater"), platform=Platform.DEMO)
    enrolments = study.enrolments.annotate(
        taken=Count("assignments"),
        failed=Coalesce(Sum("assignments__gold_failed"), 0),
        shown=Coalesce(Sum("assignments__gold_shown"), 0),
        used=Count("assignments", filter=submitted & Q(assignments__use_data=Decision.YES)),
        left_out=Count("assignments", filter=submitted & Q(assignments__use_data=Decision.NO)),
        demo_name=Coalesce(Subquery(demo.values("platform_id")[:1]), Value("")),
    ).order_by("-left_out", "-failed", "pseudonym")
    found: Page[Any] = Paginator(enrolments, PAGE_SIZE).get_page(page)
    seconds = _seconds_per_item([enrolment.pk for enrolment in found])
    rows = tuple(
        RaterRow(
            pseudonym=enrolment.pseudonym,
            demo_name=enrolment.demo_name,
            assignments=enrolment.taken,
            gold_failed=enrolment.failed,
            gold_shown=enrolment.shown,
            used=enrolment.used,
            left_out=enrolment.left_out,
            seconds_per_item=seconds.get(enrolment.pk),
            standing=_standing(enrolment),
        )
        for enrolment in found
    )
    return RaterTable(rows, found)


def _standing(enrolment: Enrolment) -> str:
    if enrolment.withdrawn_at:
        return "withdrawn"
    return "blocked" if enrolment.blocked_at else ""


def _seconds_per_item(enrolments: Collection[int]) -> dict[int, float]:
    """Median time from showing an item to its last answer, by enrolment."""
    times = (
        Rating.objects.filter(item__enrolment__in=enrolments)
        .values("item__enrolment", "item")
        .annotate(start=Min("shown_at"), end=Max("answered_at"))
        .values_list("item__enrolment", "start", "end")
    )
    seconds: dict[int, list[float]] = defaultdict(list)
    for enrolment, start, end in times:
        seconds[enrolment].append((end - start).total_seconds())
    return {enrolment: median(values) for enrolment, values in seconds.items()}
