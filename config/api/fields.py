"""A choice that the schema knows by the name of its Python class: several resources have a `state`, each its own."""

from typing import Any

from django.db import models
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent
from rest_framework import serializers


class NamedChoiceField(serializers.ChoiceField):
    def __init__(self, choices: type[models.TextChoices], **options: Any) -> None:
        self.enumeration = choices
        super().__init__(choices=choices.choices, **options)


class NamedChoiceExtension(OpenApiSerializerFieldExtension):
    target_class = "config.api.fields.NamedChoiceField"

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        enumeration: type[models.TextChoices] = self.target.enumeration
        component = ResolvedComponent(
            name=enumeration.__name__,
            type=ResolvedComponent.SCHEMA,
            object=enumeration,
            schema={"type": "string", "enum": list(enumeration.values)},
        )
        auto_schema.registry.register_on_missing(component)
        return dict(component.ref)
