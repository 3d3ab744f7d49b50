import hashlib
import hmac
import uuid
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.errors import AnnotationError
from annotation.models import (
    AssignmentState,
    Enrolment,
    Item,
    LabelSet,
    LabelSetMark,
    MarkKind,
    Platform,
    PlatformIdentity,
    Rater,
    Rating,
    Study,
)
from config.audit.services import audit_record


@transaction.atomic
def rater_identify(*, platform: Platform, platform_id: str, public_id: uuid.UUID | None = None) -> Rater:
    """The rater whom the platform calls so, made at the first meeting (`public_id` is given where it must be known)."""
    known = PlatformIdentity.objects.filter(platform=platform, platform_id=platform_id).select_related("rater").first()
    if known:
        return known.rater
    try:
        with transaction.atomic():
            rater = Rater.objects.create(public_id=public_id or uuid.uuid4())
            PlatformIdentity.objects.create(rater=rater, platform=platform, platform_id=platform_id)
            return rater
    except IntegrityError:  # two first requests at once: the other one made the rater
        return PlatformIdentity.objects.get(platform=platform, platform_id=platform_id).rater


def rater_pseudonym(study: Study, rater: Rater) -> str:
    """What the study and every export call the rater; without the study's salt it leads nowhere."""
    digest = hmac.new(study.salt.encode(), str(rater.public_id).encode(), hashlib.sha256).hexdigest()
    return f"R{digest[:10]}"


@transaction.atomic
def rater_enrol(*, study: Study, rater: Rater, at: datetime | None = None) -> Enrolment:
    """Record the consent of a rater to the study's present consent text. Enrolling twice returns the first record."""
    at = at or timezone.now()
    enrolment, created = Enrolment.objects.get_or_create(
        study=study,
        rater=rater,
        defaults={
            "pseudonym": rater_pseudonym(study, rater),
            "consent_version": study.consent_version,
            "consented_at": at,
        },
    )
    if created:
        audit_record(
            actor=f"rater:{enrolment.pseudonym}",
            action="rater.consented",
            subject=enrolment,
            details={"consent_version": study.consent_version},
        )
    return enrolment


@transaction.atomic
def rater_block(*, enrolment: Enrolment, reason: str, actor: str) -> None:
    if not reason:
        raise AnnotationError("Say why the rater is blocked: they may ask.")
    Enrolment.objects.filter(pk=enrolment.pk).update(blocked_at=timezone.now(), block_reason=reason)
    audit_record(actor=actor, action="rater.blocked", subject=enrolment, details={"reason": reason})


@transaction.atomic
def rater_withdraw(*, enrolment: Enrolment, actor: str) -> int:
    """Take a rater's ratings out. A tombstone stays in the log; label sets that used them are marked, not touched."""
    ratings, _ = Rating.objects.filter(item__enrolment=enrolment).delete()
    Item.objects.filter(enrolment=enrolment).update(problem="withdrawn")
    enrolment.assignments.update(state=AssignmentState.WITHDRAWN, holds_seat=False, lease_until=None)
    Enrolment.objects.filter(pk=enrolment.pk).update(withdrawn_at=timezone.now())
    audit_record(actor=actor, action="rater.withdrawn", subject=enrolment, details={"ratings_removed": ratings})
    label_sets_mark(study=enrolment.study, kind=MarkKind.SUPERSEDED, reason="a rater withdrew")
    return ratings


def label_sets_mark(*, study: Study, kind: MarkKind, reason: str) -> None:
    """Say beside each frozen label set of the study what happened since."""
    LabelSetMark.objects.bulk_create(
        LabelSetMark(label_set=label_set, kind=kind, reason=reason)
        for label_set in LabelSet.objects.filter(study=study, frozen_at__isnull=False)
    )
