"""docker/ without a Docker engine: what can be read from the files themselves."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
OURS = ("web", "migrate", "worker", "render-worker")
SERVICES = (*OURS, "db", "redis")
# What settings.py does not read: compose itself does, or PostgreSQL's image.
COMPOSE_ONLY = {"POSTGRES_PASSWORD", "POSTGRES_USER", "POSTGRES_DB", "WEB_PORT"}
# Belongs to a developer's machine.
NOT_FOR_A_DEPLOYMENT = {"DEBUG"}


def variables_of_settings() -> set[str]:
    text = (ROOT / "config" / "settings.py").read_text()
    return set(re.findall(r"""env\.\w+\(\s*["'](\w+)["']""", text))


def example() -> dict[str, str]:
    lines = (ROOT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())
    return loaded


@pytest.fixture(scope="module")
def dockerfile() -> list[str]:
    """One instruction an entry, continuation lines joined, comments gone."""
    text = (ROOT / "docker" / "Dockerfile").read_text()
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    return [line.strip() for line in "\n".join(lines).replace("\\\n", " ").splitlines() if line.strip()]


# --- Variables --------------------------------------------------------------------------------------------------------


def test_every_variable_that_the_settings_read_is_in_the_example() -> None:
    assert variables_of_settings() <= example().keys()


def test_the_example_names_no_variable_that_nobody_reads() -> None:
    assert example().keys() - variables_of_settings() <= COMPOSE_ONLY


def test_compose_gives_every_variable_of_the_settings_and_no_other(compose: dict[str, Any]) -> None:
    for name in OURS:
        given = set(compose["services"][name]["environment"])
        assert given == variables_of_settings() - NOT_FOR_A_DEPLOYMENT, name


def test_every_variable_that_compose_asks_for_is_in_the_example() -> None:
    asked = set(re.findall(r"\$\{(\w+)", (ROOT / "docker" / "compose.yaml").read_text()))
    assert asked <= example().keys()


def test_the_example_holds_no_secret_and_compose_insists_on_each() -> None:
    text = (ROOT / "docker" / "compose.yaml").read_text()
    for name in ("SECRET_KEY", "POSTGRES_PASSWORD"):
        assert example()[name] == ""
        uses = re.findall(rf"\$\{{{name}[^}}]*\}}", text)
        assert uses
        assert all(use.startswith(f"${{{name}:?") for use in uses)
    assert not re.search(r"^\s+\w*(PASSWORD|SECRET|TOKEN)\w*:\s*(?!\$\{)\S", text, re.MULTILINE)


@pytest.mark.parametrize("mode", ["embedded", "deployment"])
def test_the_settings_take_the_examples_values(mode: str, tmp_path: Path) -> None:
    values = {name: value for name, value in example().items() if name not in COMPOSE_ONLY}
    values |= {"VAR_DIR": str(tmp_path), "STATIC_ROOT": str(tmp_path / "static")}
    if mode == "deployment":
        values |= {
            "TOUCHSTONE_MODE": mode,
            "SECRET_KEY": "of-a-test",
            "DATABASE_URL": "postgres://db/touchstone",
            "BROKER_URL": "redis://redis:6379/0",
        }
    command = [sys.executable, "-c", "from config import settings; print(settings.MODE)"]
    answer = subprocess.run(
        command, cwd=ROOT, env={"PATH": os.environ["PATH"]} | values, capture_output=True, text=True, check=False
    )
    assert answer.stdout.strip() == mode, answer.stderr


# --- compose.yaml -----------------------------------------------------------------------------------------------------


def test_all_services_are_there(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == set(SERVICES)


@pytest.mark.parametrize("name", SERVICES)
def test_service_is_watched_and_confined(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    assert service["healthcheck"].get("test") or name == "migrate"
    assert service["init"] is True
    assert service["read_only"] is True
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["cap_drop"] == ["ALL"]
    assert "privileged" not in service
    assert name in OURS or service["user"] not in ("root", "0")


@pytest.mark.parametrize("name", SERVICES)
def test_only_the_site_can_be_reached_and_only_from_this_machine(compose: dict[str, Any], name: str) -> None:
    service = compose["services"][name]
    if name == "web":
        assert [port.startswith("127.0.0.1:") for port in service["ports"]] == [True]
    else:
        assert "ports" not in service
        assert service["networks"] == ["inside"]
    assert compose["networks"]["inside"]["internal"] is True


def test_services_wait_for_what_they_need(compose: dict[str, Any]) -> None:
    for name in ("web", "worker", "render-worker"):
        conditions = {need: how["condition"] for need, how in compose["services"][name]["depends_on"].items()}
        assert conditions["migrate"] == "service_completed_successfully"
        assert conditions["redis"] == "service_healthy"
    assert compose["services"]["migrate"]["depends_on"]["db"]["condition"] == "service_healthy"
    assert compose["services"]["migrate"]["restart"] == "no"


def test_every_queue_that_the_settings_route_to_has_a_worker(compose: dict[str, Any]) -> None:
    from django.conf import settings

    routed = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()} | {settings.CELERY_TASK_DEFAULT_QUEUE}
    served = {
        queue
        for name in ("worker", "render-worker")
        for queue in _after(compose["services"][name]["command"], "--queues").split(",")
    }
    assert served == routed


def _after(command: list[str], option: str) -> str:
    return command[command.index(option) + 1]


def test_every_volume_is_named(compose: dict[str, Any]) -> None:
    for name, service in compose["services"].items():
        for volume in service.get("volumes", ()):
            assert volume.split(":")[0] in compose["volumes"], name


def test_images_are_pinned(compose: dict[str, Any], dockerfile: list[str]) -> None:
    images = [service["image"] for service in compose["services"].values()]
    images += [image for line in dockerfile if (image := _base(line))]
    for image in images:
        assert re.fullmatch(r"[a-z-]+:\d[\w.-]*", image), image


def _base(line: str) -> str:
    """The image that a FROM starts from, unless it is a stage of this file."""
    words = line.split()
    return words[1] if words[0] == "FROM" and ":" in words[1] else ""


# --- Dockerfile -------------------------------------------------------------------------------------------------------


def test_compose_builds_stages_that_exist(compose: dict[str, Any], dockerfile: list[str]) -> None:
    stages = {line.split()[-1] for line in dockerfile if line.startswith("FROM ")}
    for name in OURS:
        build = compose["services"][name]["build"]
        assert build["target"] in stages
        assert (ROOT / "docker" / build["context"] / build["dockerfile"]).is_file()


def test_everything_that_is_copied_exists_and_is_let_into_the_build(dockerfile: list[str]) -> None:
    let_in = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    for line in dockerfile:
        if line.startswith("COPY ") and "--from" not in line:
            for source in line.split()[1:-1]:
                assert (ROOT / source).exists(), line
                assert any(source == path or source.startswith(f"{path}/") for path in let_in), line


def test_every_installed_app_of_ours_is_copied(dockerfile: list[str]) -> None:
    copied = {line.split()[1] for line in dockerfile if line.startswith("COPY ")}
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert packages <= copied


def test_images_end_as_a_person_without_rights(dockerfile: list[str]) -> None:
    users: dict[str, str] = {}
    stage = ""
    for line in dockerfile:
        if line.startswith("FROM "):
            stage = line.split()[-1]
        elif line.startswith("USER "):
            users[stage] = line.split()[1]
    assert users == {"app": "touchstone", "render": "touchstone"}


def test_pins_are_what_is_installed(dockerfile: list[str]) -> None:
    installs = [line for line in dockerfile if "pip install" in line]
    assert len(installs) == 2
    assert all(re.search(r"pip install -r /tmp/(base|render)\.txt$", line) for line in installs)


def test_commands_of_the_images_are_lists(dockerfile: list[str]) -> None:
    """A shell in between would keep the signal that ends a container from its process."""
    commands = [line.removeprefix("CMD ") for line in dockerfile if line.startswith("CMD ")]
    assert [json.loads(command)[0] for command in commands] == ["gunicorn", "celery"]


# --- The health check -------------------------------------------------------------------------------------------------


def test_health_check_fails_when_nothing_answers() -> None:
    # `localhost:9` as a proxy: whatever this machine has on port 8000 is not asked.
    environment = {"PATH": os.environ["PATH"], "http_proxy": "http://127.0.0.1:9"}
    command = [sys.executable, str(ROOT / "docker" / "healthcheck.py"), "/readyz"]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert "/readyz" in answer.stderr
