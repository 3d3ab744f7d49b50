"""Alpha and the main correlations before and after every filter."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.questions import Question, questions
from metaeval.report.analysis.turned import turn_all
from metaeval.report.analysis.words import main_choice
from metaeval.report.filters import FilterStep
from metaeval.report.naming import level_name, statistic_name
from metaeval.report.results import Cell, Listing
from metaeval.stats.agreement import krippendorff_alpha
from metaeval.stats.association import STATISTICS, binarise
from metaeval.stats.design import Floats, Level


def filter_listing(steps: Sequence[FilterStep], estimation: Estimation) -> Listing:
    level, statistic = main_choice(estimation)
    # A split has no value of a single data set; its neighbour above does.
    level = "sample" if level == "subsplit" else level
    statistic = statistic.partition("@")[0]
    statistic = statistic if statistic in STATISTICS else "kendall_b"  # pairs of generators, say
    rows = [row for step in steps for row in _rows(step, estimation, level, statistic)]
    columns = (
        "step",
        "criterion",
        "quantity",
        "level",
        "statistic",
        "value",
        "ratings_removed",
        "samples_removed",
        "raters_removed",
    )
    return Listing(
        "filters",
        "Before and after every filter",
        columns,
        tuple(rows),
        f"alpha as the criterion is measured; each metric's {statistic_name(statistic)} {level_name(level)}. "
        + "; ".join(f"{step.name}: {step.description}" for step in steps),
    )


def _rows(step: FilterStep, estimation: Estimation, level: str, statistic: str) -> list[tuple[Cell, ...]]:
    after = Estimation(step.material, estimation.config)
    removed = (step.removed_ratings, step.removed_samples, step.removed_raters)
    rows: list[tuple[Cell, ...]] = []
    for question in questions(step.material, estimation.config):
        alpha = krippendorff_alpha(question.table, measurement=question.measurement)
        named = f"alpha_{question.measurement}"
        rows.append((step.name, question.criterion, named, "", named, alpha, *removed))
        for metric in turn_all(step.material):
            if metric.is_of_samples:
                value = _value(question, metric.values, after, level, statistic)
                rows.append((step.name, question.criterion, metric.name, level, statistic, value, *removed))
    return rows


def _value(question: Question, scores: Floats, estimation: Estimation, level: str, statistic: str) -> float | None:
    labels = question.labels
    if STATISTICS[statistic].needs == "classes":
        if question.cut is None:
            return None
        labels = binarise(labels, question.cut)
    mask = ~np.isnan(labels) & ~np.isnan(scores)
    if not mask.any():
        return None
    return estimation.point(scores[mask], labels[mask], mask, statistic=statistic, level=cast(Level, level))
