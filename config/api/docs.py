"""The schema, and the page on which to read and try it."""

from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView


class SchemaView(SpectacularAPIView):
    """OpenAPI 3, as YAML or (`?format=json`) JSON."""


class DocsView(SpectacularSwaggerSplitView):
    """Swagger UI from our own static files; its script comes by an address of its own, as our CSP wants."""

    url_name = "api:schema"
