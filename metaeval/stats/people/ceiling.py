"""How high a metric could come: labels are noisy, and Pearson's r with a noisy label is too low.

Spearman (1904, "The proof and measurement of association between two things"): r with the label = r with what the
label stands for x sqrt(reliability of the label). So sqrt(reliability) is the ceiling, and r / sqrt(reliability) the
corrected value. It divides two estimates and may exceed 1: that is shown, never cut off.

Sample level: reliability = 1 - error / variance of the labels, the error being the variance within samples x the mean
of 1/k (k ratings a sample: their harmonic mean counts). With equal k it is ICC(1,k) (Shrout & Fleiss 1979).
Generator level: prompts are the replication. What a prompt does to all generators alike is no error between them, so
reliability = 1 - mean square of prompt x generator / mean square of generators, on prompts that every generator has.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from metaeval.stats.association.levels import evaluate
from metaeval.stats.design import Bools, Design, Floats, Ints, Weights, once
from metaeval.stats.people.estimates import Estimate, estimate_over_prompts
from metaeval.stats.people.ratings import check_table, rater_sums

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


def label_ceiling(table: Floats, design: Design, *, level: CeilingLevel, weights: Weights | None = None) -> Ceiling:
    """Of the raters' mean. The interval leaves out prompts, or is the percentiles of `weights` drawn by prompt."""
    kept, here = _rated(table, design)
    drawn = _taken(weights, table)
    reliability = estimate_over_prompts(
        lambda some: reliability_replicates(kept, here, some, level=level),
        here,
        n=_replication(here, level),
        weights=drawn,
        reason=_why_not(kept, here, level),
    )
    ceiling = estimate_over_prompts(
        lambda some: _root(reliability_replicates(kept, here, some, level=level)),
        here,
        n=_replication(here, level),
        weights=drawn,
        reason=NOT_POSITIVE if reliability.value is not None else reliability.note,
    )
    return Ceiling(level, reliability, ceiling)


def corrected_pearson(
    scores: Floats, table: Floats, design: Design, *, level: CeilingLevel, weights: Weights | None = None
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
    corrected = estimate_over_prompts(values_of, here, n=first.n, weights=drawn, reason=reason)
    if corrected.value is not None and abs(corrected.value) > 1:
        corrected = _noted(corrected, OVER_ONE)
    return Corrected(level, None if first.reason else float(first.values[0]), corrected)


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
    repeated = sums.counts >= 2
    columns = [
        np.ones(len(means)),
        1 / sums.counts,
        means,
        means**2,
        np.where(repeated, sums.squares, 0.0),
        np.where(repeated, sums.counts - 1, 0.0),
    ]
    n, inverse, first, second, squares, freedom = _sums(np.array(columns), weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = (second - first**2 / n) / (n - 1)
        error = squares / freedom * inverse / n
        return np.where(variance > 1e-12 * np.mean(means**2), 1 - error / variance, np.nan)


def _of_generators(table: Floats, design: Design, weights: Weights) -> Floats:
    cells, counts = _complete_prompts(table, design, weights)
    prompts, generators = cells.shape
    if prompts < 2 or generators < 2:
        return np.full(weights.replicates, np.nan)
    # Relative to the prompt's own mean: what it does to all generators alike is gone.
    deviations = cells - cells.mean(axis=1, keepdims=True)
    drawn = counts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = counts @ deviations / drawn[:, None]
        between = drawn * (means**2).sum(axis=1) / (generators - 1)
        total = counts @ (deviations**2).sum(axis=1)
        rest = np.maximum(total - drawn * (means**2).sum(axis=1), 0.0) / ((drawn - 1) * (generators - 1))
        return np.where((between > 1e-12 * np.mean(deviations**2)) & (drawn > 1), 1 - rest / between, np.nan)


def _complete_prompts(table: Floats, design: Design, weights: Weights) -> tuple[Floats, Floats]:
    """(prompts, generators) labels of the prompts that every generator has, and (B, prompts) how often each counts."""
    labels = rater_sums(table).means
    _, generator = np.unique(design.generator, return_inverse=True)
    _, prompt = np.unique(design.prompt, return_inverse=True)
    cells = np.full((int(prompt.max()) + 1, int(generator.max()) + 1), np.nan)
    cells[prompt, generator] = labels
    unit = np.zeros(len(cells), dtype=np.intp)
    unit[prompt] = weights.unit_of
    _check_whole_prompts(unit, prompt.astype(np.intp), weights)
    complete = ~np.isnan(cells).any(axis=1)
    return cells[complete], weights.counts[:, unit[complete]]


def _check_whole_prompts(unit: Ints, prompt: Ints, weights: Weights) -> None:
    if not np.array_equal(unit[prompt], weights.unit_of):
        raise ValueError("weights: expected draws of whole prompts, found a prompt whose samples are in several units")


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
    if level == "sample" and not np.any(rater_sums(table).counts >= 2):
        return "undefined: no sample has two ratings"
    if level == "generator" and len(np.unique(design.generator)) < 2:
        return "undefined: fewer than two generators"
    if level == "generator" and _complete_count(design) < 2:
        return "undefined: fewer than two prompts that every generator has"
    return "undefined: constant labels"


def _complete_count(design: Design) -> int:
    _, counts = np.unique(design.prompt, return_counts=True)
    return int(np.sum(counts == len(np.unique(design.generator))))


def _noted(estimate: Estimate, note: str) -> Estimate:
    text = "; ".join(part for part in (note, estimate.note) if part)
    return Estimate(
        estimate.value, estimate.n, estimate.ci_low, estimate.ci_high, estimate.ci_method, estimate.ci_unit, text
    )
