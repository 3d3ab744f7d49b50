"""`[metrics.NAME]` and `[judges.NAME]`: what the scores file does not say about a metric."""

from dataclasses import dataclass
from typing import Literal

from metaeval.report.config.keys import Keys

Direction = Literal["higher", "lower", "target"]
DIRECTIONS: tuple[Direction, ...] = ("higher", "lower", "target")


@dataclass(frozen=True)
class MetricSettings:
    """None: as the scores file says."""

    direction: Direction | None = None
    target: float | str | None = None  # a number, or the generator whose mean is the target
    reference_based: bool | None = None
    search: str = ""  # the grid that this metric is a member of
    include: bool = True

    def plain(self) -> dict[str, object]:
        values = {
            "direction": self.direction,
            "target": self.target,
            "reference_based": self.reference_based,
            "search": self.search or None,
            "include": self.include,
        }
        return {key: value for key, value in values.items() if value is not None}


@dataclass(frozen=True)
class Judge:
    """A metric whose scores answer a criterion as a rater would: on the same scale, or on `range`."""

    criterion: str
    range: tuple[float, float] | None = None  # the lowest and highest answer; None: the criterion's scale
    judge: str = ""  # who answers, where one judge has a metric a criterion; "": the metric's own name

    def plain(self) -> dict[str, object]:
        values = {
            "criterion": self.criterion,
            "range": list(self.range) if self.range else None,
            "judge": self.judge or None,
        }
        return {key: value for key, value in values.items() if value is not None}


def parse_metric(keys: Keys) -> MetricSettings:
    target = _target(keys)
    default: Direction | None = "target" if target is not None else None
    direction = keys.choice("direction", "higher", DIRECTIONS) if keys.has("direction") else default
    settings = MetricSettings(
        direction=direction,
        target=target,
        reference_based=keys.maybe_boolean("reference_based"),
        search=keys.text("search"),
        include=keys.boolean("include", True),
    )
    keys.finish()
    if target is not None and direction != "target":
        raise keys.fault("direction", expected="target, for a target is given", found=direction)
    return settings


def parse_judge(keys: Keys) -> Judge:
    if not keys.has("criterion"):
        raise keys.fault("criterion", expected="the criterion that the judge answers", found="nothing")
    judge = Judge(
        criterion=keys.text("criterion", may_be_empty=False),
        range=_range(keys),
        judge=keys.text("judge"),
    )
    keys.finish()
    return judge


def _target(keys: Keys) -> float | str | None:
    value = keys.raw("target")
    if isinstance(value, str) and value:
        return value
    if isinstance(value, str | bool) or not isinstance(value, int | float | None):
        raise keys.fault("target", expected="a number or the name of a generator", found=value)
    return keys.number("target")


def _range(keys: Keys) -> tuple[float, float] | None:
    if not keys.has("range"):
        return None
    ends = keys.numbers("range")
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise keys.fault("range", expected="the lowest and the highest answer", found=keys.raw("range"))
    return ends[0], ends[1]
