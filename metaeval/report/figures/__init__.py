"""The figures of a report: one small file each, all drawn from a `Scene`; none of them keeps state in pyplot."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from metaeval.report.figures import (
    curves,
    distributions,
    generator_means,
    generators,
    heatmap,
    radar,
    raters,
    ratings,
    scatter,
    significance,
)
from metaeval.report.figures.scene import Drawing, Missing, Scene
from metaeval.report.material import Material
from metaeval.report.naming import slugs
from metaeval.report.ranking import criteria_of, metrics_in_order
from metaeval.report.results import Finding
from metaeval.stats.design import Floats

__all__ = ["RECIPES", "Drawing", "Missing", "Plate", "Recipe", "Scene", "plates"]


@dataclass(frozen=True)
class Recipe:
    name: str
    title: str
    draw: Callable[[Scene], Drawing | Missing]
    per_criterion: bool = True


RECIPES: tuple[Recipe, ...] = (
    Recipe("heatmap", "Metrics by statistic", heatmap.draw),
    Recipe("levels", "Metrics by level", heatmap.draw_levels),
    Recipe("significance", "Pairs of metrics", significance.draw),
    Recipe("scatter", "Labels against scores", scatter.draw),
    Recipe("generators", "Generator by generator", generators.draw),
    Recipe("distributions", "Scores of positives and negatives", distributions.draw),
    Recipe("roc", "ROC curves", curves.draw_roc),
    Recipe("precision-recall", "Precision-recall curves", curves.draw_precision_recall),
    Recipe("ratings", "Ratings", ratings.draw, per_criterion=False),
    Recipe("generator-means", "Mean label of each generator", generator_means.draw),
    Recipe("raters", "Agreement of pairs of raters", raters.draw),
    Recipe("radar", "Generators over metrics", radar.draw, per_criterion=False),
)


@dataclass(frozen=True)
class Plate:
    """One figure to be drawn: `name` is its file's, `make` draws it when asked, so that one is in memory at a time."""

    name: str
    title: str
    make: Callable[[], Drawing | Missing]


def plates(finding: Finding, material: Material, labels: Mapping[str, Floats]) -> Iterator[Plate]:
    """Every figure of the report; those that look at one criterion once for each, in the order of criteria."""
    order = metrics_in_order(finding)
    criteria = criteria_of(finding) or tuple(labels)
    names = slugs(criteria)
    for recipe in RECIPES:
        for criterion in criteria if recipe.per_criterion else criteria[:1]:
            scene = Scene(finding, material, labels, criterion, order)
            several = recipe.per_criterion
            yield Plate(
                f"{recipe.name}-{names[criterion]}" if several else recipe.name,
                f"{recipe.title}: {criterion}" if several else recipe.title,
                partial(recipe.draw, scene),
            )
