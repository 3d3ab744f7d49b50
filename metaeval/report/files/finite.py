"""No NaN and no infinity in a file: JSON has none, and a reader of a table would take them for numbers."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

# What tells one row from another, in the words of its columns.
_NAMES = ("name", "criterion", "metric", "metric_a", "metric_b", "level", "statistic")


def check_finite(value: Any, where: str) -> None:
    """Raise ValueError that names the cell."""
    if isinstance(value, Mapping):
        own = ", ".join(str(value[name]) for name in _NAMES if value.get(name))
        for key, entry in value.items():
            check_finite(entry, f"{where} ({own}), {key}" if own else f"{where}, {key}")
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for place, entry in enumerate(value):
            check_finite(entry, f"{where} {place + 1}")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{where}: expected a finite number or None, found {value}")
