"""A study's batches: how far each is, and what it has cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Count, Q, QuerySet

from annotation.models import (
    Assignment,
    AssignmentState,
    Batch,
    BatchState,
    Decision,
    Hit,
    Seat,
    Study,
)
from annotation.selectors.gold import Rule

PAGE_SIZE = 25


@dataclass(frozen=True)
class BatchProgress:
    """Seats done are those whose data may count; paid are all that were handed in, unless pay was refused."""

    batch: Batch
    hits: int
    seats: int
    done: int
    active: int
    submitted: int
    paid: int

    @property
    def cost_so_far(self) -> Decimal:
        return self.batch.pay_per_hit * self.paid

    @property
    def cost_planned(self) -> Decimal:
        return self.batch.pay_per_hit * self.seats

    @property
    def is_draft(self) -> bool:
        return self.batch.state == BatchState.DRAFT

    @property
    def rule(self) -> Rule:
        terms = self.batch.terms
        return Rule(terms.gold_per_hit, terms.gold_failures_allowed, terms.gold_counting)


def study_batches(study: Study) -> list[BatchProgress]:
    """The newest first."""
    return _progress(study.batches.select_related("study").order_by("-number"))


def batch_progress(batch: Batch) -> BatchProgress:
    (found,) = _progress(Batch.objects.filter(pk=batch.pk).select_related("study"))
    return found


def _progress(batches: QuerySet[Batch]) -> list[BatchProgress]:
    rows = list(batches)
    hits = _counts(Hit.objects.filter(batch__in=rows), "batch")
    seats = _counts(Seat.objects.filter(hit__batch__in=rows), "hit__batch")
    here = Assignment.objects.filter(seat__hit__batch__in=rows)
    submitted = here.filter(state=AssignmentState.SUBMITTED)
    by = "seat__hit__batch"
    done, active = (
        _counts(submitted.filter(holds_seat=True), by),
        _counts(here.filter(state=AssignmentState.ACTIVE), by),
    )
    handed_in, paid = _counts(submitted, by), _counts(submitted.exclude(pay=Decision.NO), by)
    return [
        BatchProgress(
            batch=batch,
            hits=hits.get(batch.pk, 0),
            seats=seats.get(batch.pk, 0),
            done=done.get(batch.pk, 0),
            active=active.get(batch.pk, 0),
            submitted=handed_in.get(batch.pk, 0),
            paid=paid.get(batch.pk, 0),
        )
        for batch in rows
    ]


def _counts(rows: QuerySet[Any], by: str) -> Mapping[int, int]:
    return dict(rows.order_by().values(by).annotate(n=Count("pk")).values_list(by, "n"))


@dataclass(frozen=True)
class HitRow:
    hit: Hit
    samples: int
    gold_at: str
    seats: int
    done: int
    active: int


@dataclass(frozen=True)
class HitTable:
    rows: tuple[HitRow, ...]
    page: Page[Any]


def batch_hits(batch: Batch, *, page: int | str = 1) -> HitTable:
    found: Page[Any] = Paginator(batch.hits.order_by("number"), PAGE_SIZE).get_page(page)
    hits = Hit.objects.filter(pk__in=[hit.pk for hit in found])
    held = Q(seats__assignments__holds_seat=True)
    counts = {
        pk: (seats, done, active)
        for pk, seats, done, active in hits.annotate(
            n=Count("seats", distinct=True),
            done=Count("seats", filter=held & Q(seats__assignments__state=AssignmentState.SUBMITTED), distinct=True),
            active=Count("seats", filter=held & Q(seats__assignments__state=AssignmentState.ACTIVE), distinct=True),
        ).values_list("pk", "n", "done", "active")
    }
    places = _places(hits)
    rows = tuple(_hit_row(hit, places[hit.pk], counts[hit.pk]) for hit in found)
    return HitTable(rows, found)


def _places(hits: QuerySet[Hit]) -> Mapping[int, Sequence[int | None]]:
    places: dict[int, list[int | None]] = {}
    for hit in hits.prefetch_related("positions"):
        places[hit.pk] = [place.sample_id for place in sorted(hit.positions.all(), key=lambda row: row.position)]
    return places


def _hit_row(hit: Hit, places: Sequence[int | None], counts: tuple[int, int, int]) -> HitRow:
    gold = [str(place) for place, sample in enumerate(places, start=1) if sample is None]
    return HitRow(hit, len(places) - len(gold), ", ".join(gold), *counts)
