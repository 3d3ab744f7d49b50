"""Radar charts of generators over criteria and metrics, normalised as in T2MBench, Appendix E."""

from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.projections.polar import PolarAxes

from metaeval.report.figures.scene import Drawing, Missing, Scene, generator_means, generator_scores
from metaeval.report.figures.style import INK, LINE, MUTED, PAPER, WIDTH, new_figure, shortened, wrapped
from metaeval.report.results import Cell, Listing
from metaeval.stats.design import Bools, Floats

MOST_AXES = 14
MOST_GENERATORS = 24
COLUMNS = 4


@dataclass(frozen=True)
class Axis:
    """One spoke: a name and every generator's share of the way from worst (0) to best (1)."""

    name: str
    shares: Floats


def min_max(values: Floats) -> Floats:
    """T2MBench eq. 25, for higher-is-better: (v - min) / (max - min) over the generators; NaN where all are equal."""
    return _share(values, float(values.min()), float(values.max()))


def min_max_reversed(values: Floats) -> Floats:
    """T2MBench eq. 26: (max - v) / (max - min), for lower-is-better.

    The paper prints "for the remaining higher-is-better metrics" above it. That is evidently a slip: reversing turns
    the smallest value into 1, which is best only where lower is better.
    """
    return 1 - min_max(values)


def integer_bounded(values: Floats) -> Floats:
    """T2MBench eq. 27, for human criteria: the range is widened to whole numbers over the generators."""
    return _share(values, float(np.floor(values.min())), float(np.ceil(values.max())))


def _share(values: Floats, low: float, high: float) -> Floats:
    if high == low:
        return np.full(len(values), np.nan)
    return (values - low) / (high - low)


def draw(scene: Scene) -> Drawing | Missing:
    """All criteria, then the metrics in their order; the scene's own criterion does not matter."""
    people = {name: generator_means(values, scene) for name, values in scene.labels.items()}
    rated = np.all([np.isfinite(means) for means in people.values()], axis=0) if people else np.zeros(0, dtype=bool)
    generators = np.flatnonzero(rated)[:MOST_GENERATORS]
    if len(generators) < 2:
        return Missing("fewer than two generators have labels")
    keep = np.isin(np.arange(len(rated)), generators)
    known, left_out = _axes(scene, people, keep)
    axes = known[:MOST_AXES]
    if len(axes) < 3:
        return Missing("fewer than three criteria and metrics are known for every generator and differ between them")
    names = [scene.material.generators[code] for code in generators]
    caption = (
        "Each generator over people’s criteria and the metrics; outwards is better. Metrics by min-max over the "
        "generators (T2MBench eq. 25; eq. 26, reversed, where lower is better), criteria over their integer-bounded "
        "range (eq. 27). "
        "The grey outline is the mean of the generators."
    )
    if len(known) > len(axes):
        caption += f" The first {len(axes)} of {len(known)} are drawn."
    if left_out:
        caption += f" Left out, because not known for every generator or equal on all: {', '.join(left_out[:8])}."
    alt = f"Radar charts of {len(names)} generators over {len(axes)} criteria and metrics."
    return Drawing(_picture(axes, names), caption, alt, _listing(axes, names))


def _axes(scene: Scene, people: dict[str, Floats], keep: Bools) -> tuple[list[Axis], list[str]]:
    found = [Axis(f"people: {name}", integer_bounded(means[keep])) for name, means in people.items()]
    for metric in scene.metrics:
        raw = generator_scores(scene, metric)[keep]
        if not np.isfinite(raw).all():
            found.append(Axis(metric.name, np.full(len(raw), np.nan)))
        elif metric.direction == "lower":
            found.append(Axis(metric.name, min_max_reversed(raw)))
        else:
            found.append(Axis(metric.name, min_max(metric.turned(raw))))
    known = [axis for axis in found if np.isfinite(axis.shares).all()]
    return known, [axis.name for axis in found if axis not in known]


def _picture(axes: list[Axis], names: list[str]) -> Figure:
    rows = -(-len(names) // COLUMNS)
    key_rows = -(-len(axes) // 2)
    figure = new_figure(WIDTH, 1.95 * rows + 0.165 * key_rows + 0.1)
    angles = np.linspace(0, 2 * np.pi, len(axes), endpoint=False)
    shares = np.array([axis.shares for axis in axes])
    for place, name in enumerate(names):
        panel = figure.add_subplot(rows, min(COLUMNS, len(names)), place + 1, projection="polar")
        assert isinstance(panel, PolarAxes)
        _panel(panel, name, angles, shares[:, place], shares.mean(axis=1))
    handles = [figure.axes[0].scatter([], [], s=0, color=PAPER) for _ in axes]
    labels = [f"{place}  {shortened(axis.name, width=44)}" for place, axis in enumerate(axes, start=1)]
    figure.legend(handles, labels, loc="outside lower center", ncols=2, fontsize=7.5, handlelength=0, handletextpad=0)
    return figure


def _panel(panel: PolarAxes, name: str, angles: Floats, shares: Floats, mean: Floats) -> None:
    around = np.append(angles, angles[0])
    panel.plot(around, np.append(mean, mean[0]), color=MUTED, linewidth=0.8, linestyle=(0, (2, 1.5)))
    panel.fill(around, np.append(shares, shares[0]), facecolor="#7fabcb", alpha=0.45)
    panel.plot(around, np.append(shares, shares[0]), color=INK, linewidth=1.2, marker="o", markersize=2.2)
    panel.set_theta_offset(np.pi / 2)
    panel.set_theta_direction(-1)
    panel.set_ylim(0, 1.02)
    panel.set_xticks(angles, [str(place + 1) for place in range(len(angles))])
    panel.set_yticks([0, 0.5, 1], [])
    panel.tick_params(pad=-3, labelsize=6.5)
    panel.spines["polar"].set_color(LINE)
    panel.set_title(wrapped(name, width=24), fontsize=8)


def _listing(axes: list[Axis], names: list[str]) -> Listing:
    rows: list[tuple[Cell, ...]] = [
        (name, *(float(axis.shares[place]) for axis in axes)) for place, name in enumerate(names)
    ]
    return Listing("radar", "Normalised means", ("generator", *(axis.name for axis in axes)), tuple(rows))
