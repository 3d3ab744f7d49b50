"""The back office. What has a service (seats, ratings, labels) is read-only here: a hand edit would skip the audit."""

from django.contrib import admin

from annotation import models
from config.audit.admin import ReadOnlyAdmin


@admin.register(models.Prompt)
class PromptAdmin(ReadOnlyAdmin):
    list_display = ("code", "text", "corpus", "category", "subtype")
    list_filter = ("corpus", "category")
    search_fields = ("code", "text")


@admin.register(models.Generator)
class GeneratorAdmin(admin.ModelAdmin):
    list_display = ("name", "title", "is_reference")


@admin.register(models.Sample)
class SampleAdmin(ReadOnlyAdmin):
    list_display = ("code", "prompt", "generator", "motion")
    list_filter = ("generator",)
    search_fields = ("code",)


class CriterionInline(admin.TabularInline):
    model = models.Criterion
    extra = 0


@admin.register(models.Rubric)
class RubricAdmin(ReadOnlyAdmin):
    list_display = ("name", "version", "title")
    inlines = (CriterionInline,)


class OptionInline(admin.TabularInline):
    model = models.Option
    extra = 0


@admin.register(models.Criterion)
class CriterionAdmin(ReadOnlyAdmin):
    list_display = ("code", "rubric", "scale", "formula")
    inlines = (OptionInline,)


@admin.register(models.Study)
class StudyAdmin(ReadOnlyAdmin):
    list_display = ("code", "title", "state", "rubric", "created_at")
    list_filter = ("state",)
    exclude = ("samples",)


class GoldAnswerInline(admin.TabularInline):
    model = models.GoldAnswer
    extra = 0


@admin.register(models.Gold)
class GoldAdmin(ReadOnlyAdmin):
    list_display = ("sample", "study", "is_active")
    list_filter = ("study",)
    inlines = (GoldAnswerInline,)


@admin.register(models.Batch)
class BatchAdmin(ReadOnlyAdmin):
    list_display = ("study", "number", "kind", "state", "platform", "pay_per_hit")
    list_filter = ("study", "state")


class HitPositionInline(admin.TabularInline):
    model = models.HitPosition
    extra = 0


class SeatInline(admin.TabularInline):
    model = models.Seat
    extra = 0


@admin.register(models.Hit)
class HitAdmin(ReadOnlyAdmin):
    list_display = ("batch", "number", "pass_number", "external_id")
    list_filter = ("batch",)
    inlines = (HitPositionInline, SeatInline)


@admin.register(models.Rater)
class RaterAdmin(ReadOnlyAdmin):
    list_display = ("id", "public_id", "created_at")


@admin.register(models.PlatformIdentity)
class PlatformIdentityAdmin(ReadOnlyAdmin):
    list_display = ("rater", "platform", "platform_id")
    list_filter = ("platform",)


@admin.register(models.Enrolment)
class EnrolmentAdmin(ReadOnlyAdmin):
    list_display = ("pseudonym", "study", "consented_at", "blocked_at", "withdrawn_at")
    list_filter = ("study",)


class ItemInline(admin.TabularInline):
    model = models.Item
    extra = 0


@admin.register(models.Assignment)
class AssignmentAdmin(ReadOnlyAdmin):
    list_display = ("id", "enrolment", "seat", "state", "gold_failed", "use_data", "pay", "invite_again")
    list_filter = ("state", "use_data", "pay")
    inlines = (ItemInline,)


@admin.register(models.Rating)
class RatingAdmin(ReadOnlyAdmin):
    list_display = ("item", "criterion", "value", "answered_at", "revision")
    list_filter = ("criterion",)


@admin.register(models.LabelSet)
class LabelSetAdmin(ReadOnlyAdmin):
    list_display = ("study", "number", "aggregation", "content_hash", "frozen_at")


@admin.register(models.Label)
class LabelAdmin(ReadOnlyAdmin):
    list_display = ("label_set", "sample", "criterion", "value", "ratings")
    list_filter = ("label_set", "criterion")


@admin.register(models.LabelSetMark)
class LabelSetMarkAdmin(ReadOnlyAdmin):
    list_display = ("label_set", "kind", "reason", "created_at")
