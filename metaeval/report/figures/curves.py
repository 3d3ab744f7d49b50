"""ROC and precision-recall curves: the best metrics drawn apart, the others in grey behind them."""

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from metaeval.report.figures.binary import TwoClasses, two_classes, what_is_positive
from metaeval.report.figures.scene import Drawing, Missing, Scene
from metaeval.report.figures.style import DASHES, FAINT, MUTED, PALETTE, new_figure, wrapped
from metaeval.report.numerals import number
from metaeval.stats.design import Floats

NAMED = 6
MOST_BEHIND = 40
POINTS = 300

Curve = Callable[[TwoClasses], tuple[Floats, Floats, float]]


def draw_roc(scene: Scene) -> Drawing | Missing:
    classes = two_classes(scene)
    if isinstance(classes, Missing):
        return classes
    figure, axes = _frame("share of negatives taken for positives", "share of positives found")
    axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.8, linestyle=(0, (2, 2)), label="chance, 0.50")
    _curves(figure, axes, classes, _roc, title="AUC-ROC")
    caption = f"ROC curves on {scene.criterion}, sample by sample. {what_is_positive(scene)}.{_behind(classes)}"
    return Drawing(figure, caption, _alt("ROC curves", classes))


def draw_precision_recall(scene: Scene) -> Drawing | Missing:
    classes = two_classes(scene)
    if isinstance(classes, Missing):
        return classes
    figure, axes = _frame("recall", "precision")
    chance = float(np.mean(classes[0].is_positive))
    axes.axhline(
        chance, color=MUTED, linewidth=0.8, linestyle=(0, (2, 2)), label=f"share of positives, {number(chance)}"
    )
    _curves(figure, axes, classes, _precision_recall, title="average precision")
    caption = (
        f"Precision-recall curves on {scene.criterion}, sample by sample. {what_is_positive(scene)}. "
        f"The legend gives average precision, not the trapezoid.{_behind(classes)}"
    )
    return Drawing(figure, caption, _alt("Precision-recall curves", classes))


def _frame(x: str, y: str) -> tuple[Figure, Axes]:
    figure = new_figure(6.3, 3.9)
    axes = figure.subplots()
    axes.set_box_aspect(1)
    axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), xlabel=x, ylabel=y)
    axes.grid(visible=True)
    axes.set_axisbelow(True)
    return figure, axes


def _curves(figure: Figure, axes: Axes, classes: list[TwoClasses], curve: Curve, *, title: str) -> None:
    for entry in classes[NAMED : NAMED + MOST_BEHIND]:
        x, y, _ = curve(entry)
        x, y = _thinned(x, y, points=100)
        axes.plot(x, y, color=FAINT, linewidth=0.9, zorder=1)
    for place, entry in reversed(list(enumerate(classes[:NAMED]))):
        x, y, value = curve(entry)
        label = f"{wrapped(entry.metric.name, width=32)}, {number(value)}"
        axes.plot(x, y, color=PALETTE[place], linestyle=DASHES[place], label=label, zorder=3 + NAMED - place)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles[:0:-1] + handles[:1], labels[:0:-1] + labels[:1], loc="outside right center", title=title)


def _roc(entry: TwoClasses) -> tuple[Floats, Floats, float]:
    x, y, _ = roc_curve(entry.is_positive, entry.turned)
    return *_thinned(x, y), float(roc_auc_score(entry.is_positive, entry.turned))


def _precision_recall(entry: TwoClasses) -> tuple[Floats, Floats, float]:
    precision, recall, _ = precision_recall_curve(entry.is_positive, entry.turned)
    return *_thinned(recall, precision), float(average_precision_score(entry.is_positive, entry.turned))


def _thinned(x: Floats, y: Floats, *, points: int = POINTS) -> tuple[Floats, Floats]:
    kept = np.unique(np.linspace(0, len(x) - 1, points).astype(int))
    return x[kept], y[kept]


def _behind(classes: list[TwoClasses]) -> str:
    others = min(len(classes) - NAMED, MOST_BEHIND)
    return f" {others} further metrics in grey." if others > 0 else ""


def _alt(what: str, classes: list[TwoClasses]) -> str:
    return f"{what} of {len(classes)} metrics; named: {', '.join(entry.metric.name for entry in classes[:NAMED])}."
