"""The error for a name that no registry knows: it lists the names that are known."""

from collections.abc import Iterable

__all__ = ["UnknownNameError", "unknown_name"]


class UnknownNameError(ValueError):
    """A look, view or backend was asked for by a name that nothing has."""


def unknown_name(what: str, name: str, known: Iterable[str]) -> UnknownNameError:
    """The error to raise when `name` is not a known `what`."""
    return UnknownNameError(f"unknown {what} {name!r}; known: {', '.join(known)}")
