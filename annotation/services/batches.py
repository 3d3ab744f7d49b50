from dataclasses import asdict

from django.db import transaction
from django.db.models import Count, Max, Q
from django.utils import timezone

from annotation.errors import AnnotationError
from annotation.models import (
    Batch,
    BatchKind,
    BatchState,
    Hit,
    HitPosition,
    Platform,
    Seat,
    Study,
    StudyState,
)
from annotation.selectors.batch_preview import BatchPlan, BatchWish, batch_plan, share_obstacle, study_sample_keys
from annotation.services.clips import study_order_clips
from annotation.services.studies import study_plan_clips
from config.audit.services import audit_record


@transaction.atomic
def batch_create(
    *,
    study: Study,
    seed: int,
    kind: BatchKind = BatchKind.MAIN,
    platform: Platform = Platform.LINK,
    hits: int | None = None,
    expected: str = "",
    actor: str,
) -> Batch:
    """Compose the study's samples into HITs; `hits` makes only so many, each with all its seats.

    `expected` is the digest of the preview that the person agreed to.
    """
    row = Study.objects.select_for_update(of=("self",)).select_related("rubric").get(pk=study.pk)
    if row.state == StudyState.CLOSED:
        raise AnnotationError(f"Study {row.code} is closed: nobody could rate another batch.")
    plan = batch_plan(row, BatchWish(seed, kind, hits))
    if not plan.keys:
        raise AnnotationError(f"Study {row.code} has no samples to rate: add samples that are not gold.")
    if expected and plan.digest != expected:
        raise AnnotationError(
            "The study's samples, gold or settings have changed since this preview. Nothing was made: look again."
        )
    batch = Batch.objects.create(
        study=row,
        number=(row.batches.aggregate(number=Max("number"))["number"] or 0) + 1,
        kind=kind,
        platform=platform,
        seed=seed,
        settings=asdict(plan.terms),
        pay_per_hit=row.pay_per_hit,
    )
    _hits_create(batch, plan)
    details = {"hits": len(plan.hits), "seats": plan.seats, "seed": seed, "kind": kind}
    audit_record(actor=actor, action="batch.created", subject=batch, details=details)
    return batch


def _hits_create(batch: Batch, plan: BatchPlan) -> None:
    hits = Hit.objects.bulk_create(
        (Hit(batch=batch, number=number, pass_number=hit.pass_number) for number, hit in enumerate(plan.hits, start=1)),
        batch_size=500,
    )
    HitPosition.objects.bulk_create(
        (
            HitPosition(hit=hit, position=position, sample_id=sample)
            for hit, planned in zip(hits, plan.hits, strict=True)
            for position, sample in enumerate(planned.positions, start=1)
        ),
        batch_size=500,
    )
    Seat.objects.bulk_create(
        (Seat(hit=hit, number=number) for hit in hits for number in range(1, plan.seats_per_hit + 1)), batch_size=500
    )


@transaction.atomic
def batch_publish(*, batch: Batch, actor: str) -> Batch:
    """Open the batch to raters, and have the clips drawn in the order in which they will be wanted."""
    study = Study.objects.select_for_update().get(pk=batch.study_id)
    row = Batch.objects.select_for_update(of=("self",)).select_related("study").get(pk=batch.pk)
    if row.state != BatchState.DRAFT:
        raise AnnotationError(f"Batch {row.number} is {row.state}: only a draft can be published.")
    if study.state == StudyState.CLOSED:
        raise AnnotationError(f"Study {study.code} is closed: nobody could rate this batch.")
    _refuse_missing_gold(row)
    _refuse_small_share(row)
    row.state, row.published_at = BatchState.PUBLISHED, timezone.now()
    row.save(update_fields=["state", "published_at"])
    audit_record(actor=actor, action="batch.published", subject=row)
    study_plan_clips(study=row.study, actor=actor)
    study_order_clips(study=row.study)
    return row


@transaction.atomic
def batch_discard(*, batch: Batch, actor: str) -> None:
    """Delete a draft: no rater has seen it. The audit log keeps what it was."""
    row = Batch.objects.select_for_update(of=("self",)).select_related("study").get(pk=batch.pk)
    if row.state != BatchState.DRAFT:
        raise AnnotationError(f"Batch {row.number} is {row.state}: only a draft can be discarded.")
    details = {"number": row.number, "seed": row.seed, "hits": row.hits.count()}
    audit_record(actor=actor, action="batch.discarded", subject=row, details=details)
    row.delete()


def _refuse_missing_gold(batch: Batch) -> None:
    needed, have = batch.terms.gold_per_hit, batch.study.gold.filter(is_active=True).count()
    if have < needed:
        raise AnnotationError(f"Each HIT wants {needed} gold samples, and study {batch.study.code} has {have}.")


def _refuse_small_share(batch: Batch) -> None:
    sizes = batch.hits.annotate(n=Count("positions", filter=Q(positions__sample__isnull=False)))
    largest = max(sizes.values_list("n", flat=True), default=0)
    samples = len(study_sample_keys(batch.study))
    if message := share_obstacle(batch.study, largest=largest, samples=samples):
        raise AnnotationError(message)
