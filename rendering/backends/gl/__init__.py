"""The `gl` backend: a body with shadow on its floor, drawn by OpenGL without a window or a graphics card.

`shaders` says how light falls, `matrices` where things are, `canvas` what is uploaded and drawn; `backend` joins them
to the stage. moderngl is imported here and nowhere else.
"""

from rendering.backends.gl.backend import GlBackend

__all__ = ["GlBackend"]
