"""Runs all tests, as `make test` does: python tests/run.py [--fast] [pytest arguments]

1. everything on SQLite, except what needs servers or a browser;
2. whatever uses the database again on a real PostgreSQL, with a real Redis beside it;
3. the pages in a real Chromium.

--fast: the first part only, without the slow tests. The last line is always "N passed, N failed, N skipped".
Environment: TEST_DATABASE_URL or DATABASE_URL (a PostgreSQL to use), BROKER_URL (a Redis to use), CHROMIUM (its path),
REQUIRE_BROWSER=1 (no Chromium is a failure), TEST_PROCESSES (2).
"""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import psycopg
import redis

ROOT = Path(__file__).resolve().parent.parent
sys.path[0] = str(ROOT)  # python put tests/ there, whose config/ and fixtures/ would hide the real ones

from tests.servers import ServerError, end_with_parent, find_chromium, running_servers, stop_on_signal  # noqa: E402

ELSEWHERE = "not browser and not servers and not postgres_only"
NO_TESTS = 5  # pytest's exit code when nothing was selected
NOT_THE_USERS = ("DATABASE_URL", "TEST_DATABASE_URL", "BROKER_URL", "DJANGO_SETTINGS_MODULE", "PYTEST_ADDOPTS")


@dataclass(frozen=True)
class Part:
    """One run of pytest."""

    title: str
    selection: str  # for -m
    environment: Mapping[str, str] = field(default_factory=dict)
    processes: str = "0"
    note: str = ""


@dataclass(frozen=True)
class Outcome:
    """What came of a part."""

    title: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    note: str = ""
    problem: str = ""

    @property
    def ran(self) -> int:
        return self.passed + self.failed

    @property
    def is_bad(self) -> bool:
        return bool(self.failed or self.problem)


def run_part(part: Part, arguments: list[str], *, may_be_empty: bool) -> Outcome:
    """One pytest process, in a folder of its own."""
    print(f"\n=== {part.title} ===", flush=True)
    with tempfile.TemporaryDirectory(prefix="ts-tests-") as folder:
        results = Path(folder) / "results.xml"
        environment = {name: value for name, value in os.environ.items() if name not in NOT_THE_USERS}
        environment |= {"TOUCHSTONE_TEST_FOLDER": folder, **part.environment}
        command = [sys.executable, "-m", "pytest", "-q", "-m", part.selection, "-n", part.processes]
        command += [f"--junitxml={results}", "-o", "junit_family=xunit2", *arguments]
        code = _run_to_the_end(command, environment)
        return _read_outcome(part, results, code, may_be_empty=may_be_empty)


def _run_to_the_end(command: list[str], environment: Mapping[str, str]) -> int:
    child = subprocess.Popen(command, env=environment, cwd=ROOT, preexec_fn=end_with_parent)
    try:
        return child.wait()
    except KeyboardInterrupt:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(15)  # Ctrl-C reached it as well: it is writing its summary
        raise
    finally:
        if child.poll() is None:
            child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(10)
            child.kill()
            child.wait()


def _read_outcome(part: Part, results: Path, code: int, *, may_be_empty: bool) -> Outcome:
    passed = failed = 0
    reasons: Counter[str] = Counter()
    # One case may stand there twice: a test that failed, and then its teardown did.
    for case in ElementTree.parse(results).iter("testcase") if results.exists() else ():
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif (skip := case.find("skipped")) is not None:
            reasons[skip.get("message", "no reason given")] += 1
        else:
            passed += 1
    problem = ""
    if passed + failed == 0 and not (may_be_empty and code in (0, NO_TESTS)):
        problem = f"no test ran (pytest ended with {code})"
    elif code not in (0, 1, NO_TESTS) or (code == 1 and not failed):
        problem = f"pytest ended with {code}"
    return Outcome(part.title, passed, failed, reasons.total(), reasons, part.note, problem)


# --- The parts --------------------------------------------------------------------------------------------------------


