"""The level between samples and generators: random groups of each generator's samples (VeMo, appendix A.3).

The points share samples and are not independent: no p. Beside each value stands the floor that a metric reaches by
merely ordering the generators right.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from metaeval.report.analysis.correlations import by_mask, correlation_row
from metaeval.report.analysis.estimation import Estimation, Shown
from metaeval.report.analysis.notes import joined, no_interval, with_reference
from metaeval.report.analysis.progress import Progress
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Subsets, Turned
from metaeval.report.results import Correlation
from metaeval.stats.association import Evaluation, Subsplit, evaluate_subsets, subsplit_many
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
        beside = _with_reference(question, metric, estimation)
        for statistic in STATISTICS:
            point, drawn = points[statistic][place], draws[statistic][place]
            cell = _cell(point, drawn, estimation)
            note = joined(cell.note, metric.note, with_reference(beside.get(statistic)))
            yield correlation_row(question, metric, "subsplit", statistic, cell, note)


def _with_reference(question: Question, metric: Turned, estimation: Estimation) -> dict[str, float]:
    """The value of each statistic with the reference, where it was left out and there is one."""
    if metric.with_reference is None:
        return {}
    scores = metric.with_reference.values
    mask = question.rated & ~np.isnan(scores)
    levels = estimation.config.levels
    found = subsplit_many(
        scores[None, mask],
        question.labels[mask],
        estimation.material.design.take(mask),
        statistics=STATISTICS,
        parts=levels.subsplit_groups,
        repetitions=levels.subsplit_repetitions,
        seed=estimation.config.resampling.seed,
    )
    values = {statistic: float(rows[0].evaluation.values[0]) for statistic, rows in found.items()}
    return {statistic: value for statistic, value in values.items() if np.isfinite(value)}


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
    again = "split again in every replicate" if interval.low is not None else ""
    return Shown(
        value=value,
        n=point.evaluation.n,
        low=interval.low,
        high=interval.high,
        ci_method=interval.method if interval.low is not None else "",
        ci_unit="prompt" if interval.low is not None else "",
        note=joined(*notes, again, "points are not independent: no p", no_interval(interval.note)),
    )


def _imported_rows(question: Question, members: Sequence[Turned], estimation: Estimation) -> Iterator[Correlation]:
    """Numbers imported for named sub-splits, where there are any; a set metric cannot be made from one number."""
    for metric in members:
        for statistic in STATISTICS:
            if not metric.of_subsets:
                yield correlation_row(
                    question, metric, "subsplit", statistic, Shown.undefined(reason := _reason(metric)), reason
                )
                continue
            found = _of_subsets(question, metric.of_subsets, estimation, statistic)
            value, beside = float(found.values[0]), ""
            if (whole := metric.with_reference) is not None:
                more = float(_of_subsets(question, whole.of_subsets, estimation, statistic).values[0])
                beside = with_reference(more if np.isfinite(more) else None)
            note = "imported for named sub-splits; points are not independent: no p and no interval"
            cell = Shown(value, found.n) if np.isfinite(value) else Shown.undefined(found.reason, found.n)
            rest = joined(cell.note or note, metric.note, beside)
            yield correlation_row(question, metric, "subsplit", statistic, cell, rest)


def _of_subsets(question: Question, of_subsets: Subsets, estimation: Estimation, statistic: str) -> Evaluation:
    rated, material = np.isfinite(question.labels), estimation.material
    return evaluate_subsets(
        of_subsets,
        {name: mask[rated] for name, mask in material.subsets.items()},
        question.labels[rated],
        material.design.take(rated),
        statistic=statistic,
    )


def _reason(metric: Turned) -> str:
    return "undefined: set metric" if metric.is_of_sets else "undefined: no scores on rated samples"
