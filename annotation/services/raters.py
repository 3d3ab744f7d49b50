import hashlib
import hmac
import uuid
from datetime import datetime
from functools import partial

from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.errors import AnnotationError
from annotation.models import (
    Assignment,
    AssignmentState,
    Decision,
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
    # The locks in the order in which taking a seat and saving an answer take them: none of these slips in between.
    Enrolment.objects.select_for_update().get(pk=enrolment.pk)
    assignments = list(enrolment.assignments.select_for_update().order_by("pk"))
    ratings, _ = Rating.objects.filter(item__enrolment=enrolment).delete()
    Item.objects.filter(enrolment=enrolment).update(problem="withdrawn")
    for assignment in assignments:
        _withdraw(assignment)
    Enrolment.objects.filter(pk=enrolment.pk).update(withdrawn_at=timezone.now())
    for label_set in LabelSet.objects.filter(study=enrolment.study).exclude(ratings_file=""):
        transaction.on_commit(partial(default_storage.delete, str(label_set.ratings_file)))
    audit_record(actor=actor, action="rater.withdrawn", subject=enrolment, details={"ratings_removed": ratings})
    label_sets_mark(study=enrolment.study, kind=MarkKind.SUPERSEDED, reason="a rater withdrew")
    return ratings


def _withdraw(assignment: Assignment) -> None:
    """What was handed in was earned: it stays on record, and due, without its data."""
    if assignment.state != AssignmentState.SUBMITTED:
        assignment.state = AssignmentState.WITHDRAWN
    assignment.use_data, assignment.holds_seat, assignment.lease_until = Decision.NO, False, None
    assignment.decision_reason = "the rater withdrew"
    assignment.save()


def label_sets_mark(*, study: Study, kind: MarkKind, reason: str) -> None:
    """Say beside each frozen label set of the study what happened since."""
    LabelSetMark.objects.bulk_create(
        LabelSetMark(label_set=label_set, kind=kind, reason=reason)
        for label_set in LabelSet.objects.filter(study=study, frozen_at__isnull=False)
    )
