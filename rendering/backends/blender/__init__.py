"""The `blender` backend. Blender runs in a process of its own with its own environment (`.venv-render`).

Nothing here imports `bpy` but `child.py`, which is a script for that process and must not be imported by us.
"""

from rendering.backends.blender.backend import BlenderBackend

__all__ = ["BlenderBackend"]
