"""Score distributions of positives and negatives, one panel a metric: the gap between them is what KS measures."""

import numpy as np
from matplotlib.axes import Axes

from metaeval.report.figures.binary import TwoClasses, two_classes, what_is_positive
from metaeval.report.figures.scene import Drawing, Missing, Scene
from metaeval.report.figures.style import INK, MOST_PANELS, MUTED, NEGATIVE, POSITIVE, panels, wrapped
from metaeval.report.naming import direction_name
from metaeval.report.numerals import number
from metaeval.stats.design import Floats

POINTS = 200  # of a curve: more would not be seen


def draw(scene: Scene) -> Drawing | Missing:
    classes = two_classes(scene)
    if isinstance(classes, Missing):
        return classes
    shown = classes[:MOST_PANELS]
    figure, axes = panels(len(shown), columns=4, height=1.75)
    for panel, entry in zip(axes, shown, strict=True):
        _panel(panel, entry)
    handles, names = axes[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=3)
    figure.supylabel("share of samples at or below the score", fontsize=9)
    left_out = f" The first {len(shown)} of {len(classes)} metrics are drawn." if len(shown) < len(classes) else ""
    caption = (
        f"Cumulative distribution of each metric’s scores among positives and negatives. "
        f"{what_is_positive(scene)}. The vertical line is the largest gap: the Kolmogorov-Smirnov statistic.{left_out}"
    )
    return Drawing(figure, caption, f"Cumulative score distributions of {len(shown)} metrics, positives and negatives.")


def _panel(axes: Axes, entry: TwoClasses) -> None:
    # KS is the same on a score and on minus the score, but not on the distance to a target: that is what is judged.
    has_target = entry.metric.direction == "target"
    scores = entry.turned if has_target else entry.raw
    positives, negatives = np.sort(scores[entry.is_positive]), np.sort(scores[~entry.is_positive])
    for values, colour, dashes, name in (
        (negatives, NEGATIVE, (0, (4, 1.5)), "negatives"),
        (positives, POSITIVE, "-", "positives"),
    ):
        x, share = _thinned(values)
        axes.step(x, share, where="post", color=colour, linestyle=dashes, label=name)
    where, low, high = largest_gap(positives, negatives)
    axes.plot([where, where], [low, high], color=INK, linewidth=1.1, marker="_", markersize=5, label="KS gap")
    axes.set_title(f"{wrapped(entry.metric.name, width=26)}\nKS {number(high - low)}", fontsize=7, loc="left")
    axes.set_xlabel("minus distance to target" if has_target else direction_name(entry.metric.direction), fontsize=7)
    axes.set_ylim(-0.03, 1.03)
    axes.set_yticks([0, 0.5, 1])
    axes.locator_params(axis="x", nbins=4)
    axes.tick_params(labelsize=7, colors=MUTED, labelcolor=INK)


def largest_gap(positives: Floats, negatives: Floats) -> tuple[float, float, float]:
    """Where two sorted samples' cumulative shares differ most, with the lower and the higher share there."""
    at = np.concatenate([positives, negatives])
    first = np.searchsorted(positives, at, side="right") / len(positives)
    second = np.searchsorted(negatives, at, side="right") / len(negatives)
    widest = int(np.argmax(np.abs(first - second)))
    low, high = sorted((float(first[widest]), float(second[widest])))
    return float(at[widest]), low, high


def _thinned(values: Floats) -> tuple[Floats, Floats]:
    """The steps of a cumulative distribution, at most `POINTS` of them, from 0 to 1."""
    share = np.arange(1, len(values) + 1) / len(values)
    kept = np.unique(np.linspace(0, len(values) - 1, POINTS).astype(int))
    return np.concatenate([values[:1], values[kept]]), np.concatenate([[0.0], share[kept]])
