"""Where everything is. The pages and the API of each app are listed in its own `urls` and `api`."""

from django.contrib import admin
from django.contrib.auth.views import LoginView, LogoutView
from django.urls import include, path

from config.health import healthz, readyz
from config.views import favicon, home

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("readyz", readyz, name="readyz"),
    path("admin/", admin.site.urls),
    path("", home, name="home"),
    path("favicon.ico", favicon, name="favicon"),
    path("accounts/login/", LoginView.as_view(redirect_authenticated_user=True), name="login"),
    path("accounts/logout/", LogoutView.as_view(), name="logout"),
    path("api/v1/", include("config.api.urls")),
    path("", include("rendering.urls")),
    path("", include("annotation.urls")),
    path("", include("metaeval.urls")),
]
