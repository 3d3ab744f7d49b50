"""Label against score, sample by sample, for the metrics that follow people best."""

import numpy as np
from matplotlib.axes import Axes

from metaeval.report.figures.scene import Drawing, Missing, Scene, Scored, scored, value_of
from metaeval.report.figures.style import INK, PALETTE, panels, shortened, wrapped
from metaeval.report.material import Metric
from metaeval.report.naming import direction_name, statistic_short
from metaeval.report.numerals import number
from metaeval.report.ranking import primary_family
from metaeval.stats.design import Floats, Ints

BEST = 6
BINS = 10


def draw(scene: Scene) -> Drawing | Missing:
    known = [(metric, data) for metric in scene.metrics if len(np.unique((data := scored(scene, metric)).raw)) > 1]
    if not known:
        return Missing("no metric has two different scores on labelled samples")
    shown = known[:BEST]
    figure, axes = panels(len(shown), columns=3, height=2.1)
    for panel, (metric, data) in zip(axes, shown, strict=True):
        _panel(panel, scene, metric, data)
    figure.supylabel(shortened(scene.criterion), fontsize=9)
    figure.supxlabel("score, as read", fontsize=9)
    caption = (
        f"Label on {scene.criterion} against score, one point a sample, for the {len(shown)} first metrics. "
        f"The line joins mean labels: of {BINS} equal groups of samples by score, or of each score where there are few."
    )
    return Drawing(figure, caption, f"Scatter plots of labels against scores of {len(shown)} metrics.")


def _panel(axes: Axes, scene: Scene, metric: Metric, data: Scored) -> None:
    # A picture inside the vector file: thousands of points would make it heavy.
    axes.scatter(data.raw, data.label, s=4, color=PALETTE[2], alpha=0.5, linewidth=0, rasterized=True)
    groups = _groups(data.raw)
    x, y = ([values[group].mean() for group in groups] for values in (data.raw, data.label))
    axes.plot(x, y, color=INK, marker="o", markersize=3, linewidth=1.1)
    statistic = primary_family(scene.finding).statistic
    value = value_of(scene, metric.name, level="sample", statistic=statistic)
    found = f", {statistic_short(statistic)} {number(value)}" if value is not None else ""
    axes.set_title(
        f"{wrapped(metric.name, width=32)}\n{direction_name(metric.direction)}{found}", fontsize=7.5, loc="left"
    )
    axes.locator_params(axis="x", nbins=5)
    axes.tick_params(labelsize=7)


def _groups(scores: Floats) -> list[Ints]:
    """The samples of each score, or ten groups of equal size where scores are many."""
    values = np.unique(scores)
    if len(values) <= BINS:
        return [np.flatnonzero(scores == value) for value in values]
    order = np.argsort(scores, kind="stable")
    return [group for group in np.array_split(order, BINS) if len(group)]
