"""The mean label of each generator, with intervals from resampling whole prompts."""

import numpy as np

from metaeval.report.figures.scene import Drawing, Missing, Scene
from metaeval.report.figures.style import INK, MUTED, WIDTH, new_figure, shortened
from metaeval.report.numerals import with_interval
from metaeval.report.results import Listing
from metaeval.stats.design import Floats, Ints

REPLICATES = 1000


def draw(scene: Scene) -> Drawing | Missing:
    if not np.isfinite(scene.label).any():
        return Missing("there are no labels")
    means, low, high, counts = bootstrap_means(scene)
    order = [int(code) for code in np.argsort(-means, kind="stable") if np.isfinite(means[code])]
    names = scene.material.generators
    figure = new_figure(WIDTH, 0.8 + 0.27 * len(order))
    axes = figure.subplots()
    for place, code in enumerate(order):
        axes.plot([low[code], high[code]], [place, place], color=INK, linewidth=1.2, marker="|", markersize=6)
        is_reference = code == scene.material.reference
        axes.plot(means[code], place, marker="D" if is_reference else "o", color=INK, markersize=4.5)
        axes.annotate(
            with_interval(float(means[code]), float(low[code]), float(high[code])),
            (1.0, place),
            ha="left",
            va="center",
            xycoords=("axes fraction", "data"),
            xytext=(6, 0),
            textcoords="offset points",
            fontsize=8,
        )
    axes.set_yticks(range(len(order)), [f"{shortened(names[code])}  (n = {counts[code]:,})" for code in order])
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.grid(axis="x")
    axes.tick_params(axis="y", length=0, color=MUTED)
    axes.set_xlabel(f"mean {shortened(scene.criterion)}")
    caption = (
        f"Mean {scene.criterion} of each generator with 95% percentile intervals over {REPLICATES:,} resamples of "
        f"whole prompts, seed {scene.finding.seed}; a diamond is the reference."
    )
    alt = f"Mean {scene.criterion}, highest {names[order[0]]}, lowest {names[order[-1]]}."
    return Drawing(figure, caption, alt, _listing(scene, order, means, low, high, counts))


def bootstrap_means(scene: Scene) -> tuple[Floats, Floats, Floats, Ints]:
    """Mean, lower and upper bound, and number of labels, per generator; one draw of prompts for all generators."""
    size, design = len(scene.material.generators), scene.material.design
    rows = np.isfinite(scene.label)
    sums, counts = (np.zeros((len(scene.material.prompts), size)) for _ in range(2))
    np.add.at(sums, (design.prompt[rows], design.generator[rows]), scene.label[rows])
    np.add.at(counts, (design.prompt[rows], design.generator[rows]), 1.0)
    rated = counts.sum(axis=1) > 0
    sums, counts = sums[rated], counts[rated]
    rng = np.random.default_rng(scene.finding.seed)
    drawn = rng.multinomial(len(sums), np.full(len(sums), 1 / len(sums)), size=REPLICATES).astype(float)
    with np.errstate(invalid="ignore"):
        replicates = (drawn @ sums) / (drawn @ counts)
        means = sums.sum(axis=0) / counts.sum(axis=0)
    bounds = np.full((2, size), np.nan)
    for code in np.flatnonzero(np.isfinite(means)):
        known = replicates[np.isfinite(replicates[:, code]), code]
        bounds[:, code] = np.quantile(known, (0.025, 0.975))
    return means, bounds[0], bounds[1], counts.sum(axis=0).astype(np.intp)


def _listing(scene: Scene, order: list[int], means: Floats, low: Floats, high: Floats, counts: Ints) -> Listing:
    names = scene.material.generators
    rows = tuple(
        (names[code], float(means[code]), float(low[code]), float(high[code]), int(counts[code])) for code in order
    )
    return Listing("generator_means", "Mean label per generator", ("generator", "mean", "ci_low", "ci_high", "n"), rows)
