"""Every model has a factory, and what it makes is valid by the database and by the model itself."""

import pytest
from django.apps import apps
from factory.django import DjangoModelFactory

from tests import factories
from tests.factories import ManagerFactory, ResearcherFactory

OURS = ("audit", "rendering", "annotation", "metaeval")
FACTORIES: list[type[DjangoModelFactory]] = [
    value for value in vars(factories).values() if isinstance(value, type) and issubclass(value, DjangoModelFactory)
]


def test_every_model_has_a_factory() -> None:
    made = {factory._meta.model for factory in FACTORIES}
    missing = [model.__name__ for label in OURS for model in apps.get_app_config(label).get_models()]
    assert [name for name in missing if name not in {model.__name__ for model in made}] == []


@pytest.mark.django_db
@pytest.mark.parametrize("factory", FACTORIES, ids=lambda factory: factory.__name__)
def test_factories_make_valid_rows_twice(factory: type[DjangoModelFactory]) -> None:
    for _ in range(2):
        row = factory()
        row.full_clean()
        assert str(row)


@pytest.mark.django_db
def test_accounts_come_with_their_role() -> None:
    assert [group.name for group in ManagerFactory().groups.all()] == ["manager"]
    assert [group.name for group in ResearcherFactory().groups.all()] == ["researcher"]
