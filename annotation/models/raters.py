import uuid
from typing import ClassVar

from django.db import models
from django.db.models import Q

from annotation.models.batches import Platform
from annotation.models.studies import Study
from config.constraints import at_least, not_empty, one_of


class Rater(models.Model):
    """A person. What a study knows them by is the pseudonym of their enrolment."""

    public_id = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"rater {self.pk}"


class PlatformIdentity(models.Model):
    """What a crowd platform calls a rater. Only here, so that it can be purged; no export shows it."""

    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="identities")
    platform = models.CharField(max_length=20, choices=Platform.choices)
    platform_id = models.CharField(max_length=200)

    class Meta:
        ordering: ClassVar = ["id"]
        verbose_name_plural = "platform identities"
        constraints: ClassVar = [
            one_of("platform", Platform, "identity_platform_known"),
            not_empty("platform_id", "identity_has_id"),
            models.UniqueConstraint(fields=["platform", "platform_id"], name="identity_belongs_to_one_rater"),
            models.UniqueConstraint(fields=["rater", "platform"], name="identity_once_per_platform"),
        ]

    def __str__(self) -> str:
        return f"{self.platform}:{self.platform_id}"


class Enrolment(models.Model):
    """A rater in a study: pseudonym (salted per study), consent on record, blocked or withdrawn."""

    study = models.ForeignKey(Study, on_delete=models.CASCADE, related_name="enrolments")
    rater = models.ForeignKey(Rater, on_delete=models.CASCADE, related_name="enrolments")
    pseudonym = models.CharField(max_length=16)
    consent_version = models.PositiveSmallIntegerField()
    consented_at = models.DateTimeField()
    blocked_at = models.DateTimeField(null=True, blank=True)
    block_reason = models.TextField(blank=True)
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            not_empty("pseudonym", "enrolment_has_pseudonym"),
            at_least("consent_version", 1, "enrolment_consent_version_from_one"),
            models.UniqueConstraint(fields=["study", "rater"], name="enrolment_once_per_study"),
            models.UniqueConstraint(fields=["study", "pseudonym"], name="enrolment_pseudonym_once_per_study"),
            models.CheckConstraint(
                condition=Q(blocked_at__isnull=True) | ~Q(block_reason=""), name="enrolment_block_has_reason"
            ),
        ]

    def __str__(self) -> str:
        return self.pseudonym
