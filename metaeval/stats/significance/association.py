"""Does a metric follow people at all? p of no association, by permuting labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations as all_orders

import numpy as np

from metaeval.stats.design import Bools, Design, Floats, Ints
from metaeval.stats.significance.averaged import DECIMALS, means_by_generator
from metaeval.stats.significance.null import LINEAR, PAIRWISE, null_of
from metaeval.stats.significance.relabelling import draw_sources, movable
from metaeval.stats.significance.rowwise import rowwise
from metaeval.stats.significance.sequential import at_least
from metaeval.stats.significance.swaps import standardised

__all__ = ["PValue", "association_p", "association_ps", "null_distribution"]

STATISTICS = (*LINEAR, *PAIRWISE, "ks")
# One-sided: positives score higher. The distance of KS has no sign either.
UPPER = ("mann_whitney_u", "ks")
BINARY = ("auc_roc", "mann_whitney_u", "ks")
MOST_ENUMERATED = 7

METHODS = {
    "sample": "permutation of whole prompts",
    "prompt": "permutation within prompts",
    "within_generator": "permutation of whole prompts within generators",
}


@dataclass(frozen=True)
class PValue:
    p: float | None
    method: str
    permutations: int
    note: str = ""


@dataclass(frozen=True)
class NullDistribution:
    """Of some metrics on the same samples, less the value of chance: observed (metrics,), permuted (metrics, m)."""

    observed: Floats
    permuted: Floats
    exact: bool
    method: str
    note: str = ""


def association_p(
    scores: Floats,
    labels: Floats,
    design: Design,
    *,
    statistic: str,
    level: str,
    permutations: int = 9_999,
    seed: int,
) -> list[PValue]:
    """One p a row of `scores` (metrics, n), NaN where there is no score; on the samples that have score and label.

    Two-sided, but for `mann_whitney_u` (positives score higher) and `ks`. p = (b + 1) / (m + 1). `generator` enumerates
    all orders of up to 7 generators, and p is then exact: b / m, the observed order among the m. Kendall's taus and
    Somers' D have one and the same p at sample level: their denominators do not move.
    """
    options = {"level": level, "permutations": permutations, "seed": seed}
    return association_ps(scores, labels, design, statistics=[statistic], **options)[statistic]  # type: ignore[arg-type]


def association_ps(
    scores: Floats,
    labels: Floats,
    design: Design,
    *,
    statistics: Sequence[str],
    level: str,
    permutations: int = 9_999,
    seed: int,
) -> dict[str, list[PValue]]:
    """`association_p` for several statistics of the same labels: permutations are drawn once for all of them."""
    found: dict[str, dict[int, PValue]] = {statistic: {} for statistic in statistics}
    for rows, metrics in _metrics_by_samples(np.isfinite(scores) & np.isfinite(labels)):
        part = (scores[metrics][:, rows], labels[rows], design.take(rows))
        nulls = null_distribution(*part, statistics=statistics, level=level, permutations=permutations, seed=seed)
        for statistic in statistics:
            for place, metric in enumerate(metrics):
                found[statistic][metric] = _p_of(statistic, nulls[statistic], place)
    return {statistic: [by[metric] for metric in range(len(scores))] for statistic, by in found.items()}


def null_distribution(
    scores: Floats,
    labels: Floats,
    design: Design,
    *,
    statistics: Sequence[str],
    level: str,
    permutations: int,
    seed: int,
) -> dict[str, NullDistribution]:
    """Observed and permuted values of complete scores (metrics, n)."""
    for statistic in statistics:
        _check(statistic, labels, level)
    if len(labels) < 2 or np.all(labels == labels[0]):
        reason = f"undefined: {len(labels)} samples" if len(labels) < 2 else "undefined: constant labels"
        return {statistic: _nothing(len(scores), reason) for statistic in statistics}
    if level == "generator":
        return {each: _of_generators(each, scores, labels, design, permutations, seed) for each in statistics}
    return _of_samples(scores, labels, design, statistics, level, permutations, seed)


def _check(statistic: str, labels: Floats, level: str) -> None:
    if level not in (*METHODS, "generator"):
        raise ValueError(f"level: expected one of {', '.join((*METHODS, 'generator'))}, found {level!r}")
    if statistic not in STATISTICS:
        raise ValueError(f"statistic: expected one of {', '.join(STATISTICS)}, found {statistic!r}")
    if statistic in BINARY and not np.all((labels == 0) | (labels == 1)):
        raise ValueError(f"labels: expected 0 and 1 for {statistic}, found other values")


def _metrics_by_samples(usable: Bools) -> list[tuple[Ints, list[int]]]:
    found: dict[bytes, tuple[Ints, list[int]]] = {}
    for metric, row in enumerate(usable):
        found.setdefault(np.packbits(row).tobytes(), (np.flatnonzero(row), []))[1].append(metric)
    return list(found.values())


def _of_samples(
    scores: Floats,
    labels: Floats,
    design: Design,
    statistics: Sequence[str],
    level: str,
    permutations: int,
    seed: int,
) -> dict[str, NullDistribution]:
    everywhere = {"sample": np.zeros_like(design.prompt), "prompt": design.prompt, "within_generator": design.generator}
    usable = [each for each in statistics if each != "ks" or level == "sample"]
    nulls = {each: null_of(each, scores, labels, everywhere[level], small_groups=level == "prompt") for each in usable}
    itself = np.arange(len(labels), dtype=np.int32)[None, :]
    observed = {each: null(itself)[:, 0] for each, null in nulls.items()}
    permuted: dict[str, list[Floats]] = {each: [] for each in usable}
    for sources in draw_sources(design, level=level, permutations=permutations, seed=seed):
        for each, null in nulls.items():
            permuted[each].append(null(sources))
    note = _note(design, level)
    found = {
        each: NullDistribution(observed[each], np.concatenate(permuted[each], axis=1), False, METHODS[level], note)
        for each in usable
    }
    missing = {each: _nothing(len(scores), "undefined: ks at sample level only") for each in statistics}
    return missing | found


def _note(design: Design, level: str) -> str:
    if level == "prompt":
        return ""
    prompts, moved = len(np.unique(design.prompt)), movable(design, level)
    if moved == prompts:
        return ""
    alike = "generators" if level == "within_generator" else "number of samples"
    return f"{prompts - moved} of {prompts} prompts keep their labels: no other has the same {alike}"


def _of_generators(
    statistic: str, scores: Floats, labels: Floats, design: Design, permutations: int, seed: int
) -> NullDistribution:
    if statistic in BINARY:
        return _nothing(len(scores), "undefined: a generator's label is a share, not one of two classes")
    # A permutation changes the numerator of a tau alone, and so both taus give the same p.
    statistic = "kendall_b" if statistic == "kendall_c" else statistic
    standard = standardised(np.vstack([labels, scores]))
    points = np.round(means_by_generator(standard, design.generator), DECIMALS)
    count = points.shape[1]
    if count < 3:
        return _nothing(len(scores), f"undefined: {count} generators")
    exact = count <= MOST_ENUMERATED
    if exact:
        orders = np.array(list(all_orders(range(count))))
    else:
        orders = np.random.default_rng(seed).permuted(np.tile(np.arange(count), (permutations, 1)), axis=1)
    x = points[1:].T[:, :, None]
    permuted = rowwise(statistic, x, points[0][orders].T[:, None, :])
    observed = rowwise(statistic, x, points[0][:, None, None])[:, 0]
    method = f"exact permutation of {count} generators" if exact else f"permutation of {count} generators"
    return NullDistribution(observed, permuted, exact, method)


def _nothing(metrics: int, reason: str) -> NullDistribution:
    return NullDistribution(np.full(metrics, np.nan), np.empty((metrics, 0)), False, "", reason)


def _p_of(statistic: str, null: NullDistribution, place: int) -> PValue:
    observed, permuted = null.observed[place], null.permuted[place]
    if np.isnan(observed):
        return PValue(None, "", 0, null.note if not null.method else "undefined: constant scores")
    if statistic not in UPPER:
        observed, permuted = abs(observed), np.abs(permuted)
    exceedances = int(at_least(permuted, observed).sum())
    side = "one-sided" if statistic == "mann_whitney_u" else "two-sided" if statistic != "ks" else "upper tail"
    method = f"{null.method}, {side}"
    if not null.exact:
        return PValue((exceedances + 1) / (len(permuted) + 1), method, len(permuted), null.note)
    smallest = at_least(permuted, permuted.max()).mean()
    return PValue(exceedances / len(permuted), method, len(permuted), f"smallest attainable p {smallest:.3g}")
