"""What a rater wants to know before starting: how much there is, how long it takes, what it looks like."""

import math
from dataclasses import dataclass
from statistics import median

from django.db.models import Q

from annotation.models import Assignment, AssignmentState, BatchKind, BatchState, Rater, Sample, Seat, Study, StudyState
from annotation.selectors.clips import example_clip
from annotation.services.assignments import OPEN_STATES
from rendering.models import Clip

SECONDS_TO_ANSWER = 10
# Fewer finished HITs than this tell nothing of how long one takes.
ENOUGH_TIMES = 5


@dataclass(frozen=True)
class Outlook:
    clips_per_hit: int
    minutes: int
    hits_left: int
    is_open: bool
    example: Clip | None
    example_text: str


def study_outlook(study: Study, *, rater: Rater | None = None) -> Outlook:
    free = (
        Seat.objects.filter(hit__batch__study=study, hit__batch__state=BatchState.PUBLISHED)
        .filter(Q(hit__batch__kind=BatchKind.PILOT) | ~Q(hit__batch__study__state=StudyState.PILOT))
        .exclude(assignments__holds_seat=True)
        .select_related("hit")
        .order_by("hit__batch__number", "hit__number", "number")
    )
    next_seat = free.first()
    items = next_seat.hit.positions.count() if next_seat else study.samples_per_hit + study.gold_per_hit
    coming = Sample.objects.filter(hit_positions__hit=next_seat.hit) if next_seat else Sample.objects.none()
    if rater is not None:
        coming = Sample.objects.filter(pk__in=coming.values("pk")) | Sample.objects.filter(
            items__enrolment__rater=rater, items__enrolment__study=study
        )
    example = example_clip(study, avoid=coming)
    return Outlook(
        clips_per_hit=items,
        minutes=_minutes(study, items),
        hits_left=free.count(),
        is_open=study.state in OPEN_STATES,
        example=example[0] if example else None,
        example_text=example[1].prompt.text if example else "",
    )


def _minutes(study: Study, items: int) -> int:
    """What finished HITs really took; before there are some, the shortest watching plus a moment to answer."""
    finished = (
        Assignment.objects.filter(enrolment__study=study, state=AssignmentState.SUBMITTED)
        .order_by("-submitted_at")
        .values_list("taken_at", "submitted_at")[:50]
    )
    seconds = [(end - start).total_seconds() for start, end in finished if end]
    typical = median(seconds) if len(seconds) >= ENOUGH_TIMES else items * (study.minimum_seconds + SECONDS_TO_ANSWER)
    return max(math.ceil(typical / 60), 1)
