"""How far judges' ratings lie from people's, in steps of the scale (T2MBench's Table 2).

The mean absolute difference alone flatters a judge that always says "three": beside each judge stand one that always
gives the mean label (of the other samples), and a held-out rater against the mean of the others, or against the oracle
where labels are an oracle's. A judge's missing answers are counted, never filled in. Every rater of a sample is held
out in turn, which needs no random numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from metaeval.stats.design import Bools, Design, Floats, Weights
from metaeval.stats.people.estimates import CONFIDENCE, Estimate, estimate_over_prompts
from metaeval.stats.people.ratings import check_table, means_of_the_others, rater_sums

CONSTANT: Final = "constant mean"
HELD_OUT: Final = "held-out rater"


@dataclass(frozen=True)
class JudgeRow:
    """One judge (or yardstick) on one criterion."""

    judge: str
    criterion: str
    is_yardstick: bool
    difference: Estimate  # mean absolute difference on the samples that have a label and the judge's answer
    scaled: float | None  # the same as a share of the scale's range
    on_shared: float | None  # the same on the samples that every judge has answered
    shared: int
    failures: int  # labelled samples without an answer
    bias: float | None  # mean of answer - label: above 0, the judge is milder than people


def judges_against_people(
    judges: Mapping[str, Floats],
    table: Floats,
    design: Design,
    *,
    criterion: str,
    scale: tuple[float, float],
    labels: Floats | None = None,
    is_oracle: bool = False,
    confidence: float = CONFIDENCE,
) -> list[JudgeRow]:
    """One row a judge, then the two yardsticks. `judges` gives (samples,) answers, NaN where the judge failed.

    labels: without any given, raters' means. is_oracle: the labels are someone else's than the raters of the table, so
    that a rater is compared with them instead of with the other raters.
    """
    check_table(table, design)
    if not scale[0] < scale[1]:
        raise ValueError(f"scale: expected its lowest and highest value, found {scale}")
    for name, answers in judges.items():
        if answers.shape != (design.size,):
            raise ValueError(f"judges[{name!r}]: expected an answer for each of {design.size} samples")
    labels = rater_sums(table).means if labels is None else labels
    if labels.shape != (design.size,):
        raise ValueError(f"labels: expected a label for each of {design.size} samples, found {labels.shape}")
    signed = {name: answers - labels for name, answers in judges.items()}
    signed[CONSTANT] = _mean_of_other_samples(labels) - labels
    absolute = {name: np.abs(values) for name, values in signed.items()}
    absolute[HELD_OUT], signed[HELD_OUT] = _held_out(table, labels if is_oracle else means_of_the_others(table))
    shared: Bools = ~np.isnan(labels)
    for name in judges:
        shared = shared & ~np.isnan(absolute[name])
    labelled = int(np.sum(~np.isnan(labels)))
    return [
        _row(
            name,
            criterion,
            absolute[name],
            signed[name],
            shared,
            design,
            spread=scale[1] - scale[0],
            failures=labelled - int(np.sum(~np.isnan(absolute[name]))) if name in judges else 0,
            is_yardstick=name not in judges,
            confidence=confidence,
        )
        for name in absolute
    ]


def _row(
    name: str,
    criterion: str,
    absolute: Floats,
    signed: Floats,
    shared: Bools,
    design: Design,
    *,
    spread: float,
    failures: int,
    is_yardstick: bool,
    confidence: float,
) -> JudgeRow:
    has = ~np.isnan(absolute)
    difference = _mean_over_samples(absolute[has], design.take(has), confidence)
    return JudgeRow(
        judge=name,
        criterion=criterion,
        is_yardstick=is_yardstick,
        difference=difference,
        scaled=None if difference.value is None else difference.value / spread,
        on_shared=float(absolute[has & shared].mean()) if (has & shared).any() else None,
        shared=int((has & shared).sum()),
        failures=failures,
        bias=float(signed[has].mean()) if has.any() else None,
    )


def _mean_over_samples(values: Floats, design: Design, confidence: float) -> Estimate:
    if not len(values):
        return Estimate(None, 0, note="undefined: no sample with both a label and an answer")

    def values_of(weights: Weights) -> Floats:
        units = weights.counts.shape[1]
        totals = np.bincount(weights.unit_of, values, minlength=units)
        sizes = np.bincount(weights.unit_of, minlength=units)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray((weights.counts @ totals) / (weights.counts @ sizes), dtype=np.float64)

    return estimate_over_prompts(values_of, design, n=len(values), confidence=confidence)


def _mean_of_other_samples(labels: Floats) -> Floats:
    has = ~np.isnan(labels)
    if has.sum() < 2:
        return np.full(len(labels), np.nan)
    return np.asarray((labels[has].sum() - labels) / (has.sum() - 1), dtype=np.float64)


def _held_out(table: Floats, yardstick: Floats) -> tuple[Floats, Floats]:
    """Of each sample, the mean over its raters of |rating - yardstick|, and of the difference itself."""
    differences = table - yardstick
    has = ~np.isnan(differences)
    counts = has.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        absolute = np.where(counts > 0, np.where(has, np.abs(differences), 0.0).sum(axis=0) / counts, np.nan)
        signed = np.where(counts > 0, np.where(has, differences, 0.0).sum(axis=0) / counts, np.nan)
    return absolute, signed
