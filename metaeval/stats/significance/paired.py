"""Does metric A follow people better than metric B? The paired permutation test, for all pairs at once.

Both metrics are standardised, and under the null hypothesis a unit's two scores may change places: a whole prompt by
default, every sample by itself (PERM-BOTH of Deutsch, Dror & Roth 2021, TACL 9), or a whole generator. The statistic of
both mixes is computed again, and p is two-sided on their difference. One swap matrix serves all pairs and nothing loops
over permutations: see `pooled`, `ranked`, `grouped` and `averaged` for the algebra of each level.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, cast

import numpy as np

from metaeval.stats.association import evaluate_many
from metaeval.stats.design import Bools, Design, Floats, Ints, Level
from metaeval.stats.resampling.draws import units_of
from metaeval.stats.significance.accuracy import PooledAccuracy
from metaeval.stats.significance.averaged import OfGenerators
from metaeval.stats.significance.grouped import WithinPrompts, WithinSwappedPrompts
from metaeval.stats.significance.pooled import PooledPearson
from metaeval.stats.significance.ranked import PooledRanks
from metaeval.stats.significance.rowwise import PAIRED_STATISTICS
from metaeval.stats.significance.sequential import ENOUGH_EXCEEDANCES, at_least, monte_carlo
from metaeval.stats.significance.swaps import Swaps, draw_swaps, standardised, swaps_of

__all__ = ["PairedTest", "PairedUnit", "compare_metrics"]

PairedUnit = Literal["prompt", "sample", "generator"]
PAIRED_LEVELS = ("sample", "prompt", "generator")


@dataclass(frozen=True)
class PairedTest:
    """Metrics `a` and `b` (rows of the scores) on the `n` samples that have both scores and a label."""

    a: int
    b: int
    value_a: float | None
    value_b: float | None
    difference: float | None
    p: float | None
    method: str
    permutations: int
    n: int
    note: str = ""
    ci_low: float | None = None
    ci_high: float | None = None


class Kernel(Protocol):
    """What a level offers: each metric's own value, and differences of the two mixes under the swaps."""

    def value(self, metric: int) -> float: ...

    def differences(self, a: int, b: int, rows: slice) -> Floats: ...


def compare_metrics(
    scores: Floats,
    labels: Floats,
    design: Design,
    *,
    statistic: str,
    level: str,
    pairs: Sequence[tuple[int, int]],
    unit: PairedUnit = "prompt",
    permutations: int = 9_999,
    seed: int,
    stop_early: bool = False,
) -> list[PairedTest]:
    """Test each of `pairs` of rows of `scores` (metrics, n), direction-turned, NaN where there is no score.

    A pair is compared on the samples that have both scores and a label. With `stop_early`, a pair stops at its 20th
    exceedance and its p is Besag and Clifford's.
    """
    _check(scores, labels, design, statistic, level, permutations)
    unit_of, units = units_of(design, unit)
    drawn = draw_swaps(units, permutations, seed)
    has_label = np.isfinite(labels)
    tests: dict[tuple[int, int], PairedTest] = {}
    for rows, members in _pairs_by_samples(np.isfinite(scores) & has_label, pairs).values():
        used = sorted({metric for pair in members for metric in pair})
        position = {metric: place for place, metric in enumerate(used)}
        reason = _undefined(labels[rows], design.take(rows), statistic, level)
        if reason:
            tests |= {(a, b): _without(a, b, len(rows), reason) for a, b in members}
            continue
        standard = standardised(scores[used][:, rows])
        swaps = swaps_of(drawn, unit_of, rows)
        kernel = _kernel(standard, labels[rows], design.take(rows), swaps, statistic, level, unit)
        values = _as_scored(scores[used][:, rows], labels[rows], design.take(rows), statistic, level)
        for a, b in members:
            constant = [metric for metric in (a, b) if np.isnan(standard[position[metric], 0])]
            if constant:
                tests[a, b] = _without(a, b, len(rows), "undefined: constant scores")
                continue
            found = _test(kernel, (a, b), (position[a], position[b]), unit, permutations, len(rows), stop_early)
            tests[a, b] = _with_values(found, values[position[a]], values[position[b]])
    return [tests[a, b] for a, b in pairs]


def _as_scored(scores: Floats, labels: Floats, design: Design, statistic: str, level: str) -> list[float]:
    """Each metric's value on the scores as they came.

    Standardising swallows differences that are tiny beside a metric's spread (BLEU of 1e-155 and of 1e-232), and a
    rank statistic would see ties; the swaps need it, the values that are printed do not.
    """
    found = evaluate_many(scores, labels, design, statistic=statistic, level=cast(Level, level))
    return [float(each.values[0]) for each in found]


