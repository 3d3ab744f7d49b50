"""Scores that differ by rounding only: counted, and what it would change if they were equal. Nothing is altered."""

from collections.abc import Sequence

import numpy as np

from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.results import Cell, Listing
from metaeval.stats.association import find_noise, merge_noise


def noise_listing(questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation) -> Listing | None:
    rows: list[tuple[Cell, ...]] = []
    for metric in metrics:
        noise = find_noise(metric.values)
        if not noise.values:
            continue
        for question in questions:
            mask = question.rated & ~np.isnan(metric.values)
            values = [
                estimation.point(scores[mask], question.labels[mask], mask, statistic="kendall_b", level="sample")
                for scores in (metric.values, merge_noise(metric.values))
            ]
            example = " and ".join(map(repr, noise.examples[0]))
            rows.append((metric.name, question.criterion, noise.values, noise.samples, example, *values))
    if not rows:
        return None
    return Listing(
        "float_noise",
        "Scores that differ by float noise",
        ("metric", "criterion", "values", "samples", "example", "kendall_b_as_is", "kendall_b_merged"),
        tuple(rows),
        "Such values are different to every rank statistic. They were left as they are; the last column shows "
        "Kendall's tau-b with them made equal.",
    )
