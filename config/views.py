"""The front door, and what every page for managers and researchers stands behind."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.utils.cache import add_never_cache_headers, patch_vary_headers
from django.views.decorators.http import require_safe

from config.roles import MANAGER, RESEARCHER, has_role

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def role_required(*roles: str) -> Callable[[View[P]], View[P]]:
    """Strangers are sent to sign in; people with another role are told whose page it is."""

    def decorate(view: View[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            if not has_role(request.user, *roles):
                people = " and ".join(f"{role}s" for role in roles)
                raise PermissionDenied(f"This page is for {people}, and your account does not have that role.")
            return view(request, *args, **kwargs)

        return login_required(guarded)

    return decorate


def roles_of(user: User | AnonymousUser) -> list[str]:
    return [role for role in (MANAGER, RESEARCHER) if has_role(user, role)]


def staff_page(
    request: HttpRequest, template: str, context: Mapping[str, Any] | None = None, *, status: int = 200
) -> HttpResponse:
    """A page with the staff's navigation. Fresh each time, and its htmx part is never mistaken for the whole."""
    response = render(request, template, {"roles": roles_of(request.user)} | dict(context or {}), status=status)
    add_never_cache_headers(response)
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return staff_page(request, "home.html")


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Browsers ask for it on pages that name no icon: the admin, the API, a bare clip."""
    return redirect(static("touchstone/favicon.svg"))
