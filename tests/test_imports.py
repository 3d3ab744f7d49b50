"""Who may import whom (DESIGN.md, "Pure cores" and "Direction"); the contracts stand in pyproject.toml."""

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

# DESIGN.md's pure cores, and ours beside them. One that does not exist yet is not asked for.
CORES = [
    "annotation.qc",
    "annotation.sampling",
    "fixtures.generators",
    "fixtures.human",
    "metaeval.judges",
    "metaeval.metrics",
    "metaeval.probes",
    "metaeval.report",
    "metaeval.stats",
    "rendering.backends",
    "rendering.body",
    "rendering.motion",
    "rendering.scene",
    "rendering.video",
]
APPS = ["annotation", "config", "config.audit", "config.jobs", "fixtures", "metaeval", "rendering"]


def path_of(module: str) -> Path:
    return ROOT / module.replace(".", "/") / "__init__.py"


EXISTING_CORES = [core for core in CORES if path_of(core).exists()]


def test_the_import_contracts_hold() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]
    answer = subprocess.run([*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stdout + answer.stderr


@pytest.mark.parametrize("core", EXISTING_CORES)
def test_every_pure_core_stands_in_the_contract(core: str) -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (contract,) = [contract for contract in contracts if contract["id"] == "pure-cores"]
    assert core in contract["source_modules"], f"add {core!r} to the contract 'pure-cores' in pyproject.toml"


# Programs with an environment of their own: Blender's Python, and what builds the body once (extra `body`).
ELSEWHERE = ("rendering.backends.blender.child", "rendering.body.build", "rendering.body.building.")


@pytest.mark.slow
@pytest.mark.parametrize("core", EXISTING_CORES)
def test_a_pure_core_loads_in_a_notebook_without_django(core: str) -> None:
    code = (
        f"import importlib, pkgutil, sys; core = importlib.import_module({core!r})\n"
        "names = [found.name for found in pkgutil.walk_packages(core.__path__, core.__name__ + '.')]\n"
        f"[importlib.import_module(name) for name in names if not name.startswith({ELSEWHERE!r})]\n"
        "heavy = {'django', 'celery', 'rest_framework', 'psycopg', 'bpy'} & set(sys.modules)\n"
        "sys.exit(f'loaded {heavy}' if heavy else 0)"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DJANGO")}
    answer = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize("app", APPS)
def test_an_apps_package_imports_nothing(app: str) -> None:
    tree = ast.parse(path_of(app).read_text())
    imports = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert imports == [], f"{app}/__init__.py imports at line {imports}"
    assert ast.get_docstring(tree), f"{app}/__init__.py says what lives there"


def test_frontend_is_templates_and_static_files_only() -> None:
    assert [str(path) for path in (ROOT / "frontend").rglob("*.py")] == []
