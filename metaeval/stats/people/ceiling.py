"""How high a metric could come: labels are noisy, and Pearson's r with a noisy label is too low.

Spearman (1904, "The proof and measurement of association between two things"): r with the label = r with what the
label stands for x sqrt(reliability of the label). So sqrt(reliability) is the ceiling, and r / sqrt(reliability) the
corrected value. It divides two estimates and may exceed 1: that is shown, never cut off.

Sample level: reliability = 1 - error / variance of the labels, the error being the variance within samples x the mean
of 1/k (k ratings a sample: their harmonic mean counts). With equal k it is ICC(1,k) (Shrout & Fleiss 1979).
Generator level: the same for the means of generators. Their error is the variance within samples x the sum of 1/k over
a generator's samples / their number squared. Which prompts were drawn is no error here: the metric scored the very same
samples, and an errorless one follows whatever their prompts did. Ratings count as independent given the sample: a
rater's own leaning towards a generator would not average out over prompts, and is not seen.
"""

from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

import numpy as np

from metaeval.stats.association.levels import evaluate
from metaeval.stats.design import Bools, Design, Floats, Weights, once
from metaeval.stats.people.estimates import (
    CONFIDENCE,
    Estimate,
    ValuesOf,
    estimate_over_prompts,
    has_few_generators,
    range_over_generators,
)
from metaeval.stats.people.ratings import RaterSums, check_table, rater_sums

CeilingLevel = Literal["sample", "generator"]
NOT_POSITIVE: Final = "undefined: reliability is not above 0"
OVER_ONE: Final = "over 1: the estimate of reliability is too low here, or metric and labels share their error"


@dataclass(frozen=True)
class Ceiling:
    """The reliability of the labels at a level, and its root, which an errorless metric's Pearson would reach."""

    level: CeilingLevel
    reliability: Estimate
    ceiling: Estimate


@dataclass(frozen=True)
class Corrected:
    """Pearson's r as found, and corrected for the labels' noise."""

    level: CeilingLevel
    found: float | None
    corrected: Estimate


def label_ceiling(
    table: Floats,
    design: Design,
    *,
    level: CeilingLevel,
    weights: Weights | None = None,
    confidence: float = CONFIDENCE,
) -> Ceiling:
    """Of the raters' mean. The interval leaves out prompts, or is the percentiles of `weights` drawn by prompt."""
    kept, here = _rated(table, design)
    drawn = _taken(weights, table)
    estimate = partial(
        _estimate, design=here, level=level, n=_replication(here, level), weights=drawn, confidence=confidence
    )
    reliability = estimate(
        lambda some: reliability_replicates(kept, here, some, level=level), reason=_why_not(kept, here, level)
    )
    ceiling = estimate(
        lambda some: _root(reliability_replicates(kept, here, some, level=level)),
        reason=NOT_POSITIVE if reliability.value is not None else reliability.note,
    )
    return Ceiling(level, reliability, ceiling)


def corrected_pearson(
    scores: Floats,
    table: Floats,
    design: Design,
    *,
    level: CeilingLevel,
    weights: Weights | None = None,
    confidence: float = CONFIDENCE,
) -> Corrected:
    """r / sqrt(reliability), both computed anew in each replicate. Samples without a score are left out of both."""
    scored = np.isfinite(scores)
    kept, here = _rated(table[:, scored], design.take(scored))
    drawn = _taken(weights.take(scored) if weights is not None else None, table[:, scored])
    own = scores[scored][_has_ratings(table[:, scored])]
    labels = rater_sums(kept).means
    first = evaluate(own, labels, here, statistic="pearson", level=level)

    def values_of(some: Weights) -> Floats:
        found = evaluate(own, labels, here, statistic="pearson", level=level, weights=some).values
        with np.errstate(invalid="ignore", divide="ignore"):
            return found / _root(reliability_replicates(kept, here, some, level=level))

    reliability = reliability_replicates(kept, here, once(here), level=level)[0]
    reason = first.reason or (_why_not(kept, here, level) if np.isnan(reliability) else NOT_POSITIVE)
    corrected = _estimate(values_of, here, level=level, n=first.n, weights=drawn, confidence=confidence, reason=reason)
    if corrected.value is not None and abs(corrected.value) > 1:
        corrected = _noted(corrected, OVER_ONE)
    return Corrected(level, None if first.reason else float(first.values[0]), corrected)


