"""Values that differ by rounding only: counted, and what it changes that they are equal.

Scores are left as they are, unless nothing else tells them apart; labels are ours, so that theirs are made equal.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.results import Cell, Listing
from metaeval.stats.association import FloatNoise, find_noise, merge_noise
from metaeval.stats.design import Floats


def noise_listing(questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation) -> Listing | None:
    rows = [*_of_scores(questions, metrics, estimation), *_of_labels(questions, metrics, estimation)]
    if not rows:
        return None
    return Listing(
        "float_noise",
        "Values that differ by float noise",
        ("of", "metric", "criterion", "values", "samples", "example", "kendall_b_as_is", "kendall_b_merged"),
        tuple(rows),
        "Such values are different to every rank statistic. Scores were left as they are, unless all of a metric's "
        "differences are noise; labels, which are means and the like, were made equal. The last columns show Kendall's "
        "tau-b over samples before and after.",
    )


def _of_scores(
    questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation
) -> Iterator[tuple[Cell, ...]]:
    for metric in metrics:
        noise = find_noise(metric.as_read)
        for question in questions if noise.values else ():
            taus = [
                _tau(scores, question.labels, estimation) for scores in (metric.as_read, merge_noise(metric.as_read))
            ]
            yield ("scores", metric.name, question.criterion, *_counted(noise), *taus)


def _of_labels(
    questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation
) -> Iterator[tuple[Cell, ...]]:
    for question in questions:
        noise = question.noise
        for metric in metrics if noise.values else ():
            if metric.is_of_samples and question.as_aggregated is not None:
                taus = [_tau(metric.values, labels, estimation) for labels in (question.as_aggregated, question.labels)]
                yield ("labels", metric.name, question.criterion, *_counted(noise), *taus)


def _counted(noise: FloatNoise) -> tuple[Cell, ...]:
    return noise.values, noise.samples, " and ".join(map(repr, noise.examples[0]))


def _tau(scores: Floats, labels: Floats, estimation: Estimation) -> float | None:
    mask = ~np.isnan(labels) & ~np.isnan(scores)
    return estimation.point(scores[mask], labels[mask], mask, statistic="kendall_b", level="sample")
