"""Writing TOML, for which the standard library has a reader only."""

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def toml_of(tables: Mapping[str, Mapping[str, Any]]) -> str:
    """Tables of values, or tables of tables (`criteria`, `metrics`, `judges`)."""
    parts = []
    for name, table in tables.items():
        if table and all(isinstance(value, Mapping) for value in table.values()):
            parts += [_table(f"{_key(name)}.{_key(inner)}", values) for inner, values in table.items()]
        elif table:
            parts.append(_table(_key(name), table))
    return "\n".join(parts)


def plain_numbers(value: Any) -> Any:
    """Whole floats as integers and tuples as lists: as people write them, and the same from TOML and from JSON."""
    if isinstance(value, Mapping):
        return {key: plain_numbers(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain_numbers(entry) for entry in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _table(name: str, values: Mapping[str, Any]) -> str:
    return "\n".join([f"[{name}]", *(f"{_key(key)} = {_value(value)}" for key, value in values.items()), ""])


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(key)} = {_value(entry)}" for key, entry in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_value, value)) + "]"
    return repr(value)


def _text(text: str) -> str:
    # JSON's escapes are TOML's, but TOML refuses DEL and JSON leaves it as it is.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
