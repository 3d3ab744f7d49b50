"""What the figures draw from: scores with their samples' labels, positives and negatives, one point a generator."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure

from metaeval.report.cuts import cuts_of
from metaeval.report.material import Material, Metric
from metaeval.report.results import Finding, Listing
from metaeval.stats.design import Bools, Floats


@dataclass(frozen=True)
class Scene:
    """An analysis seen from one criterion. `order` is the order of metrics in every figure."""

    finding: Finding
    material: Material
    labels: Mapping[str, Floats]
    criterion: str
    order: tuple[str, ...]

    @property
    def label(self) -> Floats:
        nothing: Floats = np.full(len(self.material.samples), np.nan)
        return self.labels.get(self.criterion, nothing)

    @property
    def metrics(self) -> list[Metric]:
        by_name = {metric.name: metric for metric in self.material.metrics}
        return [by_name[name] for name in self.order if name in by_name]


@dataclass(frozen=True)
class Drawing:
    """A figure with its caption, the text for those who do not see it, and the numbers that it shows."""

    figure: Figure
    caption: str
    alt: str
    data: Listing | None = None


@dataclass(frozen=True)
class Missing:
    """Why there is no figure."""

    reason: str


@dataclass(frozen=True)
class Scored:
    """The samples that have both a score and a label; scores as read, and turned so that higher is better."""

    raw: Floats
    turned: Floats
    label: Floats
    rows: Bools


def scored(scene: Scene, metric: Metric) -> Scored:
    """Reference-based metrics without the reference, as in the tables: it would be compared with itself."""
    rows = np.isfinite(metric.values) & np.isfinite(scene.label)
    if metric.is_reference_based and scene.material.reference is not None:
        rows &= scene.material.design.generator != scene.material.reference
    raw = metric.values[rows]
    return Scored(raw, metric.turned(raw), scene.label[rows], rows)


def positive_cut(scene: Scene) -> float | None:
    """Labels at or above it are positive: the tables' cut, so that a curve encloses the area that they print.

    None where all labels are equal.
    """
    facts = scene.material.criteria.get(scene.criterion)
    given = scene.material.table(scene.criterion) if scene.criterion in scene.material.ratings else scene.label
    return next(iter(cuts_of(given, scene.label, facts.positive_cut if facts else None)), None)


def generator_means(values: Floats, scene: Scene) -> Floats:
    """(generators,): the mean over each generator's samples that have a value, NaN where none has."""
    rows = np.isfinite(values)
    size = len(scene.material.generators)
    codes = scene.material.design.generator[rows]
    counts = np.bincount(codes, minlength=size)
    with np.errstate(invalid="ignore"):
        means: Floats = np.bincount(codes, weights=values[rows], minlength=size) / counts
    return means


def generator_scores(scene: Scene, metric: Metric) -> Floats:
    """(generators,) as read: what was imported for whole generators, else the mean over samples."""
    means = generator_means(metric.values, scene)
    return np.where(np.isfinite(metric.of_generators), metric.of_generators, means)


def value_of(scene: Scene, metric: str, *, level: str, statistic: str) -> float | None:
    """The number that the tables give."""
    wanted = (scene.criterion, metric, level, statistic)
    rows = scene.finding.correlations
    return next((row.value for row in rows if (row.criterion, row.metric, row.level, row.statistic) == wanted), None)
