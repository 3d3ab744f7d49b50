"""A statistic at a level: over all samples, within prompts, within generators, or between generators."""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.association.draws import draws_of
from metaeval.stats.association.generators import generator_points
from metaeval.stats.association.grouped import grouped
from metaeval.stats.association.reasons import FEW, NO_CLASS, reason
from metaeval.stats.association.registry import STATISTICS, Statistic
from metaeval.stats.design import Design, Floats, Ints, Level, Weights, once


@dataclass(frozen=True)
class Evaluation:
    """A statistic in every replicate (the point estimate, where no weights were given), and what it rests on."""

    values: Floats  # (B,), NaN where undefined
    n: int  # samples (sample level), groups where it is defined (prompt, within_generator), points (generator)
    total: int  # groups in all: 1 at sample level; generators at generator level
    if_undefined_zero: float | None = None  # prompt level: the point value with undefined groups counted as 0
    reason: str = ""  # why the first value is undefined


def evaluate(
    scores: Floats, labels: Floats, design: Design, *, statistic: str, level: Level, weights: Weights | None = None
) -> Evaluation:
    """One score against the labels; neither may hold NaN. Without weights: the point estimate, B = 1."""
    return evaluate_many(scores[None], labels, design, statistic=statistic, level=level, weights=weights)[0]


def evaluate_many(
    scores: Floats, labels: Floats, design: Design, *, statistic: str, level: Level, weights: Weights | None = None
) -> list[Evaluation]:
    """The same for (m, n) scores of m metrics on the same samples: what concerns labels and weights is done once."""
    chosen = _checked(scores, labels, design, statistic)
    drawn = once(design) if weights is None else weights
    if len(drawn.unit_of) != design.size:
        raise ValueError(f"weights: expected a unit for each of {design.size} samples, found {len(drawn.unit_of)}")
    if not design.size:
        return [Evaluation(np.full(drawn.replicates, np.nan), 0, 0, reason=FEW)] * len(scores)
    if level == "sample":
        return _at_sample_level(scores, labels, chosen, drawn)
    if level == "prompt":
        return _within(scores, labels, design.prompt, design.generator, chosen, drawn, is_prompt=True)
    if level == "within_generator":
        return _within(scores, labels, design.generator, design.prompt, chosen, drawn, is_prompt=False)
    if level == "generator":
        return _between_generators(scores, labels, design, chosen, drawn)
    raise ValueError(f"level: expected sample, prompt, within_generator or generator, found {level!r} (see subsplit)")


def _checked(scores: Floats, labels: Floats, design: Design, statistic: str) -> Statistic:
    if statistic not in STATISTICS:
        raise ValueError(f"statistic: expected one of {', '.join(STATISTICS)}, found {statistic!r}")
    if scores.ndim != 2 or scores.shape[1:] != (design.size,) or labels.shape != (design.size,):
        raise ValueError(
            f"scores and labels: expected a value for each of {design.size} samples, "
            f"found {scores.shape[1:]} and {labels.shape}"
        )
    for name, values in (("scores", scores), ("labels", labels)):
        if not np.isfinite(values).all():
            raise ValueError(f"{name}: expected finite numbers, found {int((~np.isfinite(values)).sum())} others")
    chosen = STATISTICS[statistic]
    if chosen.needs == "classes" and not np.isin(labels, (0.0, 1.0)).all():
        raise ValueError(f"labels: expected 0 and 1 only for {statistic}, found {np.unique(labels)[:5].tolist()}")
    return chosen


def _at_sample_level(scores: Floats, labels: Floats, statistic: Statistic, weights: Weights) -> list[Evaluation]:
    values = statistic.of_draws(scores, labels, draws_of(weights))
    whole = np.zeros(len(labels), dtype=np.intp)
    return [
        Evaluation(row, n=len(labels), total=1, reason=_why(row, x, labels, whole, statistic, weights))
        for row, x in zip(values, scores, strict=True)
    ]


def _within(
    scores: Floats,
    labels: Floats,
    groups: Ints,
    others: Ints,
    statistic: Statistic,
    weights: Weights,
    *,
    is_prompt: bool,
) -> list[Evaluation]:
    found = grouped(scores, labels, groups, others, statistic, weights)
    evaluations = []
    for x, of_groups, averages in zip(scores, found.of_groups, found.averages, strict=True):
        defined = ~np.isnan(of_groups)
        evaluations.append(
            Evaluation(
                averages,
                n=int(defined.sum()),
                total=len(of_groups),
                if_undefined_zero=float(np.where(defined, of_groups, 0.0).mean()) if is_prompt else None,
                reason=_why(averages, x, labels, groups, statistic, weights),
            )
        )
    return evaluations


def _between_generators(
    scores: Floats, labels: Floats, design: Design, statistic: Statistic, weights: Weights
) -> list[Evaluation]:
    points = generator_points(np.concatenate([scores, labels[None]]), design, weights)
    count = points.means.shape[2]
    if statistic.needs == "classes" or statistic.rows is None:
        # The share of positives of a generator is not a class; whoever wants one must say from where on.
        undefined = np.full(weights.replicates, np.nan)
        return [Evaluation(undefined, n=count, total=count, reason=NO_CLASS) for _ in scores]
    evaluations = []
    for x in points.means[:-1]:
        values = statistic.rows(x, points.means[-1], points.weights)
        why = ""
        if np.isnan(values[0]):
            held = points.weights[0] > 0
            same = np.zeros(int(held.sum()), dtype=np.intp)
            why = reason(x[0, held], points.means[-1][0, held], same, statistic.needs)
        evaluations.append(Evaluation(values, n=count, total=count, reason=why))
    return evaluations


def _why(values: Floats, scores: Floats, labels: Floats, groups: Ints, statistic: Statistic, weights: Weights) -> str:
    if not np.isnan(values[0]):
        return ""
    held = weights.counts[0, weights.unit_of] > 0
    return reason(scores[held], labels[held], groups[held], statistic.needs)
