"""Where everything is. The pages and the API of each app are listed in its own `urls` and `api`."""

from django.contrib import admin
from django.urls import path

from config.health import healthz, readyz

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("admin/", admin.site.urls),
]
