from django.db import transaction
from django.db.models import Max
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
)
from annotation.sampling import Composition, HitPlan, SampleKey, compose_hits
from annotation.services.clips import study_order_clips
from annotation.services.studies import study_plan_clips
from config.audit.services import audit_record

# What a batch remembers of its study: the settings may change later.
SETTINGS = (
    "ratings_per_sample",
    "samples_per_hit",
    "gold_per_hit",
    "gold_failures_allowed",
    "lease_minutes",
    "minimum_seconds",
    "reopen_left_out",
)


@transaction.atomic
def batch_create(
    *, study: Study, seed: int, kind: BatchKind = BatchKind.MAIN, platform: Platform = Platform.LINK, actor: str
) -> Batch:
    """Compose the study's samples into HITs. Gold samples are left out: they only stand at gold positions."""
    samples = (
        study.places.filter(is_active=True)
        .exclude(sample__in=study.gold.values("sample"))
        .order_by("sample_id")
        .values_list("sample_id", "sample__prompt_id", "sample__generator_id")
    )
    keys = [SampleKey(*row) for row in samples]
    if not keys:
        raise AnnotationError(f"Study {study.code} has no samples to rate: add samples that are not gold.")
    composition = Composition(study.samples_per_hit, study.gold_per_hit, study.ratings_per_sample)
    number = (study.batches.aggregate(number=Max("number"))["number"] or 0) + 1
    batch = Batch.objects.create(
        study=study,
        number=number,
        kind=kind,
        platform=platform,
        seed=seed,
        settings={name: getattr(study, name) for name in SETTINGS},
        pay_per_hit=study.pay_per_hit,
    )
    plans = compose_hits(keys, composition, seed=seed)
    _hits_create(batch, plans)
    audit_record(actor=actor, action="batch.created", subject=batch, details={"hits": len(plans)})
    return batch


def _hits_create(batch: Batch, plans: list[HitPlan]) -> None:
    """Each of the R passes composes its own HITs, so each HIT of a pass has one seat."""
    hits = Hit.objects.bulk_create(
        (Hit(batch=batch, number=number, pass_number=plan.pass_number) for number, plan in enumerate(plans, start=1)),
        batch_size=500,
    )
    HitPosition.objects.bulk_create(
        (
            HitPosition(hit=hit, position=position, sample_id=sample)
            for hit, plan in zip(hits, plans, strict=True)
            for position, sample in enumerate(plan.positions, start=1)
        ),
        batch_size=500,
    )
    Seat.objects.bulk_create((Seat(hit=hit, number=1) for hit in hits), batch_size=500)


@transaction.atomic
def batch_publish(*, batch: Batch, actor: str) -> Batch:
    """Open the batch to raters, and have the clips drawn in the order in which they will be wanted."""
    row = Batch.objects.select_for_update().select_related("study").get(pk=batch.pk)
    if row.state != BatchState.DRAFT:
        raise AnnotationError(f"Batch {row.number} is {row.state}: only a draft can be published.")
    _refuse_missing_gold(row)
    row.state, row.published_at = BatchState.PUBLISHED, timezone.now()
    row.save(update_fields=["state", "published_at"])
    audit_record(actor=actor, action="batch.published", subject=row)
    study_plan_clips(study=row.study, actor=actor)
    study_order_clips(study=row.study)
    return row


def _refuse_missing_gold(batch: Batch) -> None:
    needed, have = batch.settings["gold_per_hit"], batch.study.gold.filter(is_active=True).count()
    if have < needed:
        raise AnnotationError(f"Each HIT wants {needed} gold samples, and study {batch.study.code} has {have}.")
