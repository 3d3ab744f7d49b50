"""The error of a file that cannot be used, and how its message quotes values and lists names."""

import difflib
from collections.abc import Collection, Iterable
from itertools import islice

_SHOWN = 80
_SEARCHED = 5000  # a message about one of a million samples should not take minutes


class InputError(ValueError):
    """A file that cannot be used; the message is one line."""


def shown(value: object) -> str:
    """A value as a message quotes it: on one line, and not a whole page."""
    text = value if isinstance(value, str) else str(value)
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def shown_number(value: float) -> str:
    """4 rather than 4.0: as people write it in a file."""
    return str(int(value)) if value == int(value) else repr(float(value))


def listed(names: Collection[str], *, limit: int = 8) -> str:
    """Some of the names, and how many more there are."""
    some = ", ".join(_one_line(name) for name in list(names)[:limit])
    return f"{some} and {len(names) - limit:,} more" if len(names) > limit else some or "nothing"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)`, or nothing where no known name is near."""
    by_lower = {other.lower(): other for other in islice(known, _SEARCHED)}
    near = difflib.get_close_matches(name.strip().lower(), by_lower, n=1, cutoff=0.7)
    return f" (did you mean {by_lower[near[0]]!r}?)" if near else ""


def _one_line(text: str) -> str:
    return text if text.isprintable() and len(text) <= _SHOWN else shown(text)