def _estimate(
    values_of: ValuesOf,
    design: Design,
    *,
    level: CeilingLevel,
    n: int,
    weights: Weights | None,
    confidence: float,
    reason: str,
) -> Estimate:
    """Over prompts; between few generators the range when one is left out, as for every value at that level."""
    if level == "generator" and has_few_generators(design):
        return range_over_generators(values_of, design, n=n, reason=reason)
    return estimate_over_prompts(values_of, design, n=n, weights=weights, confidence=confidence, reason=reason)


def reliability_replicates(table: Floats, design: Design, weights: Weights, *, level: CeilingLevel) -> Floats:
    """(B,): the reliability of the raters' mean in each replicate; NaN where there is no variance to compare."""
    if level == "sample":
        return _of_samples(table, weights)
    if level == "generator":
        return _of_generators(table, design, weights)
    raise ValueError(f"level: expected sample or generator, found {level!r}")


def _of_samples(table: Floats, weights: Weights) -> Floats:
    sums = rater_sums(table)
    means = sums.means - np.mean(sums.means)
    n, inverse, first, second = _sums(np.array([np.ones(len(means)), 1 / sums.counts, means, means**2]), weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (second - first**2 / n) / (n - 1)
        error = _within(sums, weights) * inverse / n
        return np.where(variance > 1e-12 * np.mean(means**2), 1 - error / variance, np.nan)


def _of_generators(table: Floats, design: Design, weights: Weights) -> Floats:
    sums = rater_sums(table)
    means = sums.means - np.mean(sums.means)
    here = np.equal.outer(np.unique(design.generator), design.generator).astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        n = _sums(here, weights)
        drawn = n > 0  # a replicate may lack a generator
        generators = drawn.sum(axis=0)
        own = np.where(drawn, _sums(here * means, weights) / n, 0.0)
        deviations = np.where(drawn, own - own.sum(axis=0) / generators, 0.0)
        variance = (deviations**2).sum(axis=0) / (generators - 1)
        inverse = np.where(drawn, _sums(here / sums.counts, weights) / n**2, 0.0).sum(axis=0) / generators
        error = _within(sums, weights) * inverse
        return np.where(variance > 1e-12 * np.mean(means**2), 1 - error / variance, np.nan)


def _within(sums: RaterSums, weights: Weights) -> Floats:
    """(B,): the variance of ratings of one sample, over the samples that have two."""
    repeated = sums.counts >= 2
    columns = [np.where(repeated, sums.squares, 0.0), np.where(repeated, sums.counts - 1, 0.0)]
    squares, freedom = _sums(np.array(columns), weights)
    return np.asarray(squares / freedom, dtype=np.float64)


def _sums(columns: Floats, weights: Weights) -> Floats:
    """(columns, B): weighted sums, by unit first."""
    by_unit = np.zeros((len(columns), weights.counts.shape[1]))
    for row, column in enumerate(columns):
        by_unit[row] = np.bincount(weights.unit_of, column, minlength=by_unit.shape[1])
    return np.asarray(by_unit @ weights.counts.T, dtype=np.float64)


def _root(reliability: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.where(reliability > 0, np.sqrt(np.maximum(reliability, 0.0)), np.nan)


def _rated(table: Floats, design: Design) -> tuple[Floats, Design]:
    check_table(table, design)
    rated = _has_ratings(table)
    return table[:, rated], design.take(rated)


def _has_ratings(table: Floats) -> Bools:
    return np.asarray((~np.isnan(table)).any(axis=0), dtype=np.bool_)


def _taken(weights: Weights | None, table: Floats) -> Weights | None:
    return None if weights is None else weights.take(_has_ratings(table))


def _replication(design: Design, level: CeilingLevel) -> int:
    return design.size if level == "sample" else len(np.unique(design.generator))


def _why_not(table: Floats, design: Design, level: CeilingLevel) -> str:
    if not np.any(rater_sums(table).counts >= 2):
        return "undefined: no sample has two ratings"
    if level == "generator" and len(np.unique(design.generator)) < 2:
        return "undefined: fewer than two generators"
    return "undefined: constant labels"


def _noted(estimate: Estimate, note: str) -> Estimate:
    text = "; ".join(part for part in (note, estimate.note) if part)
    return Estimate(
        estimate.value, estimate.n, estimate.ci_low, estimate.ci_high, estimate.ci_method, estimate.ci_unit, text
    )
