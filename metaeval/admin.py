from django.contrib import admin

from config.audit.admin import ReadOnlyAdmin
from metaeval.models import Analysis, Judge, Metric, Preregistration, Probe, Report, ReportArchive, Score


@admin.register(Metric)
class MetricAdmin(ReadOnlyAdmin):
    list_display = ("name", "version", "family", "level", "direction", "is_reference_based")
    list_filter = ("family", "level")


@admin.register(Judge)
class JudgeAdmin(admin.ModelAdmin):
    list_display = ("metric", "model")


@admin.register(Score)
class ScoreAdmin(ReadOnlyAdmin):
    list_display = ("metric", "sample", "generator", "study", "value", "undefined_reason")
    list_filter = ("metric",)


@admin.register(Probe)
class ProbeAdmin(ReadOnlyAdmin):
    list_display = ("metric", "kind", "value", "undefined_reason", "seed")


@admin.register(Analysis)
class AnalysisAdmin(ReadOnlyAdmin):
    list_display = ("title", "label_set", "preregistration", "state", "progress", "created_by", "finished_at")
    list_filter = ("state",)


@admin.register(Report)
class ReportAdmin(ReadOnlyAdmin):
    list_display = ("analysis", "finding", "content_hash", "created_at")


@admin.register(ReportArchive)
class ReportArchiveAdmin(ReadOnlyAdmin):
    list_display = ("report", "size", "sha256")


@admin.register(Preregistration)
class PreregistrationAdmin(ReadOnlyAdmin):
    list_display = ("title", "study", "labels_frozen_before", "settings_hash", "created_by", "frozen_at")
