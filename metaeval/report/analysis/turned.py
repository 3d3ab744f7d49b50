"""A metric's scores made ready: higher is better, and the reference left out where it would be a leverage point."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from metaeval.report.material import Material, Metric
from metaeval.stats.association import merge_noise
from metaeval.stats.design import Floats

SMALLEST, LARGEST = 1e-100, 1e100


Subsets = Mapping[tuple[int, str], float]  # (generator, named sub-split) -> value


@dataclass(frozen=True)
class WithReference:
    """The same with the reference's own scores, where they were left out."""

    values: Floats
    of_generators: Floats
    of_subsets: Subsets


@dataclass(frozen=True)
class Turned:
    """Scores (samples,) and (generators,), turned so that higher is better; NaN where there is none."""

    name: str
    values: Floats
    of_generators: Floats
    of_subsets: Subsets
    with_reference: WithReference | None  # None where nothing was left out
    note: str
    metric: Metric
    as_read: Floats  # `values`, also where their differences were found to be noise and nothing else

    @property
    def is_of_samples(self) -> bool:
        return bool((~np.isnan(self.values)).any())

    @property
    def is_of_sets(self) -> bool:
        """Whether only numbers of whole generators or of sub-splits were imported."""
        return not self.is_of_samples and (bool(self.of_subsets) or bool((~np.isnan(self.of_generators)).any()))


def turn_all(material: Material) -> list[Turned]:
    return [_turn(metric, material) for metric in material.metrics]


def _turn(metric: Metric, material: Material) -> Turned:
    turn, notes = _direction(metric, _scale(metric))
    whole = WithReference(
        turn(metric.values),
        turn(metric.of_generators),
        {key: float(turn(np.array([value]))[0]) for key, value in metric.of_subsets.items()},
    )
    left = _without_reference(whole, material) if metric.is_reference_based else whole
    if left is not whole:
        of_target = metric.direction == "target"
        notes.append(
            f"without the reference, which {'the target is of' if of_target else 'has no error against itself'}"
        )
    values = _constant_but_for_noise(left.values)
    if values is not left.values:
        notes.append("all scores are equal but for float noise")
    return Turned(
        name=metric.name,
        values=values,
        of_generators=_constant_but_for_noise(left.of_generators),
        of_subsets=left.of_subsets,
        with_reference=None if left is whole else whole,
        note="; ".join(notes),
        metric=metric,
        as_read=left.values,
    )


def _without_reference(whole: WithReference, material: Material) -> WithReference:
    """`whole` itself where the reference has no score of the metric."""
    reference = material.reference
    if reference is None:
        return whole
    own = material.design.generator == reference
    has_samples, has_number = (~np.isnan(whole.values[own])).any(), not np.isnan(whole.of_generators[reference])
    of_subsets = {key: value for key, value in whole.of_subsets.items() if key[0] != reference}
    if not has_samples and not has_number and len(of_subsets) == len(whole.of_subsets):
        return whole
    of_generators = whole.of_generators.copy()
    of_generators[reference] = np.nan
    return WithReference(np.where(own, np.nan, whole.values), of_generators, of_subsets)


def _constant_but_for_noise(values: Floats) -> Floats:
    """One value, where rounding is all that tells the values apart: no statistic should then see an order."""
    merged = merge_noise(values)
    known = merged[~np.isnan(merged)]
    return merged if len(known) and (known == known[0]).all() and not np.array_equal(merged, values, True) else values


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
