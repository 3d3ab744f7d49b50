from typing import ClassVar

from django.db import models

from annotation.models import LabelSet
from config.constraints import is_digest, not_empty
from config.jobs.models import Job
from metaeval.models.metrics import Metric


class Analysis(Job):
    """Label set x metrics x statistics: what a researcher asks for, and how far it has got."""

    title = models.CharField(max_length=200)
    label_set = models.ForeignKey(LabelSet, on_delete=models.PROTECT, related_name="analyses")
    metrics = models.ManyToManyField(Metric, related_name="analyses")
    settings = models.JSONField(default=dict, blank=True, help_text="analysis.toml, as data")
    settings_hash = models.CharField(max_length=64)
    seed = models.PositiveBigIntegerField(default=0)
    created_by = models.CharField(max_length=150)

    class Meta(Job.Meta):
        ordering: ClassVar = ["-id"]
        verbose_name_plural = "analyses"
        constraints: ClassVar = [
            *Job.Meta.constraints,
            not_empty("title", "analysis_has_title"),
            is_digest("settings_hash", "analysis_settings_hash_is_digest"),
        ]

    def __str__(self) -> str:
        return self.title


class Report(models.Model):
    """What a researcher takes away from an analysis. The database refuses to change or delete it."""

    analysis = models.OneToOneField(Analysis, on_delete=models.PROTECT, related_name="report")
    finding = models.TextField(help_text="the answer in words")
    results = models.JSONField()
    provenance = models.JSONField(help_text="hashes of the inputs, versions, the command")
    content_hash = models.CharField(max_length=64)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            is_digest("content_hash", "report_hash_is_digest"),
            not_empty("finding", "report_has_finding"),
        ]

    def __str__(self) -> str:
        return f"report of {self.analysis}"
