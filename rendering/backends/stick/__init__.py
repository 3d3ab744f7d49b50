"""The stick figure: parts and their thickness, where they fall in the picture, their shadow, and the painting."""

from rendering.backends.stick.backend import StickBackend

__all__ = ["StickBackend"]
