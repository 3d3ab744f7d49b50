"""Metrics of a set of samples (FID, R-precision, diversity) that come with their function: re-evaluated on every set.

A number that was merely imported cannot be: see `correlations` and `subsplits`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from metaeval.report.analysis.correlations import correlation_row
from metaeval.report.analysis.estimation import Estimation, Shown
from metaeval.report.analysis.notes import joined, no_interval, with_reference
from metaeval.report.analysis.questions import Question
from metaeval.report.material import Direction
from metaeval.report.results import Correlation
from metaeval.stats.association import Evaluation, evaluate_set
from metaeval.stats.design import Floats, Ints, Weights
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
    """`function` takes codes into `Material.samples`, a sample that was drawn twice standing twice among them.

    With direction "target" a value counts as -|value - target|; without a target that is the reference's own value.
    """

    name: str
    function: Callable[[Ints], float]
    direction: Direction = "higher"
    is_reference_based: bool = False
    target: float | None = None


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
    metric, notes = _with_target(metric, estimation)
    rows = _rows(question, metric, estimation)
    if metric.direction == "target" and metric.target is None:
        cell = Shown.undefined("undefined: no target is given, and the reference has no value")
        return correlation_row(question, metric, level, statistic, cell, cell.note)
    evaluate = _evaluator(question, metric, rows, level, statistic, estimation)
    point = evaluate(None)
    value = float(point.values[0])
    notes = ("re-evaluated on every set", *notes)
    if not np.isfinite(value):
        cell = Shown.undefined(point.reason or "undefined", point.n)
    else:
        interval, unit = _interval(evaluate, rows, level, estimation)
        cell = Shown(
            value, point.n, interval.low, interval.high, interval.method, unit if interval.low is not None else ""
        )
        notes = (*notes, no_interval(interval.note), _beside(question, metric, rows, level, statistic, estimation))
        if level == "generator":
            # The p of the numbers as they are: imported ones get the same.
            imported = estimation.of_generators(
                _numbers(metric, rows, estimation), question.labels, statistic=statistic
            )
            cell = replace(cell, p=imported.p, p_method=imported.p_method, note=imported.note)
    return correlation_row(question, metric, level, statistic, cell, joined(cell.note, *notes))


def _beside(
    question: Question,
    metric: SetMetric,
    rows: Ints,
    level: Literal["generator", "subsplit"],
    statistic: str,
    estimation: Estimation,
) -> str:
    """The value with the reference, where it was left out."""
    every = np.flatnonzero(question.rated)
    if len(every) == len(rows):
        return ""
    value = float(_evaluator(question, metric, every, level, statistic, estimation)(None).values[0])
    return with_reference(value if np.isfinite(value) else None)


def _with_target(metric: SetMetric, estimation: Estimation) -> tuple[SetMetric, tuple[str, ...]]:
    """Where no target is given it is the reference's value, and the reference, which lies there, is left out."""
    if metric.direction == "higher":
        return metric, ()
    if metric.direction == "lower":
        return metric, ("sign turned: lower is better",)
    notes: tuple[str, ...] = ()
    if metric.target is None and estimation.material.reference is not None:
        own = np.flatnonzero(estimation.material.design.generator == estimation.material.reference)
        found = metric.function(own)
        metric = replace(metric, target=found if np.isfinite(found) else None, is_reference_based=True)
        notes = ("without the reference, which the target is of",)
    return metric, (f"as -|x - {metric.target or 0.0:g}|: nearest to the target is best", *notes)


def _numbers(metric: SetMetric, rows: Ints, estimation: Estimation) -> Floats:
    """(generators,): the metric of each generator's samples, higher is better."""
    generator = estimation.material.design.generator[rows]
    values = np.full(len(estimation.material.generators), np.nan)
    for code in np.unique(generator).tolist():
        values[code] = _turned(metric, metric.function(rows[generator == code]))
    return values


def _turned(metric: SetMetric, value: float) -> float:
    if metric.direction == "target" and metric.target is not None:
        return -abs(value - metric.target)
    return -value if metric.direction == "lower" else value


def _evaluator(
    question: Question,
    metric: SetMetric,
    rows: Ints,
    level: Literal["generator", "subsplit"],
    statistic: str,
    estimation: Estimation,
) -> Callable[[Weights | None], Evaluation]:
    design, levels = estimation.material.design.take(rows), estimation.config.levels

    def evaluate(weights: Weights | None) -> Evaluation:
        return evaluate_set(
            lambda drawn: _turned(metric, metric.function(rows[drawn])),
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
