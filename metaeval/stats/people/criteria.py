"""Do the criteria measure different things? Correlations between them, over labels and within raters.

Labels average the raters, so that what is left in common lies in the samples. Within one rater there is halo besides:
a motion that looks good is called faithful as well (Thorndike 1920, "A constant error in psychological ratings").
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import numpy as np

from metaeval.stats.association.levels import evaluate
from metaeval.stats.design import Design, Floats, Level, Weights, once
from metaeval.stats.people.estimates import CONFIDENCE, Estimate, estimate_over_prompts
from metaeval.stats.people.oracle import rating_against_label
from metaeval.stats.people.ratings import check_table, rater_sums
from metaeval.stats.resampling.studentised import SCALE_OF

STATISTICS: Final = ("pearson", "spearman", "kendall_b")
LEVELS: Final[tuple[Level, ...]] = ("sample", "generator")
# A rater with fewer common samples says nothing about halo.
FEWEST_RATINGS: Final = 5


@dataclass(frozen=True)
class CriteriaRow:
    """Two criteria at a level. `level` is "rating" for the mean within raters (halo), `raters` then says how many."""

    criterion_a: str
    criterion_b: str
    level: str
    statistic: str
    estimate: Estimate
    raters: int = 0


def criteria_correlations(
    tables: Mapping[str, Floats],
    design: Design,
    *,
    statistics: Sequence[str] = STATISTICS,
    levels: Sequence[Level] = LEVELS,
    labels: Mapping[str, Floats] | None = None,
    confidence: float = CONFIDENCE,
) -> list[CriteriaRow]:
    """Every two criteria: their labels (without any given, raters' means) at each level, and the halo within raters.

    `tables` gives each criterion's (raters, samples), raters in one order, NaN where there is no rating.
    """
    for table in tables.values():
        check_table(table, design)
    if labels is None:
        labels = {criterion: rater_sums(table).means for criterion, table in tables.items()}
    found = []
    for a, b in combinations(tables, 2):
        first, second = labels[a], labels[b]
        common = ~np.isnan(first) & ~np.isnan(second)
        here = design.take(common)
        for statistic in statistics:
            for level in levels:
                estimate = rating_against_label(
                    first[common], second[common], here, statistic=statistic, level=level, confidence=confidence
                )
                found.append(CriteriaRow(a, b, level, statistic, estimate))
            found.append(_halo(a, b, tables, design, statistic, confidence))
    return found


def _halo(
    a: str, b: str, tables: Mapping[str, Floats], design: Design, statistic: str, confidence: float
) -> CriteriaRow:
    """The correlation over a rater's own ratings, averaged over raters for whom it is defined."""
    if tables[a].shape != tables[b].shape:
        raise ValueError(f"tables: expected the same raters for all criteria, found {tables[a].shape[0]} and others")
    both = ~np.isnan(tables[a]) & ~np.isnan(tables[b])
    raters = [
        rater
        for rater in np.flatnonzero(both.sum(axis=1) >= FEWEST_RATINGS).tolist()
        if np.isfinite(_of_rater(rater, a, b, tables, design, statistic, once(design))[0])
    ]
    ratings = int(both[raters].sum())
    if not raters:
        note = f"undefined: no rater with {FEWEST_RATINGS} common samples and spread on both"
        return CriteriaRow(a, b, "rating", statistic, Estimate(None, 0, note=note))

    def values_of(weights: Weights) -> Floats:
        values = np.array([_of_rater(rater, a, b, tables, design, statistic, weights) for rater in raters])
        defined = np.isfinite(values)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(np.where(defined, values, 0.0).sum(axis=0) / defined.sum(axis=0), dtype=np.float64)

    scale = SCALE_OF.get(statistic, "identity")
    estimate = estimate_over_prompts(values_of, design, n=ratings, scale=scale, confidence=confidence)
    return CriteriaRow(a, b, "rating", statistic, estimate, raters=len(raters))


def _of_rater(
    rater: int, a: str, b: str, tables: Mapping[str, Floats], design: Design, statistic: str, weights: Weights
) -> Floats:
    common = ~np.isnan(tables[a][rater]) & ~np.isnan(tables[b][rater])
    here = design.take(common)
    return evaluate(
        tables[a][rater, common],
        tables[b][rater, common],
        here,
        statistic=statistic,
        level="sample",
        weights=weights.take(common),
    ).values
