"""Rules that the database itself keeps: named checks, and triggers that refuse to change what is frozen.

Triggers are written once for PostgreSQL and once for SQLite; both speak the same refusal, so a caller cannot tell them
apart: an IntegrityError that names the rule.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from django.db import models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations.base import Operation
from django.db.models import F, Q

# \Z and not $, which lets a newline follow where SQLite asks Python.
DIGEST = r"^[0-9a-f]{64}\Z"


def one_of(field: str, choices: type[models.TextChoices], name: str) -> models.CheckConstraint:
    """The column holds one of the choices: Django checks that in forms only."""
    return models.CheckConstraint(condition=Q(**{f"{field}__in": choices.values}), name=name)


def not_empty(field: str, name: str) -> models.CheckConstraint:
    return models.CheckConstraint(condition=~Q(**{field: ""}), name=name)


def at_least(field: str, minimum: float, name: str) -> models.CheckConstraint:
    return models.CheckConstraint(condition=Q(**{f"{field}__gte": minimum}), name=name)


def is_digest(field: str, name: str) -> models.CheckConstraint:
    """64 lower-case hexadecimal digits: a SHA-256."""
    return models.CheckConstraint(condition=Q(**{f"{field}__regex": DIGEST}), name=name)


def is_finite(field: str, name: str) -> models.CheckConstraint:
    """No infinity, and no NaN: PostgreSQL sorts NaN above every number, SQLite stores it as NULL."""
    return models.CheckConstraint(
        condition=Q(**{f"{field}__isnull": True}) | Q(**{f"{field}__gt": -1.7e308, f"{field}__lt": 1.7e308}), name=name
    )


def not_before(later: str, earlier: str, name: str) -> models.CheckConstraint:
    return models.CheckConstraint(
        condition=Q(**{f"{later}__isnull": True}) | Q(**{f"{later}__gte": F(earlier)}), name=name
    )


@dataclass(frozen=True)
class Rule:
    """A row change is refused with `message` when `event` happens and `condition` (SQL over OLD and NEW) holds."""

    name: str
    table: str
    event: str  # INSERT, UPDATE, DELETE; or TRUNCATE, which only PostgreSQL has
    message: str
    condition: str = ""

    def exists_on(self, vendor: str) -> bool:
        return self.event != "TRUNCATE" or vendor == "postgresql"

    def create(self, vendor: str) -> str:
        return self._create_postgresql() if vendor == "postgresql" else self._create_sqlite()

    def drop(self, vendor: str) -> str:
        if vendor == "postgresql":
            return f'DROP TRIGGER "{self.name}" ON "{self.table}"; DROP FUNCTION "{self.name}"();'
        return f'DROP TRIGGER "{self.name}";'

    @property
    def _quoted_message(self) -> str:
        return "'" + self.message.replace("'", "''") + "'"

    def _create_postgresql(self) -> str:
        row = "OLD" if self.event in ("DELETE", "TRUNCATE") else "NEW"
        each = "STATEMENT" if self.event == "TRUNCATE" else "ROW"
        refusal = f"RAISE EXCEPTION {self._quoted_message} USING ERRCODE = 'integrity_constraint_violation';"
        body = f"IF {self.condition} THEN {refusal} END IF;" if self.condition else refusal
        return (
            f'CREATE FUNCTION "{self.name}"() RETURNS trigger LANGUAGE plpgsql AS $$ '
            f"BEGIN {body} RETURN {row}; END $$; "
            f'CREATE TRIGGER "{self.name}" BEFORE {self.event} ON "{self.table}" '
            f'FOR EACH {each} EXECUTE FUNCTION "{self.name}"();'
        )

    def _create_sqlite(self) -> str:
        when = f"WHEN {self.condition} " if self.condition else ""
        return (
            f'CREATE TRIGGER "{self.name}" BEFORE {self.event} ON "{self.table}" FOR EACH ROW {when}'
            f"BEGIN SELECT RAISE(ABORT, {self._quoted_message}); END;"
        )


class AddRule(Operation):
    """Migration operation that adds a Rule, and removes it when the migration is undone."""

    reduces_to_sql = True
    reversible = True
    fields: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, rule: Rule) -> None:
        self.rule = rule

    def state_forwards(self, app_label: str, state: Any) -> None:
        """The models' state does not know of triggers."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        if self.rule.exists_on(schema_editor.connection.vendor):
            schema_editor.execute(self.rule.create(schema_editor.connection.vendor), params=None)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        if self.rule.exists_on(schema_editor.connection.vendor):
            schema_editor.execute(self.rule.drop(schema_editor.connection.vendor), params=None)

    def describe(self) -> str:
        return f"Add database rule {self.rule.name}"


class DropRule(Operation):
    """Takes a Rule away; undoing adds it again.

    SQLite remakes a table to alter it and loses its triggers without a word, PostgreSQL keeps them: a migration that
    alters a table drops its rules before and adds them after, and both databases end up the same.
    """

    reduces_to_sql = True
    reversible = True

    def __init__(self, rule: Rule) -> None:
        self.adding = AddRule(rule)

    def state_forwards(self, app_label: str, state: Any) -> None:
        """The models' state does not know of triggers."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        self.adding.database_backwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        self.adding.database_forwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        return f"Drop database rule {self.adding.rule.name}"


def frozen(table: str, *, what: str, condition: str = "") -> list[Operation]:
    """Refuse UPDATE and DELETE on `table` (where `condition` over OLD holds, if given), and emptying it at one go."""
    rows = [
        AddRule(Rule(f"{table}_no_{event.lower()}", table, event, f"{what} refuses {event}", condition))
        for event in ("UPDATE", "DELETE")
    ]
    return [*rows, AddRule(Rule(f"{table}_no_truncate", table, "TRUNCATE", f"{what} refuses TRUNCATE"))]
