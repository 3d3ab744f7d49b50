"""Pairs of metrics: which follow people better than which, and how surely."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from metaeval.report.figures.scene import Drawing, Missing, Scene
from metaeval.report.figures.style import LINE, MUTED, PAPER, SHADES, SURFACE, ink_on, new_figure, shortened
from metaeval.report.naming import level_name, statistic_name
from metaeval.report.ranking import Family, families_compared, primary_family
from metaeval.report.results import Comparison

MOST_METRICS = 30
# p after Holm below each bound, and the shade that stands for it; the marks say the same without colour.
STEPS = ((0.001, 0.95, "***"), (0.01, 0.7, "**"), (0.05, 0.42, "*"))


def draw(scene: Scene) -> Drawing | Missing:
    family = _family(scene)
    if family is None:
        return Missing("no pairs of metrics were compared")
    rows = [row for row in scene.finding.comparisons if family.holds(row)]
    compared = {row.metric_a for row in rows} | {row.metric_b for row in rows}
    names = [name for name in scene.order if name in compared][:MOST_METRICS]
    figure = new_figure(min(2.6 + 0.27 * len(names), 12), 2.1 + 0.27 * len(names))
    axes = figure.subplots()
    _empty(axes, len(names))
    for row in rows:
        if row.metric_a in names and row.metric_b in names:
            _pair(axes, names.index(row.metric_a), names.index(row.metric_b), row)
    ticks = np.arange(len(names)) + 0.5
    axes.set_yticks(ticks, [shortened(name) for name in names])
    axes.set_xticks(ticks, [shortened(name, width=26) for name in names], rotation=90)
    axes.set_xlabel("than this metric")
    axes.set_ylabel("this metric follows people better")
    figure.legend(handles=_key(), loc="outside upper right", ncols=4, fontsize=7.5, handlelength=1.2, columnspacing=1.2)
    left_out = f" The best {len(names)} of {len(compared)} metrics are drawn." if len(names) < len(compared) else ""
    caption = (
        f"Pairs of metrics on {family.criterion}, {level_name(family.level)}, by {statistic_name(family.statistic)}: "
        f"a filled cell says that the metric of its row is better than that of its column; p after Holm.{left_out}"
    )
    surely = sum(1 for row in rows if row.p_holm is not None and row.p_holm < 0.05)
    return Drawing(figure, caption, f"Matrix of {len(rows)} pairs of metrics; {surely} differ at p < 0.05 after Holm.")


def _family(scene: Scene) -> Family | None:
    """The primary level and statistic on this criterion, else the first family that was compared on it."""
    primary = primary_family(scene.finding)
    found = [family for family in families_compared(scene.finding) if family.criterion == scene.criterion]
    wanted = Family(scene.criterion, primary.level, primary.statistic)
    return wanted if wanted in found else next(iter(found), None)


def _empty(axes: Axes, size: int) -> None:
    axes.set_xlim(0, size)
    axes.set_ylim(size, 0)
    axes.set_box_aspect(1)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.add_patch(Rectangle((0, 0), size, size, facecolor=SURFACE, edgecolor=LINE))
    for place in range(size):
        axes.add_patch(Rectangle((place, place), 1, 1, facecolor=PAPER, edgecolor=PAPER))


def _pair(axes: Axes, a: int, b: int, row: Comparison) -> None:
    if row.difference is None or row.p is None:
        for x, y in ((a, b), (b, a)):
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=PAPER, edgecolor=LINE, hatch="////", linewidth=0.6))
        return
    better, worse = (a, b) if row.difference >= 0 else (b, a)
    p = row.p_holm if row.p_holm is not None else row.p
    shade, mark = next(((shade, mark) for bound, shade, mark in STEPS if p < bound), (0.12, "·"))
    axes.add_patch(Rectangle((worse, better), 1, 1, facecolor=SHADES(shade), edgecolor=PAPER, linewidth=0.8))
    axes.text(
        worse + 0.5, better + 0.5, mark, ha="center", va="center", in_layout=False, fontsize=6.5, color=ink_on(shade)
    )


def _key() -> list[Patch]:
    steps = [Patch(facecolor=SHADES(shade), label=f"{mark} p < {bound}") for bound, shade, mark in STEPS]
    return [*steps, Patch(facecolor=SHADES(0.12), edgecolor=MUTED, linewidth=0.4, label="· not shown to differ")]
