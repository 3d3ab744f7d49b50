"""The human row of a table of metrics: one rating of each sample, held out, against the mean of the others.

A rating has noise of its own, so a metric can beat it; and the mean of k - 1 ratings is a worse yardstick than that of
k, so a metric beside it has to be scored on the same reduced means. One random rater a sample is held out, K times.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.stats.association.levels import evaluate_many
from metaeval.stats.association.registry import STATISTICS
from metaeval.stats.design import Design, Floats, Ints, Level, Weights, once
from metaeval.stats.people.estimates import Estimate, estimate_at_level
from metaeval.stats.people.ratings import check_table, means_of_the_others

REPETITIONS = 20


@dataclass(frozen=True)
class HeldOutRow:
    """A held-out rating (metric None) or a metric (its row in the scores), on the same reduced means.

    `estimate` is the mean over repetitions, with the interval of that mean over prompts (not for metrics, unless
    asked); low and high are the range over the repetitions in which it is defined.
    """

    metric: int | None
    statistic: str
    level: Level
    estimate: Estimate
    low: float | None
    high: float | None
    repetitions: int  # in which it is defined
    dropped: int  # samples with fewer than 2 ratings


@dataclass(frozen=True)
class HeldOut:
    """K ways to hold out a rating of each of the samples in `rows`."""

    rows: Ints
    ratings: Floats  # (K, rows): the rating held out
    labels: Floats  # (K, rows): the mean of the others
    dropped: int


def hold_out(table: Floats, *, repetitions: int = REPETITIONS, seed: int = 0) -> HeldOut:
    """Draw one of the raters of each sample, `repetitions` times; samples with fewer than 2 ratings drop out."""
    if repetitions < 1:
        raise ValueError(f"repetitions: expected at least 1, found {repetitions}")
    rows = np.flatnonzero((~np.isnan(table)).sum(axis=0) >= 2)
    kept = table[:, rows]
    others = means_of_the_others(kept)
    # The largest of uniform numbers, among the raters who have rated: every one of them equally likely.
    keys = np.random.default_rng(seed).random((repetitions, *kept.shape))
    chosen = np.where(np.isnan(kept), -1.0, keys).argmax(axis=1)
    columns = np.arange(len(rows))
    return HeldOut(rows, kept[chosen, columns], others[chosen, columns], table.shape[1] - len(rows))


def held_out_rows(
    table: Floats,
    design: Design,
    *,
    statistics: Sequence[str],
    levels: Sequence[Level],
    scores: Floats | None = None,
    cut: float | None = None,
    repetitions: int = REPETITIONS,
    seed: int = 0,
    metric_intervals: bool = False,
) -> list[HeldOutRow]:
    """The human row and, where (metrics, samples) scores are given, the metrics' rows, for each statistic and level.

    cut: from which mean of the others on a sample is positive, for statistics that need classes. A metric that lacks
    scores is compared on the samples that it has.
    """
    check_table(table, design)
    held = hold_out(table, repetitions=repetitions, seed=seed)
    metrics = np.empty((0, design.size)) if scores is None else scores
    found = []
    for statistic in statistics:
        for level in levels:
            found.append(_human_row(held, design, statistic, level, cut))
            found += _metric_rows(held, design, metrics[:, held.rows], statistic, level, cut, metric_intervals)
    return found


@dataclass(frozen=True)
class _Repeated:
    """m rows of scores against K sets of labels on the same samples, one statistic at one level."""

    scores: Floats  # (K, m, n)
    labels: Floats  # (K, n)
    design: Design
    statistic: str
    level: Level

    def values(self, weights: Weights) -> tuple[Floats, list[str]]:
        """(m, K, B), and why the first value of each row is undefined, where it is."""
        found = [
            evaluate_many(x, y, self.design, statistic=self.statistic, level=self.level, weights=weights)
            for x, y in zip(self.scores, self.labels, strict=True)
        ]
        by_row = list(zip(*found, strict=True))
        reasons = [next((one.reason for one in row if one.reason), "") for row in by_row]
        return np.array([[one.values for one in row] for row in by_row]), reasons


def _human_row(held: HeldOut, design: Design, statistic: str, level: Level, cut: float | None) -> HeldOutRow:
    labels = _labels(held.labels, statistic, cut)
    task = _Repeated(held.ratings[:, None], labels, design.take(held.rows), statistic, level)
    return _rows(task, (None,), held.dropped, with_interval=True)[0]


def _metric_rows(
    held: HeldOut,
    design: Design,
    metrics: Floats,
    statistic: str,
    level: Level,
    cut: float | None,
    with_interval: bool,
) -> list[HeldOutRow]:
    """Metrics that have the same samples go together: what concerns the labels is done once."""
    by_samples: dict[bytes, list[int]] = {}
    for metric, scores in enumerate(metrics):
        by_samples.setdefault(np.isfinite(scores).tobytes(), []).append(metric)
    found = []
    for members in by_samples.values():
        has = np.isfinite(metrics[members[0]])
        labels = _labels(held.labels[:, has], statistic, cut)
        scores = metrics[members][:, has]
        repeated = np.broadcast_to(scores, (len(labels), *scores.shape))
        task = _Repeated(repeated, labels, design.take(held.rows[has]), statistic, level)
        found += _rows(task, tuple(members), held.dropped, with_interval=with_interval)
    return sorted(found, key=lambda row: row.metric or 0)


def _rows(task: _Repeated, members: tuple[int | None, ...], dropped: int, *, with_interval: bool) -> list[HeldOutRow]:
    points, reasons = task.values(once(task.design))
    rows = []
    for row, metric in enumerate(members):
        values = points[row, :, 0]
        defined = values[np.isfinite(values)]
        rows.append(
            HeldOutRow(
                metric=metric,
                statistic=task.statistic,
                level=task.level,
                estimate=_estimate(task, row, values, reasons[row], with_interval),
                low=float(defined.min()) if len(defined) else None,
                high=float(defined.max()) if len(defined) else None,
                repetitions=len(defined),
                dropped=dropped,
            )
        )
    return rows


def _estimate(task: _Repeated, row: int, points: Floats, reason: str, with_interval: bool) -> Estimate:
    """The mean over the repetitions in which it is defined."""
    defined = np.isfinite(points)
    size = task.design.size
    if not defined.any():
        return Estimate(None, size, note=reason)
    if not with_interval:
        return Estimate(float(points[defined].mean()), size)
    alone = replace(task, scores=task.scores[defined, row : row + 1], labels=task.labels[defined])

    def mean_over_repetitions(weights: Weights) -> Floats:
        return np.asarray(alone.values(weights)[0][0].mean(axis=0), dtype=np.float64)

    return estimate_at_level(mean_over_repetitions, task.design, statistic=task.statistic, level=task.level, n=size)


def _labels(means: Floats, statistic: str, cut: float | None) -> Floats:
    if STATISTICS[statistic].needs == "values":
        return means
    if cut is None:
        raise ValueError(f"cut: expected a value from which on a sample is positive, for {statistic}; found none")
    return (means >= cut).astype(np.float64)
