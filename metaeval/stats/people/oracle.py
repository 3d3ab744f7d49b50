"""Each named user against the oracle's labels, with the statistics of a metric's row (the user rows of VeMo's Table 3).

A user's rating is the score, the oracle's is the label: what a careful layperson reaches where a metric is to follow
experts. Alpha between the two is in `metaeval.stats.agreement.raters`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.stats.association.levels import evaluate
from metaeval.stats.association.registry import STATISTICS
from metaeval.stats.design import Design, Floats, Level, Weights
from metaeval.stats.people.estimates import CONFIDENCE, Estimate, estimate_at_level
from metaeval.stats.people.ratings import check_table


@dataclass(frozen=True)
class UserRow:
    """One rater (row of the table) against the oracle on the samples that both have rated."""

    rater: int
    statistic: str
    level: Level
    estimate: Estimate


def users_against_oracle(
    table: Floats,
    design: Design,
    *,
    oracle: int | Floats,
    statistics: Sequence[str],
    levels: Sequence[Level],
    cut: float | None = None,
    confidence: float = CONFIDENCE,
) -> list[UserRow]:
    """One row a rater, statistic and level.

    oracle: the row of the table that is the oracle, or (samples,) labels with NaN where there is none. cut: from which
    oracle label on a sample is positive, for statistics that need classes; labels that are all 0 or 1 need none.
    """
    check_table(table, design)
    labels = table[oracle] if isinstance(oracle, int) else oracle
    if labels.shape != (design.size,):
        raise ValueError(f"oracle: expected a label for each of {design.size} samples, found {labels.shape}")
    users = [rater for rater in range(len(table)) if not isinstance(oracle, int) or rater != oracle % len(table)]
    found = []
    for rater in users:
        common = np.isfinite(table[rater]) & np.isfinite(labels)
        if not common.any():
            continue
        here = design.take(common)
        for statistic in statistics:
            against = oracle_labels(labels[common], statistic, cut)
            for level in levels:
                estimate = rating_against_label(
                    table[rater, common], against, here, statistic=statistic, level=level, confidence=confidence
                )
                found.append(UserRow(rater, statistic, level, estimate))
    return found


def rating_against_label(
    ratings: Floats,
    labels: Floats,
    design: Design,
    *,
    statistic: str,
    level: Level,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """A statistic of two columns without gaps, with its interval over prompts."""
    first = evaluate(ratings, labels, design, statistic=statistic, level=level)

    def values_of(weights: Weights) -> Floats:
        return evaluate(ratings, labels, design, statistic=statistic, level=level, weights=weights).values

    return estimate_at_level(
        values_of,
        design,
        statistic=statistic,
        level=level,
        n=first.n,
        rare_units=rare_prompts(labels, design) if statistic == "auc_roc" and level == "sample" else None,
        reason=first.reason or "undefined",
        confidence=confidence,
    )


def rare_prompts(labels: Floats, design: Design) -> int:
    """How many prompts hold the rarer of the two classes."""
    return min(len(np.unique(design.prompt[labels == value])) for value in (0.0, 1.0))


def oracle_labels(labels: Floats, statistic: str, cut: float | None) -> Floats:
    """The labels as they are, or as classes where the statistic needs them."""
    if STATISTICS[statistic].needs == "values":
        return labels
    if cut is not None:
        return (labels >= cut).astype(np.float64)
    if not np.isin(labels, (0.0, 1.0)).all():
        raise ValueError(f"cut: expected a value from which on a sample is positive, for {statistic}; found none")
    return labels
