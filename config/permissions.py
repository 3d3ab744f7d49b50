"""Who may do what through the API."""

from typing import TYPE_CHECKING

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from config.roles import MANAGER, RESEARCHER, has_role

if TYPE_CHECKING:  # importing it asks for the default permission class, which is this one
    from rest_framework.views import APIView


class StaffRolePermission(BasePermission):
    """Managers and researchers read; a view names in `write_roles` who may write (nobody, unless it says so)."""

    message = "This needs the role of a manager or a researcher."

    def has_permission(self, request: Request, view: "APIView") -> bool:
        if request.method in SAFE_METHODS:
            roles = getattr(view, "read_roles", (MANAGER, RESEARCHER))
        else:
            roles = getattr(view, "write_roles", ())
        return has_role(request.user, *roles)
