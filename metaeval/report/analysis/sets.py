"""Metrics of a set of samples (FID, R-precision, diversity) that come with their function: re-evaluated on every set.

A number that was merely imported cannot be: see `correlations` and `subsplits`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metaeval.report.analysis.correlations import correlation_row
from metaeval.report.analysis.estimation import Estimation, Shown
from metaeval.report.analysis.questions import Question
from metaeval.report.results import Correlation
from metaeval.stats.association import Evaluation, evaluate_set
from metaeval.stats.design import Ints, Weights
from metaeval.stats.resampling import (
    FEWEST_GENERATORS,
    Interval,
    jackknife_range,
    jackknife_weights,
    percentile_interval,
)

STATISTICS = ("pearson", "spearman", "kendall_b")
LEVELS: tuple[Literal["generator", "subsplit"], ...] = ("generator", "subsplit")


@dataclass(frozen=True)
class SetMetric:
    """`function` takes codes into `Material.samples`, a sample that was drawn twice standing twice among them."""

    name: str
    function: Callable[[Ints], float]
    direction: Literal["higher", "lower"] = "higher"
    is_reference_based: bool = False


def set_rows(question: Question, metrics: Sequence[SetMetric], estimation: Estimation) -> Iterator[Correlation]:
    for metric in metrics:
        for level in LEVELS:
            if level not in estimation.levels:
                continue
            for statistic in STATISTICS:
                yield _row(question, metric, level, statistic, estimation)


def _row(
    question: Question,
    metric: SetMetric,
    level: Literal["generator", "subsplit"],
    statistic: str,
    estimation: Estimation,
) -> Correlation:
    rows = _rows(question, metric, estimation)
    evaluate = _evaluator(question, metric, rows, level, statistic, estimation)
    point = evaluate(None)
    value = float(point.values[0])
    notes = ["re-evaluated on every set", "sign turned: lower is better" if metric.direction == "lower" else ""]
    if not np.isfinite(value):
        cell = Shown.undefined(point.reason or "undefined", point.n)
    else:
        interval, unit = _interval(evaluate, rows, level, estimation)
        cell = Shown(
            value, point.n, interval.low, interval.high, interval.method, unit if interval.low is not None else ""
        )
        notes.append(interval.note)
    return correlation_row(question, metric, level, statistic, cell, "; ".join(filter(None, (cell.note, *notes))))


def _evaluator(
    question: Question,
    metric: SetMetric,
    rows: Ints,
    level: Literal["generator", "subsplit"],
    statistic: str,
    estimation: Estimation,
) -> Callable[[Weights | None], Evaluation]:
    design, levels = estimation.material.design.take(rows), estimation.config.levels
    sign = -1.0 if metric.direction == "lower" else 1.0

    def evaluate(weights: Weights | None) -> Evaluation:
        return evaluate_set(
            lambda drawn: sign * metric.function(rows[drawn]),
            question.labels[rows],
            design,
            statistic=statistic,
            level=level,
            weights=weights,
            parts=levels.subsplit_groups,
            repetitions=levels.subsplit_repetitions,
            seed=estimation.config.resampling.seed,
        )

    return evaluate


def _rows(question: Question, metric: SetMetric, estimation: Estimation) -> Ints:
    """The labelled samples; without the reference's, which a reference-based metric would compare with itself."""
    used = question.rated
    if metric.is_reference_based and estimation.material.reference is not None:
        used = used & (estimation.material.design.generator != estimation.material.reference)
    return np.flatnonzero(used)


def _interval(
    evaluate: Callable[[Weights | None], Evaluation], rows: Ints, level: str, estimation: Estimation
) -> tuple[Interval, str]:
    design = estimation.material.design.take(rows)
    if level == "generator" and len(np.unique(design.generator)) < FEWEST_GENERATORS:
        return jackknife_range(evaluate(jackknife_weights(design, "generator")).values), "generator"
    if not estimation.config.resampling.replicates:
        return Interval(None, None, ""), ""
    draws = evaluate(estimation.prompts.take(rows))
    return percentile_interval(draws.values, estimation.config.resampling.confidence), "prompt"
