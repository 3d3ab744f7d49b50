"""Agreement per criterion, and correlation of each metric with people per sample and per generator."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.report.inputs import RatingRow, ScoreRow
from metaeval.stats import STATISTICS, correlate, krippendorff_alpha


@dataclass(frozen=True)
class Agreement:
    criterion: str
    statistic: str
    value: float | None
    n_units: int
    n_raters: int
    note: str


@dataclass(frozen=True)
class Correlation:
    criterion: str
    metric: str
    level: str
    statistic: str
    value: float | None
    n: int
    note: str


@dataclass(frozen=True)
class Finding:
    """All numbers of an analysis, and the answer in words."""

    agreement: tuple[Agreement, ...]
    correlations: tuple[Correlation, ...]
    summary: str


Point = tuple[str, str, float]  # sample, generator, mean rating


def analyse(ratings: Sequence[RatingRow], scores: Sequence[ScoreRow]) -> Finding:
    criteria = list(dict.fromkeys(row.criterion for row in ratings))
    agreement = [entry for criterion in criteria for entry in _agreement(criterion, ratings)]
    correlations = [
        entry
        for criterion in criteria
        for metric in dict.fromkeys(row.metric for row in scores)
        for entry in _correlations(criterion, metric, _means(criterion, ratings), scores)
    ]
    return Finding(tuple(agreement), tuple(correlations), _summary(correlations))


def _agreement(criterion: str, ratings: Sequence[RatingRow]) -> list[Agreement]:
    rows = [row for row in ratings if row.criterion == criterion]
    raters = {name: index for index, name in enumerate(dict.fromkeys(row.rater for row in rows))}
    units = {name: index for index, name in enumerate(dict.fromkeys(row.sample for row in rows))}
    table = np.full((len(raters), len(units)), np.nan)
    for row in rows:
        table[raters[row.rater], units[row.sample]] = row.value
    entries = []
    for measurement in ("nominal", "ordinal", "interval"):
        value = krippendorff_alpha(table, measurement=measurement)
        note = "" if value is not None else "undefined: no two raters differ on a common sample"
        entries.append(Agreement(criterion, f"alpha_{measurement}", value, len(units), len(raters), note))
    return entries


def _means(criterion: str, ratings: Sequence[RatingRow]) -> list[Point]:
    given: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row in ratings:
        if row.criterion == criterion:
            given[row.sample, row.generator].append(row.value)
    return [(sample, generator, float(np.mean(values))) for (sample, generator), values in given.items()]


def _correlations(criterion: str, metric: str, means: Sequence[Point], scores: Sequence[ScoreRow]) -> list[Correlation]:
    rows = {row.sample: row for row in scores if row.metric == metric}
    lower = any(row.direction == "lower" for row in rows.values())
    sign = -1.0 if lower else 1.0
    pairs = [(generator, sign * rows[sample].value, mean) for sample, generator, mean in means if sample in rows]
    by_generator: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for generator, score, mean in pairs:
        by_generator[generator].append((score, mean))
    levels = {
        "sample": [(score, mean) for _, score, mean in pairs],
        "generator": [tuple(np.mean(points, axis=0)) for points in by_generator.values()],
    }
    turned = "sign turned: lower is better" if lower else ""
    entries = []
    for level, points in levels.items():
        x, y = np.array(points, dtype=float).reshape(-1, 2).T
        for statistic in STATISTICS:
            value = correlate(x, y, statistic=statistic)
            note = turned if value is not None else "undefined: constant, or too few points"
            entries.append(Correlation(criterion, metric, level, statistic, value, len(points), note))
    return entries


def _summary(correlations: Sequence[Correlation]) -> str:
    """One sentence a criterion: the metric that follows people best, sample by sample."""
    sentences = []
    for criterion in dict.fromkeys(entry.criterion for entry in correlations):
        candidates = [
            entry
            for entry in correlations
            if (entry.criterion, entry.level, entry.statistic) == (criterion, "sample", "spearman")
            and entry.value is not None
        ]
        if not candidates:
            sentences.append(f"No metric can be compared with people on {criterion}.")
            continue
        best = max(candidates, key=lambda entry: entry.value or 0.0)
        sentences.append(
            f"On {criterion}, {best.metric} follows people best sample by sample "
            f"(Spearman {best.value:.2f}, n = {best.n})."
        )
    return " ".join(sentences)
