"""What draws: each backend turns a motion, a look and a view into pictures.

Pure (no Django). A backend takes camera, figure and floor from `rendering.scene` and adds only the drawing. `stick` is
always there; others join by a line in `registry`.
"""

from rendering.backends.protocol import Backend, BackendFailedError, BackendUnavailableError, Shot
from rendering.backends.registry import (
    BACKENDS,
    BackendStatus,
    backend_for_look,
    backend_named,
    backend_statuses,
    check_draws,
    get_backend,
    with_body,
)

__all__ = [
    "BACKENDS",
    "Backend",
    "BackendFailedError",
    "BackendStatus",
    "BackendUnavailableError",
    "Shot",
    "backend_for_look",
    "backend_named",
    "backend_statuses",
    "check_draws",
    "get_backend",
    "with_body",
]
