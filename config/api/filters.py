"""django-filter, in one place because it carries no types."""

from django_filters.rest_framework import (  # type: ignore[import-untyped]
    BooleanFilter,
    CharFilter,
    ChoiceFilter,
    DjangoFilterBackend,
    FilterSet,
    IsoDateTimeFilter,
    NumberFilter,
)

__all__ = [
    "BooleanFilter",
    "CharFilter",
    "ChoiceFilter",
    "DjangoFilterBackend",
    "FilterSet",
    "IsoDateTimeFilter",
    "NumberFilter",
]
