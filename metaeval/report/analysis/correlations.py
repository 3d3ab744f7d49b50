"""Each metric against people: every statistic at every level, with its interval and its p."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from metaeval.report.analysis.estimation import Estimation, Shown
from metaeval.report.analysis.generator_pairs import generator_pair_rows
from metaeval.report.analysis.notes import joined, no_p, with_reference
from metaeval.report.analysis.progress import Progress
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.results import Correlation
from metaeval.stats.association import STATISTICS, acc_eq_chance, binarise
from metaeval.stats.design import Bools, Floats, Level

# What is computed where. Area under curves and KS compare two pooled groups: they mean little over a handful of points.
OF_LEVEL: dict[Level, tuple[str, ...]] = {
    "sample": tuple(STATISTICS),
    "prompt": ("pearson", "spearman", "kendall_b", "kendall_c", "somers_d", "acc_eq", "auc_roc"),
    "within_generator": ("pearson", "spearman", "kendall_b", "kendall_c", "somers_d", "acc_eq", "auc_roc"),
    "generator": ("pearson", "spearman", "kendall_b", "kendall_c", "somers_d", "acc_eq"),
}
CLASSES = tuple(name for name, statistic in STATISTICS.items() if statistic.needs == "classes")


class Named(Protocol):
    """Whatever has a name: a metric with scores, or one that came with its function."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True)
class Target:
    """What the scores are held against: labels, or 0 and 1 at a cut."""

    labels: Floats
    without_one: Floats | None = None
    suffix: str = ""  # of the statistic's name, for cuts other than the primary one
    note: str = ""


def correlation_rows(
    question: Question, metrics: Sequence[Turned], estimation: Estimation, progress: Progress
) -> list[Correlation]:
    rows: list[Correlation] = []
    for level in estimation.levels:
        if level == "subsplit":
            continue
        for statistic in OF_LEVEL[level]:
            progress.step(f"{question.criterion}, {level} level: {statistic}")
            for target in _targets(question, statistic, level):
                rows += _rows(question, metrics, estimation, level, statistic, target)
    if "generator" in estimation.levels:
        rows += generator_pair_rows(question, metrics, estimation)
    return sorted(rows, key=lambda row: [metric.name for metric in metrics].index(row.metric))


def _targets(question: Question, statistic: str, level: Level) -> Iterator[Target]:
    if statistic not in CLASSES:
        yield Target(question.labels, question.without_one)
        return
    if question.cut is None:
        yield Target(np.full_like(question.labels, np.nan), note="undefined: all ratings are equal")
        return
    for cut in question.cuts if level == "sample" else question.cuts[:1]:
        primary = cut == question.cut
        chosen = f", {question.cut_chosen}" if primary and question.cut_chosen else ""
        suffix = "" if primary else f"@>={cut:g}"
        without_one = None if question.without_one is None else binarise(question.without_one, cut)
        yield Target(binarise(question.labels, cut), without_one, suffix, f"positive: label >= {cut:g}{chosen}")


def _rows(
    question: Question,
    metrics: Sequence[Turned],
    estimation: Estimation,
    level: Level,
    statistic: str,
    target: Target,
) -> Iterator[Correlation]:
    named = f"{statistic}{target.suffix}"
    for mask, members in by_mask(metrics, target.labels):
        if not mask.any():
            for metric in members:
                yield _without(question, metric, level, named, target, estimation)
            continue
        scores = np.stack([metric.values[mask] for metric in members])
        shown = estimation.estimate(
            scores,
            target.labels[mask],
            mask,
            statistic=statistic,
            level=level,
            with_p=not target.suffix,
            without_one=None if target.without_one is None else target.without_one[:, mask],
        )
        for metric, cell in zip(members, shown, strict=True):
            beside = _beside(metric, target, estimation, statistic, level)
            chance = _chance(metric, target, mask, estimation, statistic, level)
            rest = (chance, target.note, metric.note, beside)
            row = correlation_row(question, metric, level, named, cell, joined(cell.note, *rest))
            yield row
            if (test := cell.by_prompt) is not None:
                note = joined(no_p(test.note), *rest)
                yield replace(row, statistic=f"{named}_by_prompt", p=test.p, p_method=test.method, note=note)


