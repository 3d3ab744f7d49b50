"""Pairs of generators that a metric orders as people do: plain, and soft (Thompson et al. 2024)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.notes import joined, with_reference
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.results import Cell, Correlation, Listing
from metaeval.stats.association import evaluate, merge_noise, pairwise_accuracy, soft_pairwise_accuracy
from metaeval.stats.design import Design, Floats

PLAIN, SOFT = "pairwise_accuracy", "soft_pairwise_accuracy"
GENERATOR_PAIRS = (PLAIN, SOFT)
SET = "undefined: set metric"


@dataclass(frozen=True)
class Ordered:
    """How many pairs of generators the metric orders as people do; None where there are none."""

    plain: float | None
    soft: float | None
    generators: int
    pairs: int
    permutations: int
    reason: str = ""
    soft_reason: str = ""


def ordered_pairs(question: Question, metric: Turned, estimation: Estimation) -> Ordered:
    found = _ordered(question, metric.values, metric.of_generators, estimation)
    is_of_subsets = metric.is_of_sets and np.isnan(metric.of_generators).all()
    return replace(found, reason=SET, soft_reason=SET) if is_of_subsets else found


def _with_reference(question: Question, metric: Turned, estimation: Estimation) -> Ordered | None:
    whole = metric.with_reference
    return None if whole is None else _ordered(question, whole.values, whole.of_generators, estimation)


def _ordered(question: Question, values: Floats, of_generators: Floats, estimation: Estimation) -> Ordered:
    design = estimation.material.design
    mask = question.rated & ~np.isnan(values)
    if not mask.any():
        return _of_imported(question, of_generators, design)
    scores, labels, here = values[mask], question.labels[mask], design.take(mask)
    generators = len(np.unique(here.generator))
    if generators < 2:
        return Ordered(None, None, generators, 0, 0, reason := f"undefined: {generators} generator", reason)
    soft = soft_pairwise_accuracy(scores, labels, here, seed=estimation.config.resampling.seed)
    plain = float(pairwise_accuracy(scores, labels, here)[0])
    return Ordered(
        _finite(plain),
        _finite(soft.value),
        generators,
        generators * (generators - 1) // 2,
        soft.permutations,
        "undefined: no pair of generators",
        "undefined: no two generators share a prompt",
    )


def _of_imported(question: Question, of_generators: Floats, design: Design) -> Ordered:
    """A number for each generator has an order, but no samples to swap."""
    rated = question.rated
    known = [
        code for code in np.flatnonzero(~np.isnan(of_generators)).tolist() if (rated & (design.generator == code)).any()
    ]
    if not known:
        return Ordered(None, None, 0, 0, 0, reason := "undefined: no scores on rated samples", reason)
    means = merge_noise(np.array([question.labels[rated & (design.generator == code)].mean() for code in known]))
    points = Design(np.arange(len(known)), np.arange(len(known)))
    found = evaluate(of_generators[known], means, points, statistic="acc_eq", level="generator")
    pairs = len(known) * (len(known) - 1) // 2
    return Ordered(_finite(float(found.values[0])), None, len(known), pairs, 0, found.reason, SET)


def generator_pair_rows(question: Question, metrics: Sequence[Turned], estimation: Estimation) -> Iterator[Correlation]:
    for metric in metrics:
        found, whole = ordered_pairs(question, metric, estimation), _with_reference(question, metric, estimation)
        pairs = f"{found.pairs} pair{'' if found.pairs == 1 else 's'} of generators"
        swaps = f"{found.permutations} permutations" if found.permutations else ""
        kinds = (
            (PLAIN, found.plain, found.reason, pairs, whole.plain if whole else None),
            (SOFT, found.soft, found.soft_reason, joined(pairs, swaps), whole.soft if whole else None),
        )
        for statistic, value, reason, note, beside in kinds:
            yield Correlation(
                criterion=question.criterion,
                metric=metric.name,
                level="generator",
                statistic=statistic,
                value=value,
                n=found.generators,
                note=reason if value is None else joined(note, metric.note, with_reference(beside)),
            )


def generator_pair_listing(
    questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation
) -> Listing | None:
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        for metric in metrics:
            found = ordered_pairs(question, metric, estimation)
            if found.plain is not None or found.soft is not None:
                rows.append((question.criterion, metric.name, found.plain, found.soft, found.pairs, found.permutations))
    columns = ("criterion", "metric", PLAIN, SOFT, "pairs", "permutations")
    note = (
        "Pairs of generators. Soft: 1 minus the mean difference between the p-values that people and the metric give "
        "to each pair (Thompson et al. 2024)."
    )
    return Listing("generator_pairs", "Pairs of generators", columns, tuple(rows), note) if rows else None


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
