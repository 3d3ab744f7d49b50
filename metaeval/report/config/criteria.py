"""`[criteria.NAME]`: the scale of a criterion, how it is measured, what counts as positive, and derived criteria."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from metaeval.report.config.errors import ConfigError
from metaeval.report.config.formula import Formula, FormulaError
from metaeval.report.config.keys import Keys
from metaeval.report.inputs.errors import shown_number

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]
Order = Literal["ascending", "descending"]
MEASUREMENTS: tuple[Measurement, ...] = ("nominal", "ordinal", "interval", "ratio")
ORDERS: tuple[Order, ...] = ("ascending", "descending")


@dataclass(frozen=True)
class Scale:
    """The values that a rater can give: some numbers, or any between two."""

    low: float
    high: float
    values: tuple[float, ...] = ()  # none: any number from low to high

    def __str__(self) -> str:
        if self.values:
            return f"one of {', '.join(map(shown_number, self.values))}"
        return f"a number from {shown_number(self.low)} to {shown_number(self.high)}"

    def plain(self) -> object:
        return list(self.values) if self.values else {"min": self.low, "max": self.high}


@dataclass(frozen=True)
class Criterion:
    """What is to be known about a criterion; the defaults hold for one that the file does not name."""

    scale: Scale | None = None
    measurement: Measurement = "ordinal"
    order: Order = "ascending"
    positive_cut: float | None = None  # positive is >= it; <= where the order is descending
    derived: Formula | None = None
    include: bool = True

    def plain(self) -> dict[str, object]:
        values = {
            "scale": self.scale.plain() if self.scale else None,
            "measurement": self.measurement,
            "order": self.order,
            "positive_cut": self.positive_cut,
            "derived": self.derived.text if self.derived else None,
            "include": self.include,
        }
        return {key: value for key, value in values.items() if value is not None}


def parse_criterion(keys: Keys) -> Criterion:
    scale = _scale(keys)
    derived = _formula(keys)
    measurement: Measurement = "interval" if scale and not scale.values else "ordinal"
    criterion = Criterion(
        scale=scale,
        measurement=keys.choice("measurement", measurement, MEASUREMENTS),
        order=keys.choice("order", "ascending", ORDERS),
        positive_cut=keys.number("positive_cut"),
        derived=derived,
        include=keys.boolean("include", True),
    )
    keys.finish()
    cut = criterion.positive_cut
    if scale and cut is not None and not scale.low <= cut <= scale.high:
        expected = f"a number from {shown_number(scale.low)} to {shown_number(scale.high)}"
        raise keys.fault("positive_cut", expected=expected, found=cut)
    if criterion.order == "descending" and not scale:
        # Turned values are low + high - value: on a scale that stays what it was.
        raise keys.fault("scale", expected="the scale, for the order is descending", found="nothing")
    return criterion


def _scale(keys: Keys) -> Scale | None:
    if not keys.has("scale"):
        return None
    if isinstance(keys.raw("scale"), list | tuple):
        values = keys.numbers("scale")
        if len(values) < 2 or any(after <= before for before, after in pairwise(values)):
            raise keys.fault("scale", expected="two or more increasing numbers", found=keys.raw("scale"))
        return Scale(values[0], values[-1], values)
    ends = keys.table("scale")
    low, high = ends.number("min"), ends.number("max")
    ends.finish()
    if low is None or high is None or not low < high:
        raise keys.fault("scale", expected="a list of values, or { min = ..., max = ... }", found=keys.raw("scale"))
    return Scale(low, high)


def _formula(keys: Keys) -> Formula | None:
    if not keys.has("derived"):
        return None
    try:
        return Formula.parse(keys.text("derived", may_be_empty=False))
    except FormulaError as error:
        raise ConfigError(f"{keys.source}: {keys.path}.derived: {error}") from None
