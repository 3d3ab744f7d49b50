"""What every resource does the same way: read with filters that are checked, in an order that is stable."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, TypeVar, cast

from django.contrib.auth.base_user import AbstractBaseUser
from django.db import models
from django.db.models import QuerySet
from rest_framework.exceptions import ValidationError
from rest_framework.filters import OrderingFilter
from rest_framework.request import Request
from rest_framework.views import APIView
from rest_framework.viewsets import ReadOnlyModelViewSet

from config.api.filters import DjangoFilterBackend, FilterSet
from config.audit.services import actor_for_user

M = TypeVar("M", bound=models.Model)

_PAGING = frozenset({"page", "page_size"})
_ALWAYS = frozenset({"ordering", "format"})


class StableOrderingFilter(OrderingFilter):
    """Refuses an order it does not know, and breaks ties by primary key: no row is on two pages or on none."""

    def filter_queryset(self, request: Request, queryset: QuerySet[Any, Any], view: APIView) -> QuerySet[Any, Any]:
        return queryset.order_by(*(self.get_ordering(request, queryset, view) or ()), "pk")

    def remove_invalid_fields(
        self, queryset: QuerySet[Any, Any], fields: Iterable[str], view: APIView, request: Request
    ) -> list[str]:
        valid = {name for name, _ in self.get_valid_fields(queryset, view, {"request": request})}
        wanted = list(fields)
        if unknown := [name for name in wanted if name.lstrip("-") not in valid]:
            raise ValidationError({"ordering": [f"Expected {', '.join(sorted(valid))}; found {', '.join(unknown)}."]})
        return wanted


class Resource(ReadOnlyModelViewSet[M]):
    """Managers and researchers read it. A subclass that writes says who may, in `write_roles`."""

    filter_backends = (DjangoFilterBackend, StableOrderingFilter)
    filterset_class: type[FilterSet] | None = None
    ordering_fields: ClassVar[Sequence[str]] = ()
    write_roles: ClassVar[Sequence[str]] = ()
    # Beside the filters, order and pages: what an action reads from the address.
    own_parameters: frozenset[str] = _PAGING

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        self._refuse_unknown_parameters(request)

    def _refuse_unknown_parameters(self, request: Request) -> None:
        """A mistyped filter must not answer with everything, nor a mistyped dry run write."""
        filters = set(self.filterset_class.base_filters) if self.filterset_class else set()
        unknown = request.query_params.keys() - filters - self.own_parameters - _ALWAYS
        if unknown:
            known = ", ".join(sorted(filters | self.own_parameters | {"ordering"}))
            raise ValidationError({name: [f"No such parameter. Expected one of {known}."] for name in sorted(unknown)})


def actor_of(request: Request) -> str:
    """Who asks, as the audit log writes it; the permission has let in no stranger."""
    return actor_for_user(cast(AbstractBaseUser, request.user))


def only(name: str, values: Iterable[str], allowed: Sequence[str]) -> None:
    """Refuse a parameter that is none of the allowed words."""
    for value in values:
        if value not in allowed:
            raise ValidationError({name: [f"Expected {', '.join(allowed)}; found {value!r}."]})
