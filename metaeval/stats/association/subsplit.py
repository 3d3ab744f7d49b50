"""Sub-split level: each generator's samples in h parts, r times; points are the means of the parts.

VeMo's design is h = 2, r = 10 over two generators: 40 points. They are not independent (repetitions use the same
samples again), so there is no p; replicates resample prompts and split again. Most of the value comes from telling
the generators apart, hence the floor and the within-generator value beside it.
"""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.association.float_noise import snap_rows
from metaeval.stats.association.floor import floor_of_order
from metaeval.stats.association.generators import NOISE
from metaeval.stats.association.grouped import group_values
from metaeval.stats.association.levels import Evaluation
from metaeval.stats.association.reasons import reason
from metaeval.stats.association.registry import STATISTICS, Statistic
from metaeval.stats.association.splits import splits
from metaeval.stats.design import Design, Floats, Ints, Weights, once


@dataclass(frozen=True)
class Subsplit:
    evaluation: Evaluation  # n: points
    floor: float | None  # expected of a metric that orders the generators right and is random within them
    floor_tied: float | None  # of one that orders them right and is constant within them
    within_generator: float | None  # the statistic over each generator's points, averaged where defined


@dataclass(frozen=True)
class Points:
    means: Floats  # (m, B, points)
    weights: Floats  # (B, points): 0 where a part is empty
    generator: Ints  # (points,)


def subsplit(
    scores: Floats,
    labels: Floats,
    design: Design,
    *,
    statistic: str,
    parts: int = 2,
    repetitions: int = 10,
    seed: int = 0,
    weights: Weights | None = None,
) -> Subsplit:
    """One metric; see `subsplit_many`."""
    return subsplit_many(
        scores[None],
        labels,
        design,
        statistics=(statistic,),
        parts=parts,
        repetitions=repetitions,
        seed=seed,
        weights=weights,
    )[statistic][0]


def subsplit_many(
    scores: Floats,
    labels: Floats,
    design: Design,
    *,
    statistics: tuple[str, ...] = ("kendall_b", "spearman", "pearson"),
    parts: int = 2,
    repetitions: int = 10,
    seed: int = 0,
    weights: Weights | None = None,
) -> dict[str, list[Subsplit]]:
    """Statistic -> a result for each of (m, n) scores. All metrics and statistics see the same splits.

    `weights` gives the replicates of `evaluation.values`; floor and within-generator value are of the data as they are.
    """
    variables = np.concatenate([scores, labels[None]])
    options = {"parts": parts, "repetitions": repetitions, "seed": seed}
    of_data = split_points(variables, design, once(design), **options)
    drawn = of_data if weights is None else split_points(variables, design, weights, **options)
    return {name: [_result(STATISTICS[name], row, of_data, drawn) for row in range(len(scores))] for name in statistics}


def split_points(
    values: Floats, design: Design, weights: Weights, *, parts: int, repetitions: int, seed: int
) -> Points:
    """Points in the order generator, repetition, part."""
    count = len(np.unique(design.generator))
    shape = (weights.replicates, count, repetitions, parts)
    # Relative to the first sample, so that a constant stays one.
    origin = values[:, :1] if design.size else np.zeros((len(values), 1))
    means, held = np.zeros((len(values), *shape)), np.zeros(shape)
    for split in splits(design, weights, parts=parts, repetitions=repetitions, seed=seed):
        rows = slice(split.start, split.start + len(split.counts))
        totals = split.counts.sum(axis=-1)
        held[rows, split.generator] = totals > 0
        sums = split.counts @ (values - origin)[:, split.members].T
        means[:, rows, split.generator] = np.moveaxis(sums / np.maximum(totals, 1.0)[..., None], -1, 0)
    flat = means.reshape(len(values), weights.replicates, -1)
    for row, variable in enumerate(values - origin):
        largest = float(np.abs(variable).max(initial=0.0))
        flat[row] = snap_rows(flat[row], tolerance=NOISE * largest) + origin[row]
    generator = np.repeat(np.arange(count), repetitions * parts)
    return Points(flat, held.reshape(weights.replicates, -1), generator)


def _result(statistic: Statistic, row: int, of_data: Points, drawn: Points) -> Subsplit:
    if statistic.rows is None or statistic.needs == "classes":
        raise ValueError(f"statistic: expected one of values, not of classes, found {statistic.name!r}")
    x, y = of_data.means[row, 0], of_data.means[-1, 0]
    held = of_data.weights[0] > 0
    values = statistic.rows(drawn.means[row], drawn.means[-1], drawn.weights)
    within = group_values(x, y, of_data.generator, statistic)
    defined = within[~np.isnan(within)]
    floor = floor_of_order(y[held], of_data.generator[held], statistic=statistic.name)
    whole = np.zeros(int(held.sum()), dtype=np.intp)
    return Subsplit(
        evaluation=Evaluation(
            values,
            n=int(held.sum()),
            total=len(held),
            reason=reason(x[held], y[held], whole, statistic.needs) if np.isnan(values[0]) else "",
        ),
        floor=floor.random_within,
        floor_tied=floor.tied_within,
        within_generator=float(defined.mean()) if len(defined) else None,
    )
