"""What a metric is worth as a decision: thresholds, and tolerance for ties."""

from collections.abc import Sequence

import numpy as np

from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.results import Cell, Listing
from metaeval.stats.association import (
    acc_eq_chance,
    best_thresholds,
    binarise,
    calibrate_ties_crossvalidated,
)


def threshold_listing(
    questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation
) -> Listing | None:
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        if question.cut is None:
            continue
        labels = binarise(question.labels, question.cut)
        for metric in metrics:
            mask = question.rated & ~np.isnan(metric.values)
            if not mask.any():
                continue
            found = best_thresholds(
                metric.values[mask],
                labels[mask],
                estimation.material.design.prompt[mask],
                seed=estimation.config.resampling.seed,
            )
            rows.append(
                (
                    question.criterion,
                    metric.name,
                    f">= {question.cut:g}",
                    found.f1,
                    found.f1_always_positive,
                    found.accuracy,
                    found.majority_accuracy,
                    found.n,
                )
            )
    columns = ("criterion", "metric", "positive", "f1", "f1_always_positive", "accuracy", "accuracy_majority", "n")
    note = "The threshold is chosen on other prompts (cross-validated). A useful metric beats the column beside it."
    return Listing("thresholds", "Best thresholds", columns, tuple(rows), note) if rows else None


def tie_listing(questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation) -> Listing | None:
    design = estimation.material.design
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        for metric in metrics:
            mask = question.rated & ~np.isnan(metric.values)
            if not mask.any():
                continue
            scores, labels, here = metric.values[mask], question.labels[mask], design.take(mask)
            found = calibrate_ties_crossvalidated(scores, labels, here, seed=estimation.config.resampling.seed)
            rows.append(
                (
                    question.criterion,
                    metric.name,
                    _finite(found.at_zero),
                    acc_eq_chance(scores, labels, here, level="prompt"),
                    _finite(found.value),
                    _finite(found.crossvalidated),
                    _finite(found.epsilon),
                    found.pairs,
                )
            )
    columns = ("criterion", "metric", "acc_eq", "chance", "calibrated", "crossvalidated", "tolerance", "pairs")
    note = (
        "Share of pairs within prompts that the metric orders, or ties, as people do (Deutsch et al. 2023). Chance: "
        "with shuffled scores. Calibrated: scores closer than the tolerance count as tied, on the data that it was "
        "chosen on; crossvalidated: chosen on other prompts."
    )
    return Listing("ties", "Pairwise accuracy with ties", columns, tuple(rows), note) if rows else None


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None
