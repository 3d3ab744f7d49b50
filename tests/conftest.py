"""What every test stands on: a folder, a database and a queue of its own, never the user's.

By default tests run on SQLite and nothing is sent to a queue. With TEST_DATABASE_URL (or DATABASE_URL) naming a
PostgreSQL they run there; `python tests/servers.py pytest ...` starts one. See tests/run.py for what `make test` does.
"""

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.servers import find_chromium, given_database_url

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page
    from pytest_django.live_server_helper import LiveServer

FOLDER = "TOUCHSTONE_TEST_FOLDER"


def _point_the_settings_away_from_the_user() -> None:
    """Must run before the settings are imported: they read the environment once."""
    if "config.settings" in sys.modules:
        raise pytest.UsageError("unset DJANGO_SETTINGS_MODULE: tests/conftest.py sets it after choosing a folder")
    if FOLDER not in os.environ:
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="ts-tests-")
        atexit.register(shutil.rmtree, os.environ[FOLDER], ignore_errors=True)
    worker = os.environ.get("PYTEST_XDIST_WORKER", "main")
    os.environ["VAR_DIR"] = str(Path(os.environ[FOLDER]) / worker)
    (Path(os.environ["VAR_DIR"]) / "static").mkdir(parents=True, exist_ok=True)  # whitenoise warns if there is none
    os.environ["DATABASE_URL"] = given_database_url(os.environ)
    os.environ.setdefault("BROKER_URL", "memory://")
    for name in ("TOUCHSTONE_MODE", "DEBUG", "FILE_STORAGE", "ACCEL_REDIRECT_PREFIX", "RATER_FRAME_ANCESTORS"):
        os.environ.pop(name, None)
    os.environ["LOG_LEVEL"] = "INFO"
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"


_point_the_settings_away_from_the_user()

import django  # noqa: E402

django.setup()
del os.environ["DJANGO_SETTINGS_MODULE"]  # pytest-xdist's workers inherit it, and must choose their folder first

import hypothesis  # noqa: E402
from celery import Celery  # noqa: E402
from django.apps import AppConfig  # noqa: E402
from django.conf import settings  # noqa: E402
from django.contrib.auth.models import Group  # noqa: E402
from django.db import connections  # noqa: E402
from django.db.backends.base.operations import BaseDatabaseOperations  # noqa: E402
from django.db.backends.postgresql.base import DatabaseWrapper as PostgresqlDatabase  # noqa: E402
from django.db.backends.sqlite3.base import DatabaseWrapper as SqliteDatabase  # noqa: E402
from django.db.models.signals import post_migrate  # noqa: E402
from django.test.utils import override_settings  # noqa: E402

from config.roles import MANAGER, RESEARCHER  # noqa: E402

ON_POSTGRESQL = "postgresql" in settings.DATABASES["default"]["ENGINE"]
ON_REDIS = settings.BROKER_URL.startswith("redis")

# No deadline: a shared machine is slow at times, and a slow example is no wrong one.
hypothesis.settings.register_profile("touchstone", deadline=None)
hypothesis.settings.load_profile("touchstone")


# --- Which tests run where --------------------------------------------------------------------------------------------

_DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "django_db_setup"}


@pytest.hookimpl(tryfirst=True)  # before pytest reads -m
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.get_closest_marker("django_db") or _DATABASE_FIXTURES & set(getattr(item, "fixturenames", ())):
            item.add_marker("database")
        if reason := _why_not_here(item):
            item.add_marker(pytest.mark.skip(reason=reason))


def _why_not_here(item: pytest.Item) -> str:
    if item.get_closest_marker("postgres_only") and not ON_POSTGRESQL:
        return "needs PostgreSQL"
    if item.get_closest_marker("sqlite_only") and ON_POSTGRESQL:
        return "needs SQLite"
    if item.get_closest_marker("servers") and not (ON_POSTGRESQL and ON_REDIS):
        return "needs a real PostgreSQL and Redis: python tests/servers.py pytest ..."
    if item.get_closest_marker("browser") and not find_chromium():
        return "no Chromium found: set CHROMIUM to its path"
    return ""


# --- The database -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> None:
    """SQLite in a file, as in production: in memory, threads would share one connection and its locks."""
    if not ON_POSTGRESQL:
        database = connections["default"].settings_dict
        database["TEST"]["NAME"] = str(settings.VAR_DIR / "test.sqlite3")
        # No test cuts the power, and waiting for the disk at each commit takes most of the time.
        options = database["OPTIONS"]
        options["init_command"] = options["init_command"].replace("synchronous=FULL", "synchronous=OFF")


