"""The two roles that have accounts. Raters have none: a signed link, or the id that a crowd platform sends."""

from typing import Final

from django.contrib.auth.models import AbstractUser, AnonymousUser

MANAGER: Final = "manager"
RESEARCHER: Final = "researcher"


def has_role(user: AbstractUser | AnonymousUser, *roles: str) -> bool:
    """Whether the user is in one of the groups; a superuser has every role."""
    if not user.is_authenticated:
        return False
    return user.is_superuser or user.groups.filter(name__in=roles).exists()
