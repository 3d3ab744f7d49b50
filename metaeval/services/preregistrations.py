"""Freezing the settings of an analysis before the labels are known."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from annotation.models import Study
from config.audit.services import audit_record
from metaeval.models import Preregistration
from metaeval.services.analysis_settings import settings_check, settings_merge, settings_of_study


@transaction.atomic
def preregistration_create(*, study: Study, title: str, settings: Mapping[str, Any], actor: str) -> Preregistration:
    """Kept as it is for ever. After labels were frozen it is possible too, and says so."""
    checked = settings_check(settings_merge(settings_of_study(study), settings))
    # Locked, so that no label set is frozen between counting and writing; the database counts again.
    Study.objects.select_for_update().get(pk=study.pk)
    preregistration = Preregistration.objects.create(
        study=study,
        title=title,
        settings=checked.data,
        toml=checked.toml,
        settings_hash=checked.digest,
        labels_frozen_before=study.label_sets.filter(frozen_at__isnull=False).count(),
        created_by=actor,
    )
    details = {"settings_hash": checked.digest, "labels_frozen_before": preregistration.labels_frozen_before}
    audit_record(actor=actor, action="preregistration.frozen", subject=preregistration, details=details)
    return preregistration
