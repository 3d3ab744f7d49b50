"""What draws: each backend turns a motion, a look and a view into pictures.

Pure (no Django). A backend takes camera, figure and floor from `rendering.scene` and adds only the drawing. `stick` is
always there; others join by a line in `registry`.
"""

from rendering.backends.protocol import Backend, BackendUnavailableError
from rendering.backends.registry import BACKENDS, DEFAULT_BACKEND, BackendStatus, backend_statuses, get_backend

__all__ = [
    "BACKENDS",
    "DEFAULT_BACKEND",
    "Backend",
    "BackendStatus",
    "BackendUnavailableError",
    "backend_statuses",
    "get_backend",
]
