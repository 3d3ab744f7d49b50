"""Settings come from the environment; a wrong value is refused by the variable's name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment


@pytest.mark.parametrize(
    ("value", "expected"), [("1", True), ("yes", True), ("TRUE", True), ("off", False), ("", False)]
)
def test_flags_read_what_people_write(monkeypatch: pytest.MonkeyPatch, value: str, expected: bool) -> None:
    monkeypatch.setenv("DEBUG", value)
    assert environment.flag("DEBUG") is expected


def test_a_mistyped_flag_is_refused_not_taken_for_false(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEBUG", "ture")
    with pytest.raises(ImproperlyConfigured, match=r"^DEBUG: expected 1 or 0, found 'ture'$"):
        environment.flag("DEBUG")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("many", "POOL: expected a whole number, found 'many'"),
        ("1.5", "POOL: expected a whole number, found '1.5'"),
        ("1", "POOL: expected at least 2, found 1"),
    ],
)
def test_a_wrong_number_is_refused(monkeypatch: pytest.MonkeyPatch, value: str, message: str) -> None:
    monkeypatch.setenv("POOL", value)
    with pytest.raises(ImproperlyConfigured) as caught:
        environment.integer("POOL", 5, minimum=2)
    assert str(caught.value) == message


def test_an_unknown_choice_is_refused_with_the_known_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MODE", "production")
    with pytest.raises(ImproperlyConfigured, match="MODE: expected one of embedded, deployment, found 'production'"):
        environment.choice("MODE", ("embedded", "deployment"))


def test_a_missing_secret_is_named_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "  ")
    with pytest.raises(ImproperlyConfigured, match="TOKEN is not set: workers sign with it"):
        environment.required("TOKEN", "workers sign with it")


def test_defaults_hold_when_nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("MODE", "POOL", "HOSTS", "FLAG"):
        monkeypatch.delenv(name, raising=False)
    assert environment.choice("MODE", ("embedded", "deployment")) == "embedded"
    assert environment.integer("POOL", 5) == 5
    assert environment.words("HOSTS", "a, b,") == ["a", "b"]
    assert environment.flag("FLAG", default=True) is True


GOOD = {
    "TOUCHSTONE_MODE": "deployment",
    "SECRET_KEY": "a long secret that nobody guesses, of more than fifty characters: 0123456789",
    "DATABASE_URL": "postgres://user@db/touchstone",
    "BROKER_URL": "redis://redis:6379/0",
    "ALLOWED_HOSTS": "touchstone.example.org",
}


def clean_environment() -> dict[str, str]:
    return {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}


def settings_error(tmp_path: Path, **variables: str) -> str:
    """What a person sees who starts the site with these variables; empty when it starts."""
    answer = subprocess.run(
        [sys.executable, "-c", "import config.settings"],
        env=clean_environment() | {"VAR_DIR": str(tmp_path)} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    return answer.stderr.strip().splitlines()[-1] if answer.returncode else ""


def test_a_complete_deployment_starts(tmp_path: Path) -> None:
    assert settings_error(tmp_path, **GOOD) == ""


@pytest.mark.parametrize("name", ["SECRET_KEY", "DATABASE_URL", "BROKER_URL", "ALLOWED_HOSTS"])
def test_a_deployment_names_what_it_misses(tmp_path: Path, name: str) -> None:
    error = settings_error(tmp_path, **{key: value for key, value in GOOD.items() if key != name})
    assert f"{name} is not set" in error


def test_a_database_that_nobody_knows_is_refused_by_name(tmp_path: Path) -> None:
    assert "DATABASE_URL: " in settings_error(tmp_path, **GOOD | {"DATABASE_URL": "oracel://db"})


def test_sqlite_keeps_what_it_acknowledged_and_checks_foreign_keys(tmp_path: Path) -> None:
    """Asked in a process of its own: the tests' database does not wait for the disk."""
    code = (
        "import django; django.setup(); from django.db import connection; cursor = connection.cursor()\n"
        "for name in ('journal_mode', 'synchronous', 'foreign_keys'):\n"
        "    print(cursor.execute(f'PRAGMA {name}').fetchone()[0])"
    )
    environment = clean_environment() | {"VAR_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}
    answer = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    full = "2"
    assert answer.stdout.split() == ["wal", full, "1"], answer.stderr