def correlation_row(
    question: Question, metric: Named, level: str, statistic: str, cell: Shown, note: str
) -> Correlation:
    return Correlation(
        criterion=question.criterion,
        metric=metric.name,
        level=level,
        statistic=statistic,
        value=cell.value,
        n=cell.n,
        ci_low=cell.low,
        ci_high=cell.high,
        ci_method=cell.ci_method,
        ci_unit=cell.ci_unit,
        p=cell.p,
        p_method=cell.p_method,
        note=note,
        undefined_as_zero=cell.undefined_as_zero,
    )


def by_mask(metrics: Sequence[Turned], labels: Floats) -> list[tuple[Bools, list[Turned]]]:
    """Metrics that have scores on the same labelled samples are computed together."""
    groups: dict[bytes, tuple[Bools, list[Turned]]] = {}
    for metric in metrics:
        mask = ~np.isnan(labels) & ~np.isnan(metric.values)
        groups.setdefault(mask.tobytes(), (mask, []))[1].append(metric)
    return list(groups.values())


def _without(
    question: Question, metric: Turned, level: Level, statistic: str, target: Target, estimation: Estimation
) -> Correlation:
    """A metric that has no score on any labelled sample: a number of whole generators, or nothing at all."""
    if level == "generator" and not np.isnan(metric.of_generators).all():
        cell = estimation.of_generators(metric.of_generators, target.labels, statistic=statistic)
        beside = ""
        if (whole := metric.with_reference) is not None:
            found = estimation.of_generators(whole.of_generators, target.labels, statistic=statistic)
            beside = with_reference(found.value)
        note = joined(cell.note, "imported for whole generators", metric.note, beside)
        return correlation_row(question, metric, level, statistic, cell, note)
    reason = target.note if target.note.startswith("undefined") else "undefined: no scores on rated samples"
    if metric.is_of_sets and not target.note.startswith("undefined"):
        reason = "undefined: set metric"
    return correlation_row(question, metric, level, statistic, Shown.undefined(reason), reason)


def _chance(metric: Turned, target: Target, mask: Bools, estimation: Estimation, statistic: str, level: Level) -> str:
    """Where chance depends on the ties of both sides, it stands beside the value."""
    if statistic != "acc_eq" or level == "generator":
        return ""
    design = estimation.material.design.take(mask)
    value = acc_eq_chance(metric.values[mask], target.labels[mask], design, level=level)
    return "" if value is None else f"chance {value:.3f}"


def _beside(metric: Turned, target: Target, estimation: Estimation, statistic: str, level: Level) -> str:
    if metric.with_reference is None:
        return ""
    values = metric.with_reference.values
    mask = ~np.isnan(values) & ~np.isnan(target.labels)
    return with_reference(estimation.point(values[mask], target.labels[mask], mask, statistic=statistic, level=level))


def mark_roles(rows: Sequence[Correlation], metrics: Sequence[Turned], estimation: Estimation) -> list[Correlation]:
    """Confirmatory is what analysis.toml names; Holm runs over the metrics of one criterion, level and statistic.

    Members of a search stay out: their p is that of the best of the grid, in `searches`.
    """
    searched = {metric.name for metric in metrics if metric.metric.won_search}
    families: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for index, row in enumerate(rows):
        if row.p is not None and row.metric not in searched:
            families[row.criterion, row.level, row.statistic].append(index)
    marked = [
        row if row.metric in searched else replace(row, role=estimation.role(row.criterion, row.level, row.statistic))
        for row in rows
    ]
    for members in families.values():
        for index, adjusted in zip(members, estimation.holm([rows[i].p or 0.0 for i in members]), strict=True):
            marked[index] = replace(marked[index], p_holm=adjusted)
    return marked