def outcomes(arguments: list[str], *, fast: bool) -> Iterator[Outcome]:
    # Someone who asks for one file does not expect all three parts to have something to do.
    chosen = bool(arguments)
    processes = os.environ.get("TEST_PROCESSES", "2")
    selection = f"{ELSEWHERE} and not slow" if fast else ELSEWHERE
    sqlite = Part(f"SQLite {sqlite3.sqlite_version}", selection, processes=processes)
    unread = [f"--ignore={path}" for path in _all_slow()] if fast else []
    yield run_part(sqlite, [*unread, *arguments], may_be_empty=chosen)
    if fast:
        return
    yield _postgres_outcome(arguments, processes, may_be_empty=chosen)
    yield _browser_outcome(arguments, processes, may_be_empty=chosen)


def _all_slow() -> Iterator[Path]:
    """Files that are slow or need a browser as a whole: reading them costs more than the tests that --fast runs."""
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("pytestmark")]
        if any("mark.slow" in line or "mark.browser" in line for line in lines):
            yield path.relative_to(ROOT)


def _postgres_outcome(arguments: list[str], processes: str, *, may_be_empty: bool) -> Outcome:
    try:
        with running_servers() as servers:
            part = Part(
                f"PostgreSQL {servers.postgres_version}",
                "(database or servers) and not browser and not sqlite_only",
                servers.environment,
                processes,
                f"with Redis {servers.redis_version}",
            )
            return run_part(part, arguments, may_be_empty=may_be_empty)
    except (ServerError, OSError, psycopg.Error, redis.RedisError) as error:
        return Outcome("PostgreSQL", problem=f"the servers did not start: {error}")


def _browser_outcome(arguments: list[str], processes: str, *, may_be_empty: bool) -> Outcome:
    path = find_chromium()
    if path:
        return run_part(
            Part(_chromium_title(path), "browser", processes=processes), arguments, may_be_empty=may_be_empty
        )
    required = os.environ.get("REQUIRE_BROWSER", "") not in ("", "0")
    return Outcome("Chromium", note="not found", problem="REQUIRE_BROWSER is set" if required else "")


def _chromium_title(path: str) -> str:
    answer = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, timeout=30)
    version = next((word for word in answer.stdout.split() if word[0].isdigit()), "?")
    return f"Chromium {version.split('.')[0]}"


# --- The summary ------------------------------------------------------------------------------------------------------


def print_summary(results: list[Outcome]) -> None:
    print("\n=== Summary ===")
    width = max(len(result.title) for result in results)
    for result in results:
        note = f"   ({result.note})" if result.note else ""
        print(f"{result.title:<{width}} : {_counts(result.passed, result.failed, result.skipped)}{note}")
        if result.problem:
            print(f"{'':<{width}}   FAILED: {result.problem}")
        for reason, times in result.reasons.items():
            print(f"{'':<{width}}   skipped {times}: {reason}")
    if any(result.title == "Chromium" for result in results):
        print("!" * 100)
        print("!! THE BROWSER TESTS DID NOT RUN: no Chromium on the PATH. Install one, or set CHROMIUM to its path.")
        print("!" * 100)
    print(_counts(*(sum(getattr(result, name) for result in results) for name in ("passed", "failed", "skipped"))))


def _counts(passed: int, failed: int, skipped: int) -> str:
    return f"{passed} passed, {failed} failed, {skipped} skipped"


def main(arguments: list[str]) -> int:
    if arguments and arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    signal.signal(signal.SIGTERM, stop_on_signal)
    fast = "--fast" in arguments
    results: list[Outcome] = []
    try:
        for outcome in outcomes([argument for argument in arguments if argument != "--fast"], fast=fast):
            results.append(outcome)
    except KeyboardInterrupt:
        print("\nstopped by Ctrl-C; the servers are down and the temporary folders gone", file=sys.stderr)
        return 130
    nothing = not any(result.ran for result in results)
    if nothing:
        print("\nNo test ran at all.")
    print_summary(results)
    return 1 if nothing or any(result.is_bad for result in results) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
