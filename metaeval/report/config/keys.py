"""Taking keys out of a table of settings, one kind of value at a time, and refusing those that nobody took."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from metaeval.report.config.errors import ConfigError
from metaeval.report.inputs.errors import did_you_mean, shown

Choice = TypeVar("Choice", bound=str)


class Keys:
    """A table of settings that remembers where it stands, for messages, and which keys were asked for."""

    def __init__(self, values: object, *, source: str, path: str = "") -> None:
        self.source, self.path = source, path
        if not isinstance(values, Mapping):
            raise ConfigError(f"{source}: {path or 'settings'}: expected a table, found {shown(values)}")
        self._values: Mapping[str, Any] = values
        self._asked: dict[str, None] = {}

    def fault(self, key: str, *, expected: str, found: object, hint: str = "") -> ConfigError:
        words = found if isinstance(found, str) and found == "nothing" else shown_value(found)
        return ConfigError(f"{self.source}: {self._at(key)}: expected {expected}, found {words}{hint}")

    def has(self, key: str) -> bool:
        self._asked[key] = None
        return key in self._values

    def raw(self, key: str, default: Any = None) -> Any:
        self._asked[key] = None
        return self._values.get(key, default)

    def text(self, key: str, default: str = "", *, may_be_empty: bool = True) -> str:
        value = self.raw(key, default)
        if not isinstance(value, str) or not (value or may_be_empty):
            raise self.fault(key, expected="text", found=value)
        return value

    def choice(self, key: str, default: Choice, among: Sequence[Choice]) -> Choice:
        value = self.raw(key, default)
        for name in among:
            if value == name:
                return name
        hint = did_you_mean(value, among) if isinstance(value, str) else ""
        raise self.fault(key, expected=f"one of {', '.join(among)}", found=value, hint=hint)

    def boolean(self, key: str, default: bool) -> bool:
        return bool(self.maybe_boolean(key, default))

    def maybe_boolean(self, key: str, default: bool | None = None) -> bool | None:
        value = self.raw(key, default)
        if value is not None and not isinstance(value, bool):
            raise self.fault(key, expected="true or false", found=value)
        return value

    def integer(self, key: str, default: int, *, at_least: int) -> int:
        value = self.raw(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < at_least:
            raise self.fault(key, expected=f"an integer from {at_least}", found=value)
        return value

    def number(self, key: str) -> float | None:
        value = self.raw(key)
        return None if value is None else self._number(key, value)

    def share(self, key: str, default: float) -> float:
        value = self._number(key, self.raw(key, default))
        if not 0 < value < 1:
            raise self.fault(key, expected="a number between 0 and 1", found=value)
        return value

    def numbers(self, key: str) -> tuple[float, ...]:
        value = self.raw(key)
        if not isinstance(value, list | tuple):
            raise self.fault(key, expected="a list of numbers", found=value)
        return tuple(self._number(key, entry) for entry in value)

    def texts(self, key: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        value = self.raw(key, default)
        if not isinstance(value, list | tuple) or not all(isinstance(entry, str) and entry for entry in value):
            raise self.fault(key, expected="a list of names", found=value)
        if again := [entry for place, entry in enumerate(value) if entry in value[:place]]:
            raise self.fault(key, expected="each name once", found=again[0])
        return tuple(value)

    def choices(self, key: str, default: Sequence[Choice], among: Sequence[Choice]) -> tuple[Choice, ...]:
        value = self.texts(key, default)
        if unknown := [entry for entry in value if entry not in among]:
            hint = did_you_mean(unknown[0], among)
            raise self.fault(key, expected=f"some of {', '.join(among)}", found=unknown[0], hint=hint)
        return tuple(name for entry in value for name in among if name == entry)

    def table(self, key: str) -> "Keys":
        return Keys(self.raw(key, {}), source=self.source, path=self._at(key))

    def tables(self) -> Iterator[tuple[str, "Keys"]]:
        """Every key of this table as a table of its own: names that the researcher chose."""
        for name in self._values:
            if not name:
                raise self.fault('""', expected="a name", found="nothing")
            yield name, self.table(name)

    def finish(self) -> None:
        """Refuse what nobody asked for: a misspelt key would do nothing, and nobody would notice."""
        for name in self._values:
            if name not in self._asked:
                known = ", ".join(self._asked)
                hint = did_you_mean(name, self._asked)
                raise ConfigError(
                    f"{self.source}: {self._at(name)}: expected one of {known}, found {shown(name)}{hint}"
                )

    def _at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def _number(self, key: str, value: object) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.fault(key, expected="a number", found=value)
        try:
            number = float(value)
        except OverflowError:
            number = float("inf")
        if number - number != 0:
            raise self.fault(key, expected="a finite number", found=value)
        return number


def shown_value(value: object) -> str:
    """As TOML would write it, or nearly."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return f"a table with {', '.join(map(str, value)) or 'nothing'}"
    return shown(value) if isinstance(value, str) else shown(str(value))[1:-1]
