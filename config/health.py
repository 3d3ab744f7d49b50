"""`/healthz`: this process answers. `/readyz`: it can also reach what it needs, item by item."""

from collections.abc import Callable

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache

from config.celery import app


def _database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


def _migrations() -> None:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        raise RuntimeError(f"{len(missing)} migrations are not applied")


def _broker() -> None:
    with app.connection_for_write(connect_timeout=2) as broker:
        broker.ensure_connection(max_retries=1, timeout=2)


def _files() -> None:
    name = default_storage.save("readyz", ContentFile(b"ok"))
    default_storage.delete(name)


CHECKS: dict[str, Callable[[], None]] = {
    "database": _database,
    "migrations": _migrations,
    "broker": _broker,
    "files": _files,
}


@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"status": "ok", "version": settings.VERSION})


@never_cache
def readyz(request: HttpRequest) -> JsonResponse:
    answers = {}
    for name, check in CHECKS.items():
        try:
            check()
            answers[name] = "ok"
        except Exception as error:  # any failure is an answer here, and its class says enough to a stranger
            answers[name] = f"failed: {type(error).__name__}"
    ready = set(answers.values()) == {"ok"}
    return JsonResponse({"status": "ok" if ready else "failed", "checks": answers}, status=200 if ready else 503)
