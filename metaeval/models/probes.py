from typing import ClassVar

from django.db import models
from django.db.models import Q

from config.constraints import is_digest, is_finite, one_of
from metaeval.models.metrics import Metric


class ProbeKind(models.TextChoices):
    EVENT_ORDER = "event_order", "event order"
    NEGATION = "negation"


class Probe(models.Model):
    """A test of a scorer itself, on corrupted text: does it notice a wrong order of events, or a negation?"""

    metric = models.ForeignKey(Metric, on_delete=models.PROTECT, related_name="probes")
    kind = models.CharField(max_length=20, choices=ProbeKind.choices)
    parameters = models.JSONField(default=dict, blank=True)
    input_hash = models.CharField(max_length=64, help_text="of the texts and parameters it was run on")
    seed = models.PositiveBigIntegerField()
    texts = models.PositiveIntegerField(default=0, help_text="how many texts it was tried on")
    value = models.FloatField(null=True, blank=True)
    undefined_reason = models.CharField(max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["id"]
        constraints: ClassVar = [
            one_of("kind", ProbeKind, "probe_kind_known"),
            is_digest("input_hash", "probe_input_hash_is_digest"),
            is_finite("value", "probe_is_finite"),
            models.CheckConstraint(
                condition=Q(value__isnull=False, undefined_reason="") | Q(value__isnull=True) & ~Q(undefined_reason=""),
                name="probe_has_value_or_reason",
            ),
            models.UniqueConstraint(fields=["metric", "kind", "input_hash", "seed"], name="probe_run_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} probe of {self.metric}"
