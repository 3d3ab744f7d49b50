"""The two roles that have accounts. Raters have none: a signed link, or the id that a crowd platform sends."""

from typing import Final

from django.contrib.auth.models import AbstractUser, AnonymousUser
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.views import APIView

MANAGER: Final = "manager"
RESEARCHER: Final = "researcher"


def has_role(user: AbstractUser | AnonymousUser, *roles: str) -> bool:
    """Whether the user is in one of the groups; a superuser has every role."""
    if not user.is_authenticated:
        return False
    return user.is_superuser or user.groups.filter(name__in=roles).exists()


class StaffRolePermission(BasePermission):
    """Managers and researchers read; a view names in `write_roles` who may write (nobody, unless it says so)."""

    message = "This needs the role of a manager or a researcher."

    def has_permission(self, request: Request, view: APIView) -> bool:
        if request.method in SAFE_METHODS:
            roles = getattr(view, "read_roles", (MANAGER, RESEARCHER))
        else:
            roles = getattr(view, "write_roles", ())
        return has_role(request.user, *roles)
