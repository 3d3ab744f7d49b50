"""Every resource of the API, one per noun."""

from typing import Any

from django.urls import path
from rest_framework.routers import DefaultRouter

from annotation.api.routes import ROUTES as ANNOTATION
from config.api.audit import AuditEventResource
from config.api.docs import DocsView, SchemaView
from config.api.resources import Resource
from config.api.tokens import TokenView
from metaeval.api.routes import ROUTES as METAEVAL
from rendering.api.routes import ROUTES as RENDERING

app_name = "api"


class Router(DefaultRouter):
    # A sample's code has dots in it: `walk.mdm` is no `walk` in the format mdm.
    include_format_suffixes = False


RESOURCES: dict[str, type[Resource[Any]]] = {
    **RENDERING,
    **ANNOTATION,
    **METAEVAL,
    "audit-events": AuditEventResource,
}
router = Router()
for prefix, resource in RESOURCES.items():
    router.register(prefix, resource, basename=prefix)

urlpatterns = [
    path("token/", TokenView.as_view(), name="token"),
    path("schema/", SchemaView.as_view(), name="schema"),
    path("docs/", DocsView.as_view(), name="docs"),
    *router.urls,
]
