"""Values that differ by rounding only, such as 0.1 + 0.2 and 0.3: false differences to every rank statistic."""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.design import Bools, Floats, Ints

OF_RANGE = 1e-9
# What cancels to zero leaves a few units in the last place of what was added.
OF_ZERO = 1e-15
# Where nothing else differs there is no range to measure by: a few dozen units in the last place of the values.
OF_ALL = 1e-14
NOTHING: Floats = np.empty(0)


@dataclass(frozen=True)
class FloatNoise:
    """What `find_noise` found: how many distinct values are copies of another but for rounding."""

    values: int  # distinct values that merging removes
    samples: int  # samples whose value merging changes
    examples: tuple[tuple[float, float], ...]  # up to three pairs, as they stand


def find_noise(values: Floats) -> FloatNoise:
    """Report float noise among finite values (NaN is passed over)."""
    distinct = np.unique(values[~np.isnan(values)])
    is_noise = _continues(distinct)
    pairs = [(float(distinct[at]), float(distinct[at + 1])) for at in np.flatnonzero(is_noise)[:3]]
    changed = ~(merge_noise(values) == values) & ~np.isnan(values)
    return FloatNoise(values=int(is_noise.sum()), samples=int(changed.sum()), examples=tuple(pairs))


def merge_noise(values: Floats, *, exact: Floats = NOTHING) -> Floats:
    """The same values, with those that differ by noise snapped to the most frequent of their run (NaN stays).

    `exact`: values that are free of noise, such as what a rater could give; a run that holds one is snapped to that.
    """
    known = ~np.isnan(values)
    beside = np.unique(exact[~np.isnan(exact)])
    together = np.concatenate([values[known], beside])
    distinct, codes, counts = np.unique(together, return_inverse=True, return_counts=True)
    counts[np.searchsorted(distinct, beside)] += len(together)
    run = np.concatenate([[0], np.cumsum(~_continues(distinct))]).astype(np.intp) if len(distinct) else codes
    snapped = distinct.copy()
    for start, stop in _runs(run):
        snapped[start:stop] = distinct[start + int(np.argmax(counts[start:stop]))]
    merged = values.copy()
    merged[known] = snapped[codes[: int(known.sum())]]
    return merged


def _continues(distinct: Floats) -> Bools:
    """For each gap of ascending distinct values: is it noise?

    Below 1e-9 of the range alone would merge what is really different on a long scale (BLEU of 5e-17 and 1e-16 beside
    one of 0.3). So the gap must also be small beside the values themselves, or lie about zero and be no more than
    what cancelling leaves there. Where the whole range is no more than rounding, so is every gap in it.
    """
    if len(distinct) < 2:
        return np.zeros(0, dtype=bool)
    gap = np.diff(distinct)
    size = np.maximum(np.abs(distinct[1:]), np.abs(distinct[:-1]))
    spread = distinct[-1] - distinct[0]
    if spread < OF_ALL * size.max():
        return np.ones(len(gap), dtype=bool)
    about_zero = (distinct[:-1] <= 0) & (distinct[1:] >= 0) & (size < OF_ZERO * spread)
    return np.asarray((gap < OF_RANGE * spread) & ((gap < OF_RANGE * size) | about_zero))


def _runs(codes: Ints) -> list[tuple[int, int]]:
    """Start and stop of each run longer than one."""
    if not len(codes):
        return []
    starts = np.flatnonzero(np.diff(codes, prepend=-1))
    stops = np.append(starts[1:], len(codes))
    return [(int(start), int(stop)) for start, stop in zip(starts, stops, strict=True) if stop - start > 1]


def snap_rows(values: Floats, *, tolerance: float) -> Floats:
    """(B, g): in each row, values within `tolerance` of the next lower one take its value.

    For means, where equal ones come out of sums in different order and would be untied.
    """
    order = np.argsort(values, axis=1, kind="stable")
    ordered = np.take_along_axis(values, order, axis=1)
    continues = np.diff(ordered, axis=1, prepend=-np.inf) <= tolerance
    column = np.where(continues, 0, np.arange(values.shape[1]))
    begin = np.maximum.accumulate(column, axis=1)
    snapped = np.empty_like(values)
    np.put_along_axis(snapped, order, np.take_along_axis(ordered, begin, axis=1), axis=1)
    return snapped
