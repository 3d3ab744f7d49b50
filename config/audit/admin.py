from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from config.audit.models import AuditEvent


class ReadOnlyAdmin(admin.ModelAdmin):
    """For rows that only the product writes: to be read, never edited by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor", "action", "subject")
    list_filter = ("action",)
    search_fields = ("actor", "subject")
