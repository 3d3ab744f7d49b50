"""How people rated: the ratings as given, and the density of the labels made from them."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from scipy.stats import gaussian_kde

from metaeval.report.figures.scene import Drawing, Missing, Scene
from metaeval.report.figures.style import INK, LINE, MUTED, panels, wrapped
from metaeval.stats.design import Floats

FEW_VALUES = 12  # up to here a rating scale; above, a slider


def draw(scene: Scene) -> Drawing | Missing:
    """One panel a criterion; the scene's own criterion does not matter."""
    criteria = [name for name in scene.labels if np.isfinite(scene.labels[name]).any()]
    if not criteria:
        return Missing("there are no labels")
    figure, axes = panels(len(criteria), columns=min(3, len(criteria)), height=2.1)
    for panel, criterion in zip(axes, criteria, strict=True):
        given = scene.material.ratings.get(criterion)
        _panel(panel, criterion, scene.labels[criterion], None if given is None else given.value)
    for panel in axes:
        panel.set_xlabel("value")
    axes[0].set_ylabel("share of ratings")
    handles = {
        label: handle for panel in axes for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="outside upper center", ncols=2)
    caption = (
        "Bars: the share of ratings with each value. Line: kernel density of the labels made from them "
        "(Gaussian, Scott’s bandwidth), scaled to the bars."
    )
    return Drawing(figure, caption, f"Distribution of ratings and labels on {', '.join(criteria)}.")


def _panel(axes: Axes, criterion: str, label: Floats, given: Floats | None) -> None:
    labels = label[np.isfinite(label)]
    ratings = labels if given is None else given[np.isfinite(given)]
    values = np.unique(ratings)
    if len(values) <= FEW_VALUES:
        gaps = np.diff(values)
        width = float(gaps.min()) if len(gaps) else 1.0
        shares = np.array([np.mean(ratings == value) for value in values])
        axes.bar(values, shares, width=0.8 * width, facecolor=LINE, edgecolor=MUTED, linewidth=0.6, label="ratings")
        axes.set_xticks(values)
    else:
        counts, edges = np.histogram(ratings, bins=24)
        width = float(edges[1] - edges[0])
        bars: dict[str, Any] = {"facecolor": LINE, "edgecolor": MUTED, "linewidth": 0.6, "label": "ratings"}
        axes.bar(edges[:-1], counts / counts.sum(), width=width, align="edge", **bars)
    if len(np.unique(labels)) > 2:
        at = np.linspace(values.min() - width / 2, values.max() + width / 2, 160)
        # A density times the width of a bar is a share, as the bars are.
        axes.plot(at, gaussian_kde(labels)(at) * width, color=INK, label="labels (density)")
    axes.set_title(f"{wrapped(criterion)}\n{len(ratings):,} ratings, {len(labels):,} labels", loc="left", fontsize=8)
