"""A metric's scores made ready: higher is better, and the reference left out where it would be a leverage point."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from metaeval.report.material import Material, Metric
from metaeval.stats.design import Floats

SMALLEST, LARGEST = 1e-100, 1e100


@dataclass(frozen=True)
class Turned:
    """Scores (samples,) and (generators,), turned so that higher is better; NaN where there is none."""

    name: str
    values: Floats
    of_generators: Floats
    of_subsets: Mapping[tuple[int, str], float]  # (generator, named sub-split)
    with_reference: Floats | None  # `values` with the reference's own scores, where they were left out
    note: str
    metric: Metric

    @property
    def is_of_samples(self) -> bool:
        return bool((~np.isnan(self.values)).any())


def turn_all(material: Material) -> list[Turned]:
    return [_turn(metric, material) for metric in material.metrics]


def _turn(metric: Metric, material: Material) -> Turned:
    turn, notes = _direction(metric, _scale(metric))
    values, of_generators, with_reference = turn(metric.values), turn(metric.of_generators), None
    if metric.is_reference_based and material.reference is not None:
        own = material.design.generator == material.reference
        if (own & ~np.isnan(values)).any():
            with_reference = values
            values = np.where(own, np.nan, values)
            notes.append("without the reference, which has no error against itself")
        of_generators = of_generators.copy()
        of_generators[material.reference] = np.nan
    of_subsets = {
        (generator, subset): float(turn(np.array([value]))[0])
        for (generator, subset), value in metric.of_subsets.items()
        if not (metric.is_reference_based and generator == material.reference)
    }
    return Turned(metric.name, values, of_generators, of_subsets, with_reference, "; ".join(notes), metric)


def _direction(metric: Metric, scale: float) -> tuple[Callable[[Floats], Floats], list[str]]:
    if metric.direction == "lower":
        return lambda values: -values / scale, ["sign turned: lower is better"]
    if metric.direction == "target" and metric.target is not None:
        target = metric.target
        said = f"as -|x - {target:g}|: nearest to the target is best"
        return lambda values: -np.abs(values / scale - target / scale), [said]
    return lambda values: values / scale, []


def _scale(metric: Metric) -> float:
    """What scores are divided by: 1, unless their squares would overflow or vanish. No statistic depends on it."""
    sizes = np.abs(np.concatenate([metric.values, metric.of_generators, [*metric.of_subsets.values()]]))
    largest = float(np.max(sizes, where=np.isfinite(sizes), initial=0.0))
    return 1.0 if largest == 0 or SMALLEST < largest < LARGEST else largest
