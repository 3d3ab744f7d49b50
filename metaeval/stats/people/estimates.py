"""A value with its interval over prompts: the form of every number in this package."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from metaeval.stats.design import Design, Floats, Level, Weights, once
from metaeval.stats.resampling.draws import draw_weights, jackknife_weights, units_of
from metaeval.stats.resampling.intervals import FEWEST_GENERATORS, jackknife_range, percentile_interval
from metaeval.stats.resampling.studentised import SCALE_OF, Scale, jackknife_t_interval

# Prompts are left out in so many groups at most (Kott 2001, "The delete-a-group jackknife"): 39 degrees of freedom
# are enough for Student's t, and the work does not grow with the number of prompts.
MOST_GROUPS: Final = 40
REPLICATES: Final = 1_000
CONFIDENCE: Final = 0.95

ValuesOf = Callable[[Weights], Floats]


@dataclass(frozen=True)
class Estimate:
    """A value, its interval and what both rest on; None with a reason in the note where it is undefined."""

    value: float | None
    n: int
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str = ""
    ci_unit: str = ""
    note: str = ""


def prompt_groups(design: Design, *, most: int = MOST_GROUPS, seed: int = 0) -> Weights:
    """One replicate for each group of prompts left out; prompts are dealt at random, as files sort them by kind."""
    prompt, prompts = units_of(design, "prompt")
    groups = min(prompts, most)
    dealt = np.arange(prompts)
    if prompts > most:
        dealt = np.random.default_rng(seed).permutation(prompts)
    return Weights(np.ones((groups, groups)) - np.eye(groups), (dealt % max(groups, 1))[prompt])


def estimate_over_prompts(
    values_of: ValuesOf,
    design: Design,
    *,
    n: int,
    scale: Scale = "identity",
    weights: Weights | None = None,
    rare_units: int | None = None,
    reason: str = "undefined",
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The point, and its interval by leaving out prompts (Student's t), or by percentiles of the given draws."""
    point = float(values_of(once(design))[0])
    if not np.isfinite(point):
        return Estimate(None, n, note=reason)
    if weights is not None:
        found = percentile_interval(values_of(weights), confidence)
    else:
        left_out = values_of(prompt_groups(design))
        found = jackknife_t_interval(point, left_out, scale=scale, level=confidence, rare_units=rare_units)
    unit = "prompt" if found.low is not None else ""
    return Estimate(point, n, found.low, found.high, found.method, unit, found.note)


def estimate_at_level(
    values_of: ValuesOf,
    design: Design,
    *,
    statistic: str,
    level: Level,
    n: int,
    rare_units: int | None = None,
    reason: str = "undefined",
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The same for a statistic at a level. Under 15 generators, the generator level gets the leave-one-out range."""
    if level == "generator" and has_few_generators(design):
        return range_over_generators(values_of, design, n=n, reason=reason)
    # Ranks of generators jump: leaving out one prompt rarely moves them, and the jackknife would see no spread.
    jumps = level == "generator" and statistic != "pearson"
    return estimate_over_prompts(
        values_of,
        design,
        n=n,
        scale=SCALE_OF.get(statistic, "identity"),
        weights=draw_weights(design, unit="prompt", replicates=REPLICATES, seed=0) if jumps else None,
        rare_units=rare_units,
        reason=reason,
        confidence=confidence,
    )


def has_few_generators(design: Design) -> bool:
    """Too few for a bootstrap interval between generators."""
    return len(np.unique(design.generator)) < FEWEST_GENERATORS


def range_over_generators(values_of: ValuesOf, design: Design, *, n: int, reason: str = "undefined") -> Estimate:
    """The point, and the range when one generator is left out."""
    point = float(values_of(once(design))[0])
    if not np.isfinite(point):
        return Estimate(None, n, note=reason)
    found = jackknife_range(values_of(jackknife_weights(design, "generator")))
    unit = "generator" if found.low is not None else ""
    return Estimate(point, n, found.low, found.high, found.method, unit, found.note)
