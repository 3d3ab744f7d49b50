"""The name of a clip: a hash of everything that decides its picture, known before it is drawn."""

import hashlib
import json

__all__ = ["clip_key"]


def clip_key(
    motion_hash: str,
    look: str,
    view: str,
    pixels: int,
    backend: str,
    renderer_version: str,
    *,
    label: str | None = None,
) -> str:
    """SHA-256 hex that two clips share exactly when they show the same thing drawn in the same way."""
    parts = ["touchstone-clip-v1", motion_hash, look, view, pixels, backend, renderer_version]
    if label is not None:
        parts.append(label)
    # JSON keeps the borders between the parts, which joined strings would lose.
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