_sqlite_flush = SqliteDatabase.ops_class.sql_flush


def _flush_frozen_tables_too(self: BaseDatabaseOperations, style: Any, tables: list[str], **options: Any) -> list[str]:
    """Transactional tests empty every table, and frozen ones refuse DELETE: lift the triggers for that moment.

    Django runs the statements in one transaction.
    """
    with self.connection.cursor() as cursor:
        cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        triggers = cursor.fetchall()
    drops = [f"DROP TRIGGER {self.quote_name(name)};" for name, _ in triggers]
    return [*drops, *_sqlite_flush(self, style, tables, **options), *(sql for _, sql in triggers)]


SqliteDatabase.ops_class.sql_flush = _flush_frozen_tables_too  # type: ignore[method-assign, assignment]

_postgresql_flush = PostgresqlDatabase.ops_class.sql_flush


def _truncate_frozen_tables_too(
    self: BaseDatabaseOperations, style: Any, tables: list[str], **options: Any
) -> list[str]:
    """The same for PostgreSQL, which empties tables by TRUNCATE: only the triggers against that stand in the way."""
    with self.connection.cursor() as cursor:
        cursor.execute("SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE '%no_truncate'")
        triggers = cursor.fetchall()
    lift, restore = (
        [f"ALTER TABLE {table} {verb} TRIGGER {self.quote_name(name)};" for name, table in triggers]
        for verb in ("DISABLE", "ENABLE")
    )
    return [*lift, *_postgresql_flush(self, style, tables, **options), *restore]


PostgresqlDatabase.ops_class.sql_flush = _truncate_frozen_tables_too  # type: ignore[method-assign, assignment]


def _restore_the_roles(sender: AppConfig, using: str, **_: Any) -> None:
    """A migration made the two groups once; the flush after a transactional test takes them away."""
    if sender.label == "auth":
        for name in (MANAGER, RESEARCHER):
            Group.objects.using(using).get_or_create(name=name)


post_migrate.connect(_restore_the_roles)


# --- Files, passwords, queue ------------------------------------------------------------------------------------------


@pytest.fixture(scope="session", autouse=True)
def _quick_passwords() -> Iterator[None]:
    with override_settings(PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"]):
        yield


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Path]:
    """Storage that starts empty; everyone else shares the run's temporary folder."""
    with override_settings(MEDIA_ROOT=tmp_path / "files"):
        yield tmp_path / "files"


@dataclass(frozen=True)
class Doorbell:
    """A message that would have gone to a worker."""

    task: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    options: dict[str, Any]


@pytest.fixture(autouse=True)
def doorbells(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[Doorbell]:
    """Messages are recorded, not sent, and no task runs. Tests marked `servers` send theirs through Redis."""
    rung: list[Doorbell] = []
    if request.node.get_closest_marker("servers"):
        return rung

    def record(_app: Celery, name: str, args: Any = None, kwargs: Any = None, *_ignored: Any, **options: Any) -> None:
        rung.append(Doorbell(name, tuple(args or ()), dict(kwargs or {}), options))

    monkeypatch.setattr(Celery, "send_task", record)
    return rung


# --- The browser ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def chromium() -> "Iterator[Browser]":
    """The machine's own Chromium: Playwright downloads nothing."""
    from playwright.sync_api import sync_playwright

    # Playwright's synchronous API keeps an event loop in this thread; Django would take us for asynchronous code.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    # Chromium's sandbox refuses to run as root, and needs more shared memory than containers give.
    flags = ["--no-sandbox", "--disable-dev-shm-usage"]
    # WebGL without a graphics card, which Chromium no longer falls back to by itself.
    flags += ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=flags)
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium: "Browser", live_server: "LiveServer") -> "Iterator[Callable[..., Page]]":
    """Opens pages, each in a context of its own: `new_page(viewport={...})` takes Playwright's context options."""
    contexts = []

    def open_page(**options: Any) -> "Page":
        context = chromium.new_context(base_url=live_server.url, **options)
        context.set_default_timeout(10_000)
        contexts.append(context)
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_page: "Callable[..., Page]") -> "Page":
    return new_page()
