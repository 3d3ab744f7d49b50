"""What was agreed when a batch was made. Its assignments keep to it, whatever becomes of the study's settings."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from annotation.models.batches import Batch
    from annotation.models.studies import Study


@dataclass(frozen=True)
class Terms:
    """The names are the study's: a batch copies them when it is made."""

    ratings_per_sample: int
    samples_per_hit: int
    gold_per_hit: int
    gold_failures_allowed: int
    gold_counting: str
    lease_minutes: int
    minimum_seconds: int
    reopen_left_out: bool

    @classmethod
    def of_study(cls, study: "Study") -> "Terms":
        return cls(**{field.name: getattr(study, field.name) for field in fields(cls)})

    @classmethod
    def of_batch(cls, batch: "Batch") -> "Terms":
        """The study's where the batch, made before there was such a setting, says nothing."""
        known: dict[str, Any] = {
            field.name: batch.settings.get(field.name, getattr(batch.study, field.name)) for field in fields(cls)
        }
        return cls(**known)
