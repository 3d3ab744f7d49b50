"""The level between samples and generators: random groups of each generator's samples (VeMo, appendix A.3).

The points share samples and are not independent: no p. Beside each value stands the floor that a metric reaches by
merely ordering the generators right.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from metaeval.report.analysis.correlations import by_mask, correlation_row
from metaeval.report.analysis.estimation import Estimation, Shown
from metaeval.report.analysis.notes import joined, no_interval
from metaeval.report.analysis.progress import Progress
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.results import Correlation
from metaeval.stats.association import Subsplit, evaluate_subsets, subsplit_many
from metaeval.stats.resampling import Interval, percentile_interval

STATISTICS = ("kendall_b", "spearman", "pearson")


def subsplit_rows(
    question: Question, metrics: Sequence[Turned], estimation: Estimation, progress: Progress
) -> list[Correlation]:
    if "subsplit" not in estimation.levels:
        return []
    progress.step(f"{question.criterion}, sub-splits of generators")
    rows = [
        row
        for mask, members in by_mask(metrics, question.labels)
        for row in (
            _split_rows(question, members, mask, estimation)
            if mask.any()
            else _imported_rows(question, members, estimation)
        )
    ]
    order = [metric.name for metric in metrics]
    return sorted(rows, key=lambda row: order.index(row.metric))


def _split_rows(
    question: Question,
    members: Sequence[Turned],
    mask: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
    estimation: Estimation,
) -> Iterator[Correlation]:
    design, labels = estimation.material.design.take(mask), question.labels[mask]
    scores = np.stack([metric.values[mask] for metric in members])
    levels, seed = estimation.config.levels, estimation.config.resampling.seed
    points, draws = (
        subsplit_many(
            scores,
            labels,
            design,
            statistics=STATISTICS,
            parts=levels.subsplit_groups,
            repetitions=levels.subsplit_repetitions,
            seed=seed,
            weights=weights,
        )
        for weights in (None, estimation.prompts.take(mask) if estimation.config.resampling.replicates else None)
    )
    for place, metric in enumerate(members):
        for statistic in STATISTICS:
            point, drawn = points[statistic][place], draws[statistic][place]
            cell = _cell(point, drawn, estimation)
            yield correlation_row(question, metric, "subsplit", statistic, cell, joined(cell.note, metric.note))


def _cell(point: Subsplit, drawn: Subsplit, estimation: Estimation) -> Shown:
    value = float(point.evaluation.values[0])
    if not np.isfinite(value):
        return Shown.undefined(point.evaluation.reason, point.evaluation.n)
    interval = Interval(None, None, "")
    if estimation.config.resampling.replicates:
        units = estimation.prompts.counts.shape[1]
        confidence = estimation.config.resampling.confidence
        interval = percentile_interval(drawn.evaluation.values, confidence, units=units)
    floors = [
        ("floor of ordering the generators right", point.floor),
        ("the same with ties within them", point.floor_tied),
        ("within generators", point.within_generator),
    ]
    notes = [f"{name} {number:.3f}" for name, number in floors if number is not None]
    return Shown(
        value=value,
        n=point.evaluation.n,
        low=interval.low,
        high=interval.high,
        ci_method=f"{interval.method}, split again" if interval.low is not None else "",
        ci_unit="prompt" if interval.low is not None else "",
        note=joined(*notes, "points are not independent: no p", no_interval(interval.note)),
    )


def _imported_rows(question: Question, members: Sequence[Turned], estimation: Estimation) -> Iterator[Correlation]:
    """Numbers imported for named sub-splits, where there are any; a set metric cannot be made from one number."""
    material = estimation.material
    for metric in members:
        for statistic in STATISTICS:
            if not metric.of_subsets:
                yield correlation_row(
                    question, metric, "subsplit", statistic, Shown.undefined(reason := _reason(metric)), reason
                )
                continue
            rated = np.isfinite(question.labels)
            found = evaluate_subsets(
                metric.of_subsets,
                {name: mask[rated] for name, mask in material.subsets.items()},
                question.labels[rated],
                material.design.take(rated),
                statistic=statistic,
            )
            value = float(found.values[0])
            note = "imported for named sub-splits; points are not independent: no p and no interval"
            cell = Shown(value, found.n) if np.isfinite(value) else Shown.undefined(found.reason, found.n)
            yield correlation_row(question, metric, "subsplit", statistic, cell, cell.note or note)


def _reason(metric: Turned) -> str:
    has_numbers = not np.isnan(metric.of_generators).all()
    return "undefined: set metric" if has_numbers else "undefined: no scores on rated samples"
