"""Which backends there are. Each is imported when it is asked for, so that the command starts quickly."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from rendering.scene.look_names import get_look
from rendering.scene.names import UnknownNameError, unknown_name

if TYPE_CHECKING:
    from rendering.backends.protocol import Backend

__all__ = [
    "BACKENDS",
    "BackendStatus",
    "backend_for_look",
    "backend_named",
    "backend_statuses",
    "check_draws",
    "get_backend",
    "with_body",
]


@dataclass(frozen=True)
class BackendStatus:
    """Whether a backend can run here."""

    name: str
    missing: str | None  # None when it can


def _gl() -> "Backend":
    from rendering.backends.gl import GlBackend

    return GlBackend()


def _stick() -> "Backend":
    from rendering.backends.stick import StickBackend

    return StickBackend()


def _blender() -> "Backend":
    from rendering.backends.blender import BlenderBackend

    return BlenderBackend()


# In the order in which one is chosen when nobody names one: fast before beautiful.
BACKENDS: Final[Mapping[str, Callable[[], "Backend"]]] = MappingProxyType(
    {"gl": _gl, "stick": _stick, "blender": _blender}
)


def backend_named(name: str) -> "Backend":
    """The backend called `name`, whether or not it can run here: planning needs only its version."""
    if name not in BACKENDS:
        raise unknown_name("backend", name, BACKENDS)
    return BACKENDS[name]()


def get_backend(name: str) -> "Backend":
    """The backend called `name`; raises when there is none, or when it cannot run here."""
    backend = backend_named(name)
    missing = backend.available()
    if missing is not None:
        from rendering.backends.protocol import BackendUnavailableError

        raise BackendUnavailableError(f"backend {name!r} cannot run here: {missing}")
    return backend


def with_body(backend: "Backend", path: Path | None) -> "Backend":
    """The same backend, drawing the body in a person's own SMPL file; None leaves it as it is."""
    if path is None:
        return backend
    from rendering.backends.protocol import BodyBackend
    from rendering.body.smpl import read_smpl

    if not isinstance(backend, BodyBackend):
        raise UnknownNameError(f"backend {backend.name!r} draws no body; expected one of: gl, blender")
    return backend.with_body(read_smpl(path))


def backend_for_look(name: str) -> "Backend":
    """The first backend that draws the look and can run here."""
    from rendering.backends.protocol import BackendUnavailableError

    look = get_look(name)
    lacking = []
    for make in BACKENDS.values():
        backend = make()
        if not backend.draws(look):
            continue
        missing = backend.available()
        if missing is None:
            return backend
        lacking.append(f"{backend.name}: {missing}")
    raise BackendUnavailableError(f"nothing here can draw the look {name!r} ({'; '.join(lacking)})")


def check_draws(backend: "Backend", look_name: str) -> None:
    """Raise unless `backend` draws the look."""
    if not backend.draws(get_look(look_name)):
        able = [name for name, make in BACKENDS.items() if make().draws(get_look(look_name))]
        raise UnknownNameError(
            f"backend {backend.name!r} does not draw the look {look_name!r}; expected one of: {', '.join(able)}"
        )


def backend_statuses() -> tuple[BackendStatus, ...]:
    """Every known backend and what it lacks here, if anything."""
    return tuple(BackendStatus(name, make().available()) for name, make in BACKENDS.items())
