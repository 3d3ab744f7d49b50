"""Migrations go forward, back to nothing and forward again; rules survive them; a deployment passes Django's checks."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from pytest_django import DjangoDbBlocker

from tests.config.refusals import rules

ROOT = Path(__file__).resolve().parent.parent
OURS = ("audit", "rendering", "annotation", "metaeval")
SCRATCH = "scratch"


def triggers(database: BaseDatabaseWrapper) -> set[str]:
    if database.vendor == "postgresql":
        query = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    else:
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    with database.cursor() as cursor:
        cursor.execute(query)
        return {name for (name,) in cursor.fetchall()}


def trigger_functions(database: BaseDatabaseWrapper) -> set[str]:
    with database.cursor() as cursor:
        cursor.execute(
            "SELECT proname FROM pg_proc"
            " WHERE prorettype = 'trigger'::regtype AND pronamespace = 'public'::regnamespace"
        )
        return {name for (name,) in cursor.fetchall()}


def our_tables(database: BaseDatabaseWrapper) -> set[str]:
    return {name for name in database.introspection.table_names() if name.startswith(tuple(f"{app}_" for app in OURS))}


def promised_triggers() -> set[str]:
    return {rule.name for app in OURS for rule in rules(app)}


@pytest.fixture
def scratch(django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path: Path) -> Iterator[BaseDatabaseWrapper]:
    """An empty database beside the test database, known to Django as `scratch`."""
    with django_db_blocker.unblock(), _scratch_database(tmp_path) as database:
        yield database


@contextmanager
def _scratch_database(tmp_path: Path) -> Iterator[BaseDatabaseWrapper]:
    settings = dict(connection.settings_dict)
    if connection.vendor == "postgresql":
        settings["NAME"] = f"{connection.settings_dict['NAME']}_scratch"
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE IF EXISTS "{settings["NAME"]}"')
            cursor.execute(f'CREATE DATABASE "{settings["NAME"]}"')
    else:
        settings["NAME"] = str(tmp_path / "scratch.sqlite3")
    connections.databases[SCRATCH] = settings
    database = connections[SCRATCH]
    try:
        yield database
    finally:
        database.close()
        del connections[SCRATCH]
        del connections.databases[SCRATCH]
        if connection.vendor == "postgresql":
            with connection._nodb_cursor() as cursor:
                cursor.execute(f'DROP DATABASE "{settings["NAME"]}"')


def migrate(*target: str) -> None:
    call_command("migrate", *target, database=SCRATCH, verbosity=0, interactive=False)


@pytest.mark.slow
def test_every_app_goes_back_to_nothing_and_forward_again(scratch: BaseDatabaseWrapper) -> None:
    migrate()
    tables = our_tables(scratch)
    for app in reversed(OURS):
        migrate(app, "zero")
        assert not {table for table in our_tables(scratch) if table.startswith(f"{app}_")}
    assert our_tables(scratch) == set()
    assert triggers(scratch) == set()
    if scratch.vendor == "postgresql":
        assert trigger_functions(scratch) == set()
    migrate()
    assert our_tables(scratch) == tables
    assert triggers(scratch) == promised_triggers()


@pytest.mark.django_db
def test_every_rule_is_in_the_database_after_all_migrations() -> None:
    """SQLite remakes a table to alter it, and drops its triggers without a word."""
    assert triggers(connection) == promised_triggers()


@pytest.mark.django_db
def test_the_models_need_no_new_migration() -> None:
    call_command("makemigrations", "--check", "--dry-run", verbosity=0)


@pytest.mark.slow
def test_a_deployment_passes_djangos_checks_without_a_warning(tmp_path: Path) -> None:
    clean = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    deployment = {
        "TOUCHSTONE_MODE": "deployment",
        "SECRET_KEY": secrets.token_urlsafe(50),
        "DATABASE_URL": "postgres://touchstone@database/touchstone",
        "BROKER_URL": "redis://broker:6379/0",
        "ALLOWED_HOSTS": "touchstone.example.org",
        "VAR_DIR": str(tmp_path),
    }
    command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"]
    answer = subprocess.run(command, cwd=ROOT, env=clean | deployment, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    assert "no issues" in answer.stdout
