"""What people say of each generator: means over a frozen label set."""

import math
from dataclasses import dataclass
from statistics import fmean, stdev

from annotation.models import Label, LabelSet

# Two-sided 95 % of the normal distribution; the page says that it is an approximation.
Z = 1.96


@dataclass(frozen=True)
class Mean:
    """A mean over samples with its interval; None where one sample gives no spread."""

    value: float
    low: float | None
    high: float | None
    samples: int


@dataclass(frozen=True)
class GeneratorRow:
    name: str
    is_reference: bool
    means: tuple[Mean | None, ...]

    @property
    def samples(self) -> int:
        return max((mean.samples for mean in self.means if mean), default=0)


@dataclass(frozen=True)
class GeneratorTable:
    criteria: tuple[str, ...]
    rows: tuple[GeneratorRow, ...]


def generator_means(label_set: LabelSet) -> GeneratorTable:
    """One row a generator, one column a criterion, the best on the first criterion on top."""
    labels = Label.objects.filter(label_set=label_set).values_list(
        "sample__generator__name", "sample__generator__is_reference", "criterion__code", "criterion__position", "value"
    )
    values: dict[tuple[str, bool], dict[str, list[float]]] = {}
    positions: dict[str, int] = {}
    for generator, is_reference, criterion, position, value in labels:
        values.setdefault((generator, is_reference), {}).setdefault(criterion, []).append(value)
        positions[criterion] = position
    criteria = tuple(sorted(positions, key=lambda code: positions[code]))
    rows = [
        GeneratorRow(name, is_reference, tuple(_mean(given[code]) if code in given else None for code in criteria))
        for (name, is_reference), given in values.items()
    ]
    rows.sort(key=lambda row: (-(row.means[0].value if row.means and row.means[0] else -math.inf), row.name))
    return GeneratorTable(criteria, tuple(rows))


def _mean(values: list[float]) -> Mean:
    mean = fmean(values)
    if len(values) < 2:
        return Mean(mean, None, None, len(values))
    half = Z * stdev(values) / math.sqrt(len(values))
    return Mean(mean, mean - half, mean + half, len(values))
