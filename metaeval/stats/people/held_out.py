"""The human row of a table of metrics: one rating of each sample, held out, against the mean of the others.

A rating has noise of its own, so a metric can beat it; and the mean of k - 1 ratings is a worse yardstick than that of
k, so a metric beside it has to be scored on the same reduced means. One random rater a sample is held out, K times.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from metaeval.stats.association.levels import Evaluation, evaluate_many
from metaeval.stats.association.registry import STATISTICS
from metaeval.stats.design import Design, Floats, Ints, Level, Weights, once
from metaeval.stats.people.estimates import CONFIDENCE, Estimate, estimate_at_level
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
    confidence: float = CONFIDENCE,
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
            found.append(_human_row(held, design, statistic, level, cut, confidence))
            interval = confidence if metric_intervals else None
            found += _metric_rows(held, design, metrics[:, held.rows], statistic, level, cut, interval)
    return found


@dataclass(frozen=True)
class _Repeated:
    """m rows of scores against K sets of labels on the same samples, one statistic at one level."""

    scores: Floats  # (K, m, n)
    labels: Floats  # (K, n)
    design: Design
    statistic: str
    level: Level

    def evaluations(self, weights: Weights) -> list[tuple[Evaluation, ...]]:
        """K evaluations for each of the m rows."""
        found = [
            evaluate_many(x, y, self.design, statistic=self.statistic, level=self.level, weights=weights)
            for x, y in zip(self.scores, self.labels, strict=True)
        ]
        return list(zip(*found, strict=True))


def _human_row(
    held: HeldOut, design: Design, statistic: str, level: Level, cut: float | None, confidence: float
) -> HeldOutRow:
    labels = _labels(held.labels, statistic, cut)
    task = _Repeated(held.ratings[:, None], labels, design.take(held.rows), statistic, level)
    return _rows(task, (None,), held.dropped, confidence)[0]


def _metric_rows(
    held: HeldOut,
    design: Design,
    metrics: Floats,
    statistic: str,
    level: Level,
    cut: float | None,
    confidence: float | None,
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
        found += _rows(task, tuple(members), held.dropped, confidence)
    return sorted(found, key=lambda row: row.metric or 0)


def _rows(task: _Repeated, members: tuple[int | None, ...], dropped: int, confidence: float | None) -> list[HeldOutRow]:
    """confidence: of the interval; None for none."""
    rows = []
    for row, (metric, found) in enumerate(zip(members, task.evaluations(once(task.design)), strict=True)):
        values = np.array([one.values[0] for one in found])
        defined = values[np.isfinite(values)]
        rows.append(
            HeldOutRow(
                metric=metric,
                statistic=task.statistic,
                level=task.level,
                estimate=_estimate(task, row, found, confidence),
                low=float(defined.min()) if len(defined) else None,
                high=float(defined.max()) if len(defined) else None,
                repetitions=len(defined),
                dropped=dropped,
            )
        )
    return rows


def _estimate(task: _Repeated, row: int, found: Sequence[Evaluation], confidence: float | None) -> Estimate:
    """The mean over the repetitions in which it is defined, and the least n among these, counted as at its level."""
    points = np.array([one.values[0] for one in found])
    defined = np.isfinite(points)
    if not defined.any():
        return Estimate(None, found[0].n, note=found[0].reason)
    used = [one for one, is_used in zip(found, defined, strict=True) if is_used]
    n = min(one.n for one in used)
    note = _defined_prompts(used) if task.level == "prompt" else ""
    if confidence is None:
        return Estimate(float(points[defined].mean()), n, note=note)
    alone = replace(task, scores=task.scores[defined, row : row + 1], labels=task.labels[defined])

    def mean_over_repetitions(weights: Weights) -> Floats:
        [repetitions] = alone.evaluations(weights)
        return np.asarray(np.mean([one.values for one in repetitions], axis=0), dtype=np.float64)

    estimate = estimate_at_level(
        mean_over_repetitions,
        task.design,
        statistic=task.statistic,
        level=task.level,
        n=n,
        confidence=confidence,
    )
    return replace(estimate, note="; ".join(filter(None, (note, estimate.note))))


def _defined_prompts(found: Sequence[Evaluation]) -> str:
    """Held-out labels differ between repetitions, and so do the prompts on which they are all equal."""
    least, most = min(one.n for one in found), max(one.n for one in found)
    prompts = f"{least}" if least == most else f"{least} to {most}"
    return f"defined in {prompts} of {found[0].total} prompts"


def _labels(means: Floats, statistic: str, cut: float | None) -> Floats:
    if STATISTICS[statistic].needs == "values":
        return means
    if cut is None:
        raise ValueError(f"cut: expected a value from which on a sample is positive, for {statistic}; found none")
    return (means >= cut).astype(np.float64)
