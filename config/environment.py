"""Reads settings from the environment, and names the variable when its value is wrong."""

import os
from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured

_TRUE = {"1", "true", "yes", "on"}
_FALSE = {"0", "false", "no", "off", ""}


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, default).strip()


def required(name: str, reason: str) -> str:
    value = text(name)
    if not value:
        raise ImproperlyConfigured(f"{name} is not set: {reason}")
    return value


def flag(name: str, *, default: bool = False) -> bool:
    value = text(name, "1" if default else "0").lower()
    if value in _TRUE:
        return True
    if value in _FALSE:
        return False
    raise ImproperlyConfigured(f"{name}: expected 1 or 0, found {value!r}")


def integer(name: str, default: int, *, minimum: int = 0) -> int:
    value = text(name, str(default))
    try:
        number = int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name}: expected a whole number, found {value!r}") from None
    if number < minimum:
        raise ImproperlyConfigured(f"{name}: expected at least {minimum}, found {number}")
    return number


def choice(name: str, options: Sequence[str]) -> str:
    """One of `options`; the first is the default."""
    value = text(name, options[0])
    if value not in options:
        raise ImproperlyConfigured(f"{name}: expected one of {', '.join(options)}, found {value!r}")
    return value


def words(name: str, default: str = "") -> list[str]:
    """A comma-separated list."""
    return [word.strip() for word in text(name, default).split(",") if word.strip()]
