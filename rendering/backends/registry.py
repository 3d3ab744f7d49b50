"""Which backends there are. Each is imported when it is asked for, so that the command starts quickly."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from rendering.scene.names import unknown_name

if TYPE_CHECKING:
    from rendering.backends.protocol import Backend

DEFAULT_BACKEND: Final = "stick"

__all__ = ["BACKENDS", "DEFAULT_BACKEND", "BackendStatus", "backend_statuses", "get_backend"]


@dataclass(frozen=True)
class BackendStatus:
    """Whether a backend can run here."""

    name: str
    missing: str | None  # None when it can


def _stick() -> "Backend":
    from rendering.backends.stick import StickBackend

    return StickBackend()


def _blender() -> "Backend":
    from rendering.backends.blender import NOT_BUILT
    from rendering.backends.protocol import BackendUnavailableError

    raise BackendUnavailableError(f"backend 'blender' is {NOT_BUILT}; use stick")


BACKENDS: Final = MappingProxyType({"stick": _stick, "blender": _blender})


def get_backend(name: str) -> "Backend":
    """The backend called `name`; raises when there is none, or when it cannot run here."""
    if name not in BACKENDS:
        raise unknown_name("backend", name, BACKENDS)
    backend = BACKENDS[name]()
    missing = backend.available()
    if missing is not None:
        from rendering.backends.protocol import BackendUnavailableError

        raise BackendUnavailableError(f"backend {name!r} cannot run here: {missing}")
    return backend


def backend_statuses() -> tuple[BackendStatus, ...]:
    """Every known backend and what it lacks here, if anything."""
    from rendering.backends.blender import what_is_missing

    return (
        BackendStatus("stick", _stick().available()),
        BackendStatus("blender", what_is_missing()),
    )
