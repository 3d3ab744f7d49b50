from typing import ClassVar

from django.db import models

from annotation.models import LabelSet
from config.constraints import at_least, is_digest, not_empty
from config.jobs.models import Job
from metaeval.models.metrics import Metric
from metaeval.models.preregistrations import Preregistration


class Analysis(Job):
    """Label set x metrics x statistics: what a researcher asks for, and how far it has got."""

    title = models.CharField(max_length=200)
    label_set = models.ForeignKey(LabelSet, on_delete=models.PROTECT, related_name="analyses")
    metrics = models.ManyToManyField(Metric, related_name="analyses")
    preregistration = models.ForeignKey(
        Preregistration,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="analyses",
        help_text="whose settings these are, to the letter: the database refuses others",
    )
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


class ReportArchive(models.Model):
    """All that the command wrote, as one zip: report.html, tables, figures, inputs. Frozen like its report."""

    report = models.OneToOneField(Report, on_delete=models.PROTECT, related_name="archive")
    file = models.FileField(max_length=200)
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(help_text="bytes")
    names = models.JSONField(help_text="the files in it, sorted")

    class Meta:
        ordering: ClassVar = ["-id"]
        constraints: ClassVar = [
            is_digest("sha256", "report_archive_sha256_is_digest"),
            not_empty("file", "report_archive_has_file"),
            at_least("size", 1, "report_archive_is_not_empty"),
        ]

    def __str__(self) -> str:
        return f"files of {self.report}"
