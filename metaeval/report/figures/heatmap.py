"""Metric x statistic at the primary level, metric x level for the primary statistic: values with their intervals."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from metaeval.report.figures.scene import Drawing, Missing, Scene
from metaeval.report.figures.style import LINE, MUTED, PAPER, SHADES, ink_on, new_figure, shortened, wrapped
from metaeval.report.naming import NOT_A_SHARE, level_name, statistic_name, statistic_short
from metaeval.report.numerals import interval, number
from metaeval.report.ranking import levels_of, primary_family, statistics_of
from metaeval.report.results import Correlation
from metaeval.stats.design import Floats

MOST_ROWS = 40
MOST_COLUMNS = 10

Cells = list[list[Correlation | None]]


def draw(scene: Scene) -> Drawing | Missing:
    level = _level(scene)
    statistics = [name for name in statistics_of(scene.finding, scene.criterion, level) if name not in NOT_A_SHARE]
    rows = {(row.metric, row.statistic): row for row in _rows(scene) if row.level == level}
    shown = _shown(scene, rows, statistics)
    return _picture(
        [[rows.get((metric, name)) for name in statistics[:MOST_COLUMNS]] for metric in shown],
        metrics=shown,
        columns=[statistic_short(name) for name in statistics[:MOST_COLUMNS]],
        subject=f"How well each metric follows people on {scene.criterion}, {level_name(level)}, by statistic",
        total=len(scene.order),
    )


def draw_levels(scene: Scene) -> Drawing | Missing:
    statistic = primary_family(scene.finding).statistic
    levels = levels_of(scene.finding, scene.criterion)
    if len(levels) < 2:
        return Missing("there is only one level")
    rows = {(row.metric, row.level): row for row in _rows(scene) if row.statistic == statistic}
    shown = _shown(scene, rows, levels)
    return _picture(
        [[rows.get((metric, level)) for level in levels] for metric in shown],
        metrics=shown,
        columns=[level_name(level) for level in levels],
        subject=f"{statistic_name(statistic)} of each metric with people on {scene.criterion}, by level",
        total=len(scene.order),
    )


def _level(scene: Scene) -> str:
    """The primary level, or the first that this criterion has."""
    levels = levels_of(scene.finding, scene.criterion)
    primary = primary_family(scene.finding).level
    return primary if primary in levels or not levels else levels[0]


def _rows(scene: Scene) -> list[Correlation]:
    return [row for row in scene.finding.correlations if row.criterion == scene.criterion]


def _shown(scene: Scene, rows: dict[tuple[str, str], Correlation], columns: "list[str] | tuple[str, ...]") -> list[str]:
    return [metric for metric in scene.order if any((metric, column) in rows for column in columns)][:MOST_ROWS]


def _picture(cells: Cells, *, metrics: list[str], columns: list[str], subject: str, total: int) -> Drawing | Missing:
    if not metrics or not columns:
        return Missing("there are no correlations for it")
    figure = new_figure(2.7 + 0.78 * len(columns), 0.9 + 0.34 * len(metrics))
    axes = figure.subplots()
    shades = _shades(cells)
    for row, entries in enumerate(cells):
        for column, entry in enumerate(entries):
            _cell(axes, row, column, entry, float(shades[row, column]))
    axes.set_xlim(0, len(columns))
    axes.set_ylim(len(metrics), 0)
    axes.set_yticks(np.arange(len(metrics)) + 0.5, [shortened(name) for name in metrics])
    axes.set_xticks(np.arange(len(columns)) + 0.5, [_heading(name) for name in columns])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    left_out = f" The best {len(metrics)} of {total} metrics are drawn." if len(metrics) < total else ""
    caption = (
        f"{subject}. Darker is better within a column; small brackets are intervals, of the kind that the tables name; "
        f"hatched cells are undefined.{left_out}"
    )
    return Drawing(figure, caption, f"Heat map of {len(metrics)} metrics. Best first: {', '.join(metrics[:3])}.")


def _heading(name: str) -> str:
    return wrapped(name.replace("τ-", "τ\u2011"), width=13, lines=3)


def _shades(cells: Cells) -> Floats:
    """From 0 (the worst of the column) to 0.9: statistics have different ranges and chance levels."""
    values = np.array([[np.nan if cell is None or cell.value is None else cell.value for cell in row] for row in cells])
    known = np.isfinite(values)
    low = np.where(known, values, np.inf).min(axis=0)
    high = np.where(known, values, -np.inf).max(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (values - low) / (high - low)
    return 0.9 * np.where(np.isfinite(share), share, 0.5)


def _cell(axes: Axes, row: int, column: int, entry: Correlation | None, shade: float) -> None:
    place = (column + 0.5, row + 0.5)
    if entry is None or entry.value is None:
        hatched: dict[str, Any] = {"facecolor": PAPER, "edgecolor": LINE, "hatch": "////", "linewidth": 0.8}
        axes.add_patch(Rectangle((column, row), 1, 1, **hatched))
        axes.text(*place, "–", ha="center", va="center", in_layout=False, color=MUTED, fontsize=8)
        return
    axes.add_patch(Rectangle((column, row), 1, 1, facecolor=SHADES(shade), edgecolor=PAPER, linewidth=0.8))
    ink = ink_on(shade)
    has_interval = entry.ci_low is not None and entry.ci_high is not None
    axes.text(
        place[0],
        place[1] - (0.17 if has_interval else 0),
        number(entry.value),
        ha="center",
        va="center",
        in_layout=False,
        color=ink,
        fontsize=8,
    )
    if has_interval:
        axes.text(
            place[0],
            place[1] + 0.24,
            interval(entry.ci_low, entry.ci_high),
            ha="center",
            va="center",
            in_layout=False,
            color=ink,
            fontsize=5.5,
        )
