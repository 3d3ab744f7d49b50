"""Williams' test beside the permutation tests, where units are independent: it is exact for nothing else."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.results import Cell, Listing
from metaeval.stats.correlation import correlate
from metaeval.stats.design import Design, Floats
from metaeval.stats.significance import williams_p


def williams_listing(
    questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation
) -> Listing | None:
    """Pearson of two metrics: over generators, and over samples where no two share a prompt."""
    design = estimation.material.design
    fixed = [metric for metric in metrics if metric.is_of_samples and not metric.metric.won_search]
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        for first, second in combinations(fixed, 2):
            common = question.rated & np.isfinite(first.values) & np.isfinite(second.values)
            here = design.take(common)
            values = np.stack([first.values[common], second.values[common], question.labels[common]])
            levels = {"generator": _means(values, here)}
            if len(np.unique(here.prompt)) == here.size:
                levels["sample"] = values
            for level, (a, b, labels) in levels.items():
                row = _row(a, b, labels)
                if row is not None:
                    rows.append((question.criterion, level, first.name, second.name, *row))
    columns = ("criterion", "level", "metric_a", "metric_b", "pearson_a", "pearson_b", "p", "n")
    note = "Two-sided (Steiger 1980). Generators count as independent; samples only where no two share a prompt."
    return Listing("williams", "Williams' test of Pearson correlations", columns, tuple(rows), note) if rows else None


def _means(values: Floats, design: Design) -> Floats:
    return np.stack([values[:, design.generator == code].mean(axis=1) for code in np.unique(design.generator)], axis=1)


def _row(a: Floats, b: Floats, labels: Floats) -> tuple[Cell, ...] | None:
    found = [correlate(x, y, statistic="pearson") for x, y in ((a, labels), (b, labels), (a, b))]
    if len(labels) < 4 or None in found:
        return None
    first, second, between = (float(value or 0.0) for value in found)
    return first, second, williams_p(first, second, between, len(labels)), len(labels)
