"""Positives and negatives of one metric: what distributions, ROC and PR curves start from."""

from dataclasses import dataclass

import numpy as np

from metaeval.report.figures.scene import Missing, Scene, positive_cut, scored
from metaeval.report.material import Metric
from metaeval.stats.design import Bools, Floats


@dataclass(frozen=True)
class TwoClasses:
    metric: Metric
    raw: Floats
    turned: Floats
    is_positive: Bools


def two_classes(scene: Scene) -> list[TwoClasses] | Missing:
    """Of every metric that has scores on both positives and negatives, in the order of metrics."""
    if not np.isfinite(scene.label).any():
        return Missing("there are no labels")
    cut = positive_cut(scene)
    if cut is None:
        return Missing("all labels are equal")
    found = []
    for metric in scene.metrics:
        data = scored(scene, metric)
        is_positive = data.label >= cut
        if is_positive.any() and not is_positive.all():
            found.append(TwoClasses(metric, data.raw, data.turned, is_positive))
    if not found:
        return Missing(f"no metric has scores on labels both below {cut:g} and from it on")
    return found


def what_is_positive(scene: Scene) -> str:
    return f"Positive: {scene.criterion} of at least {positive_cut(scene) or 0:g}"