def _with_values(test: PairedTest, value_a: float, value_b: float) -> PairedTest:
    if test.difference is None or not np.isfinite(value_a - value_b):
        return test
    return replace(test, value_a=value_a, value_b=value_b, difference=value_a - value_b)


def _check(scores: Floats, labels: Floats, design: Design, statistic: str, level: str, permutations: int) -> None:
    if scores.ndim != 2 or scores.shape[1] != len(labels) or len(labels) != design.size:
        raise ValueError(
            f"scores: expected (metrics, {design.size}) and as many labels, found {scores.shape} and {labels.shape}"
        )
    if statistic not in PAIRED_STATISTICS:
        raise ValueError(f"statistic: expected one of {', '.join(PAIRED_STATISTICS)}, found {statistic!r}")
    if level not in PAIRED_LEVELS:
        raise ValueError(f"level: expected one of {', '.join(PAIRED_LEVELS)}, found {level!r}")
    if permutations < 1:
        raise ValueError(f"permutations: expected at least 1, found {permutations}")


def _pairs_by_samples(
    usable: Bools, pairs: Sequence[tuple[int, int]]
) -> dict[bytes, tuple[Ints, list[tuple[int, int]]]]:
    """Pairs that share their samples share all that is computed from them."""
    found: dict[bytes, tuple[Ints, list[tuple[int, int]]]] = {}
    for a, b in pairs:
        both = usable[a] & usable[b]
        found.setdefault(np.packbits(both).tobytes(), (np.flatnonzero(both), []))[1].append((a, b))
    return found


def _undefined(labels: Floats, design: Design, statistic: str, level: str) -> str:
    if len(labels) < 2:
        return f"undefined: {len(labels)} common samples"
    if statistic == "auc_roc":
        if not np.all((labels == 0) | (labels == 1)):
            raise ValueError("labels: expected 0 and 1 for auc_roc, found other values")
        if level == "generator":
            return "undefined: a generator's label is a share, not one of two classes"
    if np.all(labels == labels[0]):
        return "undefined: constant labels"
    if level == "generator" and len(np.unique(design.generator)) < 2:
        return "undefined: fewer than two generators"
    if level == "prompt" and np.unique(design.prompt, return_counts=True)[1].max() < 2:
        return "undefined: no prompt has two samples"
    return ""


def _kernel(
    scores: Floats, labels: Floats, design: Design, swaps: Swaps, statistic: str, level: str, unit: PairedUnit
) -> Kernel:
    if level == "generator":
        return OfGenerators(scores, labels, design.generator, swaps, statistic)
    if level == "prompt":
        within = WithinSwappedPrompts if unit == "prompt" else WithinPrompts
        return within(scores, labels, design.prompt, swaps, statistic)
    if statistic == "pearson":
        return PooledPearson(scores, labels, swaps)
    if statistic == "acc_eq":
        return PooledAccuracy(scores, labels, swaps)
    return PooledRanks(scores, labels, swaps, statistic)


def _test(
    kernel: Kernel,
    pair: tuple[int, int],
    rows: tuple[int, int],
    unit: PairedUnit,
    permutations: int,
    n: int,
    stop_early: bool,
) -> PairedTest:
    value_a, value_b = kernel.value(rows[0]), kernel.value(rows[1])
    observed = value_a - value_b
    if np.isnan(observed):
        return _without(*pair, n, "undefined: constant scores or labels in every group")
    found = monte_carlo(
        lambda some: at_least(np.abs(kernel.differences(*rows, some)), abs(observed)),
        permutations,
        stop_early=stop_early,
    )
    method = f"paired permutation by {unit}, two-sided"
    if stop_early:
        method += f", Besag-Clifford (h = {ENOUGH_EXCEEDANCES})"
    return PairedTest(*pair, value_a, value_b, observed, found.p, method, found.permutations, n, _note(kernel, rows))


def _note(kernel: Kernel, rows: tuple[int, int]) -> str:
    if not isinstance(kernel, WithinPrompts | WithinSwappedPrompts):
        return ""
    first, second = (int(kernel.defined[row]) for row in rows)
    return f"defined in {first} and {second} of {kernel.total} prompts"


def _without(a: int, b: int, n: int, reason: str) -> PairedTest:
    return PairedTest(a, b, None, None, None, None, "", 0, n, reason)
