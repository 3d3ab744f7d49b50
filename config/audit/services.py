"""Writing to the audit log. Called inside the transaction of the change that it records."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models

from config import logs
from config.audit.models import AuditEvent

SYSTEM = "system"


def actor_for_user(user: AbstractBaseUser) -> str:
    return f"user:{user.get_username()}"


def subject_of(row: models.Model) -> str:
    return f"{row._meta.label_lower}:{row.pk}"


def audit_record(
    *, actor: str, action: str, subject: models.Model, details: Mapping[str, Any] | None = None
) -> AuditEvent:
    return AuditEvent.objects.create(
        actor=actor,
        action=action,
        subject=subject_of(subject),
        details=dict(details or {}),
        request_id=logs.request_id.get(),
    )


def audit_record_each(*, actor: str, action: str, subjects: Iterable[models.Model]) -> None:
    """The same event for many rows, in one statement."""
    request_id = logs.request_id.get()
    AuditEvent.objects.bulk_create(
        (
            AuditEvent(actor=actor, action=action, subject=subject_of(subject), request_id=request_id)
            for subject in subjects
        ),
        batch_size=500,
    )
