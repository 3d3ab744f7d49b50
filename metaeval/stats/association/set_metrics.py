"""Metrics of a set of samples (FID, R-precision, diversity): re-evaluated on every set, never averaged.

Where there is only an imported number for a generator or a named subset, it can be one point; it cannot be resampled or
split: "undefined: set metric".
"""

from collections.abc import Callable, Mapping
from typing import Literal

import numpy as np

from metaeval.stats.association.float_noise import merge_noise
from metaeval.stats.association.generators import generator_points
from metaeval.stats.association.levels import Evaluation
from metaeval.stats.association.multiplicity import dense_codes
from metaeval.stats.association.reasons import FEW, SET_METRIC, reason
from metaeval.stats.association.registry import STATISTICS
from metaeval.stats.association.splits import splits
from metaeval.stats.association.subsplit import split_points
from metaeval.stats.design import Bools, Design, Floats, Ints, Weights, once

SetFunction = Callable[[Ints], float]


def evaluate_set(
    function: SetFunction,
    labels: Floats,
    design: Design,
    *,
    statistic: str,
    level: Literal["generator", "subsplit"] = "generator",
    weights: Weights | None = None,
    parts: int = 2,
    repetitions: int = 10,
    seed: int = 0,
) -> Evaluation:
    """Call `function` on the indices of each generator's samples (or of each part of them) in every replicate.

    A sample drawn twice stands twice among the indices. Where the function gives NaN, the point is left out.
    """
    drawn = once(design) if weights is None else weights
    if level == "generator":
        points = generator_points(labels[None], design, drawn)
        return _evaluation(_of_generators(function, design, drawn), points.means[0], points.weights, statistic)
    if level == "subsplit":
        split = split_points(labels[None], design, drawn, parts=parts, repetitions=repetitions, seed=seed)
        x = _of_parts(function, design, drawn, parts=parts, repetitions=repetitions, seed=seed)
        return _evaluation(x, split.means[0], split.weights, statistic)
    raise ValueError(f"level: expected generator or subsplit for a set metric, found {level!r}")


def evaluate_imported(
    of_generators: Floats,
    labels: Floats,
    design: Design,
    *,
    statistic: str,
    level: str = "generator",
    weights: Weights | None = None,
) -> Evaluation:
    """Imported numbers by generator code (NaN where there is none) against mean labels: a point estimate only."""
    codes = np.unique(design.generator)
    points = generator_points(labels[None], design, once(design))
    if level != "generator" or weights is not None:
        replicates = 1 if weights is None else weights.replicates
        return Evaluation(np.full(replicates, np.nan), n=len(codes), total=len(codes), reason=SET_METRIC)
    return _evaluation(of_generators[codes][None], points.means[0], points.weights, statistic)


def evaluate_subsets(
    of_subsets: Mapping[tuple[int, str], float],
    subsets: Mapping[str, Bools],
    labels: Floats,
    design: Design,
    *,
    statistic: str,
) -> Evaluation:
    """Imported numbers by (generator code, subset) against the mean label of the generator's samples in that subset."""
    x, y = [], []
    for (generator, name), value in of_subsets.items():
        if name not in subsets:
            raise ValueError(f"subsets: expected {name!r}, which has imported values, found {', '.join(subsets)}")
        member = (design.generator == generator) & subsets[name]
        if member.any() and not np.isnan(value):
            x.append(value)
            y.append(float(labels[member].mean()))
    # The mean of equal labels may be off by its last bit.
    points = np.stack([np.asarray(x, dtype=np.float64), merge_noise(np.asarray(y, dtype=np.float64))])[:, None]
    return _evaluation(points[0], points[1], np.ones(points[0].shape), statistic)


def _of_generators(function: SetFunction, design: Design, weights: Weights) -> Floats:
    """(B, generators)."""
    generator = dense_codes(design.generator)
    values = np.full((weights.replicates, int(generator.max()) + 1), np.nan)
    for code in range(values.shape[1]):
        members = np.flatnonzero(generator == code)
        counts = weights.take(members).expand().astype(np.intp)
        for replicate, drawn in enumerate(counts):
            if drawn.any():
                values[replicate, code] = function(np.repeat(members, drawn))
    return values


def _of_parts(
    function: SetFunction, design: Design, weights: Weights, *, parts: int, repetitions: int, seed: int
) -> Floats:
    """(B, points) in the order of `split_points`, whose seeded splits these are again."""
    shape = (weights.replicates, len(np.unique(design.generator)), repetitions, parts)
    values = np.full(shape, np.nan)
    for split in splits(design, weights, parts=parts, repetitions=repetitions, seed=seed):
        for at in np.ndindex(*split.counts.shape[:3]):
            drawn = split.counts[at].astype(np.intp)
            if drawn.any():
                values[split.start + at[0], split.generator, at[1], at[2]] = function(np.repeat(split.members, drawn))
    return values.reshape(weights.replicates, -1)


def _evaluation(x: Floats, y: Floats, weights: Floats, statistic: str) -> Evaluation:
    chosen = STATISTICS[statistic]
    if chosen.rows is None or chosen.needs == "classes":
        raise ValueError(f"statistic: expected one of values, not of classes, found {statistic!r}")
    held = np.where(np.isnan(x), 0.0, weights)
    values = chosen.rows(np.nan_to_num(x), y, held)
    first = held[0] > 0
    why = ""
    if np.isnan(values[0]):
        same = np.zeros(int(first.sum()), dtype=np.intp)
        why = reason(x[0, first], y[0, first], same, chosen.needs) if first.any() else FEW
    return Evaluation(values, n=int(first.sum()), total=x.shape[1], reason=why)
