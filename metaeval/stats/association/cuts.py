"""Cuts that make two classes of a scale: positive is a label of at least the cut."""

from collections.abc import Sequence

import numpy as np

from metaeval.stats.design import Floats


def cuts(values: Floats | Sequence[float]) -> list[float]:
    """Every distinct value above the lowest, ascending: ">= c" is then neither all nor nothing of the scale."""
    known = np.asarray(values, dtype=np.float64)
    return [float(value) for value in np.unique(known[~np.isnan(known)])[1:]]


def binarise(labels: Floats, cut: float) -> Floats:
    """1 where the label reaches the cut, else 0; NaN stays."""
    return np.where(np.isnan(labels), np.nan, (labels >= cut).astype(np.float64))


def most_balanced_cut(labels: Floats, candidates: Sequence[float] | None = None) -> float | None:
    """The cut with the largest smaller class, the lowest of several; None where every cut leaves a class empty."""
    known = labels[~np.isnan(labels)]
    best, best_size = None, 0
    for cut in cuts(known) if candidates is None else sorted(candidates):
        positive = int((known >= cut).sum())
        if min(positive, len(known) - positive) > best_size:
            best, best_size = float(cut), min(positive, len(known) - positive)
    return best
