"""What the database promises to refuse, read from models and migrations; and how to see that it does."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, models, transaction
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone
from factory.django import DjangoModelFactory

from config.constraints import AddRule, Rule

Breaks = dict[str, Callable[[], object]]


@dataclass(frozen=True)
class Promise:
    """What each database says when it refuses."""

    sqlite: str
    postgresql: str


def rules(app_label: str) -> list[Rule]:
    """Every rule that the app's migrations add."""
    migrations = MigrationLoader(None).disk_migrations
    return [
        operation.rule
        for (label, _), migration in sorted(migrations.items())
        if label == app_label
        for operation in migration.operations
        if isinstance(operation, AddRule) and operation.rule.exists_on(connection.vendor)
    ]


def promises(app_label: str) -> dict[str, Promise]:
    """Every check, unique constraint, unique field and rule of the app, by name (unique fields: model.field)."""
    found = {rule.name: Promise(rule.message, rule.name) for rule in rules(app_label)}
    for model in apps.get_app_config(app_label).get_models(include_auto_created=True):
        found |= dict(_model_promises(model))
    return found


def _model_promises(model: type[models.Model]) -> Iterator[tuple[str, Promise]]:
    options = model._meta
    for constraint in options.constraints:
        if isinstance(constraint, models.UniqueConstraint):
            yield constraint.name, Promise(_sqlite_unique(model, constraint.fields), constraint.name)
        else:
            yield constraint.name, Promise(f"CHECK constraint failed: {constraint.name}", constraint.name)
    together = [(field.name,) for field in options.local_fields if field.unique and not field.primary_key]
    for fields in [*together, *(tuple(fields) for fields in options.unique_together)]:
        columns = ", ".join(_column(model, name) for name in fields)
        yield f"{options.model_name}.{'+'.join(fields)}", Promise(_sqlite_unique(model, fields), f"Key ({columns})=")


def _column(model: type[models.Model], name: str) -> str:
    field = model._meta.get_field(name)
    assert isinstance(field, models.Field)
    return str(field.column)


def _sqlite_unique(model: type[models.Model], fields: Sequence[str]) -> str:
    """SQLite names the columns of a unique index, not the index."""
    columns = (f"{model._meta.db_table}.{_column(model, name)}" for name in fields)
    return f"UNIQUE constraint failed: {', '.join(columns)}"


@contextmanager
def refused(promise: Promise) -> Iterator[None]:
    """The block ends in an IntegrityError that carries the promise's own words."""
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        yield
    expected = promise.postgresql if connection.vendor == "postgresql" else promise.sqlite
    # The whole name, and all of the columns.
    said_so = re.search(rf"(?<!\w){re.escape(expected)}(?![\w,])", str(caught.value))
    assert said_so, f"refused, but not for {expected!r}: {caught.value}"


def without(constraint: str, model: type[models.Model]) -> None:
    """Lift one check for the rest of the transaction.

    PostgreSQL tries checks in the order of their names, so one that another implies is never the one it names. SQLite
    tries them as they were written, and cannot lift one.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f'ALTER TABLE "{model._meta.db_table}" DROP CONSTRAINT "{constraint}"')


def truncate_breaks(*frozen: type[models.Model]) -> Breaks:
    """Emptying a frozen table at one go, which only PostgreSQL can."""

    def truncate(table: str) -> None:
        with connection.cursor() as cursor:
            cursor.execute(f'TRUNCATE "{table}" CASCADE')

    if connection.vendor != "postgresql":
        return {}
    tables = [model._meta.db_table for model in frozen]
    return {f"{table}_no_truncate": partial(truncate, table) for table in tables}


def job_breaks(name: str, factory: type[DjangoModelFactory]) -> Breaks:
    """The constraints that every kind of job has."""
    now = timezone.now()
    lease = now + timedelta(minutes=1)

    def unknown_state() -> object:
        without(f"{name}_finished_has_time", factory._meta.model)
        return factory(state="lost")

    return {
        f"{name}_state_known": unknown_state,
        f"{name}_leased_while_running": lambda: factory(state="running", worker="w", lease_until=None),
        f"{name}_finished_has_time": lambda: factory(state="done", finished_at=None),
        f"{name}_failure_says_why": lambda: factory(state="failed", finished_at=now, error=""),
        f"{name}_attempts_are_limited": lambda: factory(attempt=4, max_attempts=3),
        f"{name}_progress_is_share": lambda: factory(state="running", worker="w", lease_until=lease, progress=1.1),
    }
