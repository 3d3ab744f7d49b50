"""How each pair of raters agrees: Krippendorff's alpha on the samples that both rated."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from metaeval.report.figures.scene import Drawing, Missing, Scene
from metaeval.report.figures.style import LINE, PAPER, SHADES, ink_on, new_figure, shortened
from metaeval.report.numerals import number
from metaeval.report.results import Listing
from metaeval.stats.agreement import Measurement, agreement_matrix
from metaeval.stats.design import Floats, Ints

MOST_RATERS = 30
LEAST_COMMON = 5  # samples that two raters must share: alpha of fewer says nothing


def draw(scene: Scene) -> Drawing | Missing:
    if scene.criterion not in scene.material.ratings:
        return Missing("there are no single ratings")
    table = scene.material.table(scene.criterion)
    given = np.isfinite(table).sum(axis=1)
    if scene.material.oracle is not None:
        given[scene.material.oracle] = 0  # not one of the raters
    busiest = np.argsort(-given, kind="stable")[:MOST_RATERS]
    busiest = busiest[given[busiest] > 0]
    facts = scene.material.criteria.get(scene.criterion)
    measurement = facts.measurement if facts is not None else "ordinal"
    alpha, common = _pairs(table[busiest], measurement)
    if not np.isfinite(alpha).any():
        return Missing(f"no two raters share {LEAST_COMMON} samples on which they differ")
    order = _order(alpha)
    alpha, common = alpha[np.ix_(order, order)], common[np.ix_(order, order)]
    names = [scene.material.raters[code] for code in busiest[order]]
    caption = (
        f"Agreement of each pair of raters on {scene.criterion}: Krippendorff’s alpha ({measurement}) on the samples "
        f"that both rated, most agreeing first; blank below {LEAST_COMMON} common samples."
    )
    if len(names) < int((given > 0).sum()):
        caption += f" The {len(names)} raters with most ratings of {int((given > 0).sum())} are drawn."
    low, high = number(float(np.nanmin(alpha))), number(float(np.nanmax(alpha)))
    alt = f"Matrix of agreement between {len(names)} raters, from {low} to {high}."
    return Drawing(_picture(alpha, names), caption, alt, _listing(alpha, common, names, measurement))


def _pairs(table: Floats, measurement: Measurement) -> tuple[Floats, Ints]:
    """(raters, raters) of alpha, NaN on the diagonal and where two share too little, and of common samples."""
    found = agreement_matrix(table, measurement=measurement)
    alpha = np.where(found.common >= LEAST_COMMON, found.values, np.nan)
    np.fill_diagonal(alpha, np.nan)
    return alpha, found.common


def _order(alpha: Floats) -> Ints:
    known = np.isfinite(alpha)
    with np.errstate(invalid="ignore"):
        mean = np.where(known, alpha, 0.0).sum(axis=1) / known.sum(axis=1)
    return np.argsort(np.where(np.isfinite(mean), -mean, np.inf), kind="stable")


def _picture(alpha: Floats, names: list[str]) -> Figure:
    size = len(names)
    side = max(0.36 * size, 1.6)
    figure = new_figure(1.75 + side, 1.65 + side)
    axes = figure.subplots()
    # Alpha below 0 is worse than chance; all of it is the lightest shade.
    shades = np.clip(alpha, 0, 1) * 0.95
    axes.pcolormesh(np.ma.masked_invalid(shades), cmap=SHADES, vmin=0, vmax=1, edgecolor=PAPER, linewidth=0.8)
    for (row, column), value in np.ndenumerate(alpha):
        if np.isfinite(value):
            look: dict[str, Any] = {
                "ha": "center",
                "va": "center",
                "in_layout": False,
                "fontsize": 7,
                "color": ink_on(float(shades[row, column])),
            }
            axes.text(column + 0.5, row + 0.5, number(float(value)), **look)
    axes.set_ylim(size, 0)
    axes.set_box_aspect(1)
    ticks = np.arange(size) + 0.5
    axes.set_yticks(ticks, [shortened(name, width=22) for name in names])
    axes.set_xticks(ticks, [shortened(name, width=22) for name in names], rotation=90)
    axes.tick_params(length=0)
    axes.spines[:].set(visible=True, color=LINE)
    return figure


def _listing(alpha: Floats, common: Ints, names: list[str], measurement: str) -> Listing:
    rows = tuple(
        (names[a], names[b], float(alpha[a, b]) if np.isfinite(alpha[a, b]) else None, int(common[a, b]))
        for a in range(len(names))
        for b in range(a)
    )
    return Listing(
        "rater_agreement", "Agreement of pairs of raters", ("rater_a", "rater_b", f"alpha_{measurement}", "n"), rows
    )
