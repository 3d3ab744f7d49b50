from typing import ClassVar

from django.http import StreamingHttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from config.api import filters
from config.api.exports import export_action, export_response, schema_of_export
from config.api.resources import Resource
from config.audit.models import AuditEvent
from config.bulk.writing import Column, Kind, Table

COLUMNS = (
    Column("id"),
    Column("at"),
    Column("actor", Kind.TEXT),
    Column("action", Kind.TEXT),
    Column("subject", Kind.TEXT),
    Column("details", Kind.TEXT),
    Column("request_id", Kind.TEXT),
)


class AuditEventOutputSerializer(serializers.ModelSerializer[AuditEvent]):
    class Meta:
        model = AuditEvent
        fields: ClassVar = [column.name for column in COLUMNS]


class AuditEventFilter(filters.FilterSet):
    after = filters.IsoDateTimeFilter("at", "gte", label="at this time or later")
    before = filters.IsoDateTimeFilter("at", "lt", label="before this time")

    class Meta:
        model = AuditEvent
        fields: ClassVar = ["actor", "action", "subject", "request_id"]


class AuditEventResource(Resource[AuditEvent]):
    """Who changed what, and when. Newest first. Nothing here can be changed."""

    queryset = AuditEvent.objects.all()
    serializer_class = AuditEventOutputSerializer
    filterset_class = AuditEventFilter
    ordering_fields = ("id", "at")
    ordering = ("-id",)

    @schema_of_export("Export audit events")
    @export_action()
    def export(self, request: Request) -> StreamingHttpResponse:
        events = self.filter_queryset(self.get_queryset())
        rows = events.values_list(*(column.name for column in COLUMNS)).iterator(chunk_size=2000)
        return export_response(request, table=Table(COLUMNS, rows), name="audit-events")
