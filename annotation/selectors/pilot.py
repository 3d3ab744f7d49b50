"""What a pilot has shown: how long an item takes, how gold does, whether raters agree."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Final

import numpy as np
from django.db.models import Max, Min, Sum

from annotation.models import Assignment, AssignmentState, BatchKind, BatchState, Criterion, Rating, Scale, Seat, Study
from metaeval.stats.agreement import krippendorff_alpha

# Raters x samples of one criterion: a pilot is small, and one that is not still answers at once.
MOST_RATINGS: Final = 20_000


@dataclass(frozen=True)
class CriterionAlpha:
    """`why` says why there is none."""

    code: str
    alpha: float | None
    samples: int
    why: str = ""


@dataclass(frozen=True)
class PilotSummary:
    seats: int
    handed_in: int
    seconds_per_item: float | None
    gold_shown: int
    gold_passed: int
    left_out: int
    alphas: tuple[CriterionAlpha, ...]

    @property
    def gold_pass_rate(self) -> float | None:
        return self.gold_passed / self.gold_shown if self.gold_shown else None


def pilot_summary(study: Study) -> PilotSummary:
    submitted = Assignment.objects.filter(
        enrolment__study=study, seat__hit__batch__kind=BatchKind.PILOT, state=AssignmentState.SUBMITTED
    )
    gold = submitted.aggregate(shown=Sum("gold_shown"), failed=Sum("gold_failed"))
    shown, failed = gold["shown"] or 0, gold["failed"] or 0
    return PilotSummary(
        seats=Seat.objects.filter(hit__batch__study=study, hit__batch__kind=BatchKind.PILOT)
        .exclude(hit__batch__state=BatchState.DRAFT)
        .count(),
        handed_in=submitted.count(),
        seconds_per_item=_seconds_per_item(study),
        gold_shown=shown,
        gold_passed=shown - failed,
        left_out=submitted.filter(use_data="no").count(),
        alphas=tuple(
            _alpha(study, criterion) for criterion in study.rubric.criteria.filter(formula="").order_by("position")
        ),
    )


def _seconds_per_item(study: Study) -> float | None:
    """Median from showing an item to its last answer, gold included: raters cannot tell it apart."""
    times = (
        Rating.objects.filter(
            item__enrolment__study=study,
            item__assignment__seat__hit__batch__kind=BatchKind.PILOT,
            item__assignment__state=AssignmentState.SUBMITTED,
        )
        .values("item")
        .annotate(start=Min("shown_at"), end=Max("answered_at"))
        .order_by()
        .values_list("start", "end")[:MOST_RATINGS]
    )
    seconds = [(end - start).total_seconds() for start, end in times]
    return median(seconds) if seconds else None


def _alpha(study: Study, criterion: Criterion) -> CriterionAlpha:
    """Krippendorff's, of those that the gold rule passed: what labels would be made of."""
    rows = Rating.objects.filter(
        criterion=criterion,
        item__enrolment__study=study,
        item__gold__isnull=True,
        item__occasion=1,
        item__assignment__seat__hit__batch__kind=BatchKind.PILOT,
        item__assignment__state=AssignmentState.SUBMITTED,
        item__assignment__use_data="yes",
    ).values_list("item__enrolment_id", "item__sample_id", "value")[:MOST_RATINGS]
    by_sample: dict[int, dict[int, int]] = defaultdict(dict)
    for rater, sample, value in rows:
        by_sample[sample][rater] = value
    shared = {sample: given for sample, given in by_sample.items() if len(given) > 1}
    if not shared:
        return CriterionAlpha(criterion.code, None, 0, "no sample was rated by two raters")
    raters = sorted({rater for given in shared.values() for rater in given})
    table = np.full((len(raters), len(shared)), np.nan)
    for column, given in enumerate(shared.values()):
        for rater, value in given.items():
            table[raters.index(rater), column] = value
    alpha = krippendorff_alpha(table, measurement="nominal" if criterion.scale == Scale.BINARY else "ordinal")
    why = "" if alpha is not None else "every answer is the same"
    return CriterionAlpha(criterion.code, alpha, len(shared), why)
