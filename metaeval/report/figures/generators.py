"""Generator by generator: mean score against mean label, one panel a metric, every generator by its number."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from metaeval.report.figures.scene import Drawing, Missing, Scene, generator_means, generator_scores, value_of
from metaeval.report.figures.style import INK, MOST_PANELS, MUTED, PAPER, SURFACE, panels, shortened, wrapped
from metaeval.report.material import Metric
from metaeval.report.naming import direction_name, statistic_short
from metaeval.report.numerals import number
from metaeval.report.ranking import primary_family
from metaeval.stats.design import Floats

MOST_NUMBERED = 40


def draw(scene: Scene) -> Drawing | Missing:
    people = generator_means(scene.label, scene)
    known = [metric for metric in scene.metrics if _points(scene, metric, people) >= 2]
    if not known:
        return Missing("no metric has scores on two generators that people rated")
    shown = known[:MOST_PANELS]
    names = scene.material.generators
    numbered = len(names) <= MOST_NUMBERED
    figure, axes = panels(len(shown), columns=4, height=1.75, extra=_key_height(len(names)) if numbered else 0.0)
    for panel, metric in zip(axes, shown, strict=True):
        _panel(panel, scene, metric, people, numbered=numbered)
    figure.supylabel(f"mean {shortened(scene.criterion)}", fontsize=9)
    if numbered:
        _key(figure, names)
    left_out = f" The first {len(shown)} of {len(known)} metrics are drawn." if len(shown) < len(known) else ""
    hollow = (
        " Dashed: the reference, left out of reference-based metrics." if scene.material.reference is not None else ""
    )
    caption = f"Mean score (as read) against mean {scene.criterion} of each generator.{hollow}{left_out}"
    return Drawing(figure, caption, f"Scatter plots of {len(names)} generators, one for each of {len(shown)} metrics.")


def _points(scene: Scene, metric: Metric, people: Floats) -> int:
    return int((np.isfinite(generator_scores(scene, metric)) & np.isfinite(people)).sum())


def _panel(axes: Axes, scene: Scene, metric: Metric, people: Floats, *, numbered: bool) -> None:
    scores = generator_scores(scene, metric)
    known = np.isfinite(scores) & np.isfinite(people)
    left_out = (np.arange(len(known)) == scene.material.reference) & metric.is_reference_based
    size = 64 if numbered else 16
    look: dict[str, Any] = {"s": size, "linewidth": 0.7, "zorder": 2}
    axes.scatter(scores[known & ~left_out], people[known & ~left_out], facecolor=SURFACE, edgecolor=INK, **look)
    axes.scatter(
        scores[known & left_out],
        people[known & left_out],
        facecolor=PAPER,
        edgecolor=MUTED,
        linestyle=(0, (1.5, 1)),
        **look,
    )
    for code in np.flatnonzero(known) if numbered else ():
        place = (scores[code], people[code])
        axes.text(*place, str(code + 1), ha="center", va="center_baseline", fontsize=6, in_layout=False, zorder=3)
    statistic = primary_family(scene.finding).statistic
    value = value_of(scene, metric.name, level="generator", statistic=statistic)
    found = f"{statistic_short(statistic)} {number(value)}" if value is not None else "undefined"
    axes.set_title(f"{wrapped(metric.name, width=26)}\n{found}", fontsize=7, loc="left")
    axes.set_xlabel(direction_name(metric.direction), fontsize=7)
    axes.margins(0.16)
    axes.locator_params(nbins=4)
    axes.tick_params(labelsize=7)


def _key_height(count: int) -> float:
    return 0.2 + 0.15 * -(-count // 4)


def _key(figure: Figure, names: tuple[str, ...]) -> None:
    """Which number is which generator, below the panels."""
    handles = [figure.axes[0].scatter([], [], s=0, color=PAPER) for _ in names]
    labels = [f"{place}  {shortened(name, width=26)}" for place, name in enumerate(names, start=1)]
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=min(4, len(names)),
        fontsize=7.5,
        handlelength=0,
        handletextpad=0,
        columnspacing=1.5,
    )
