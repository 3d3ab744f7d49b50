"""What merely ordering the generators right would give, on points of which each generator has several."""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.association.multiplicity import dense_codes
from metaeval.stats.association.registry import STATISTICS
from metaeval.stats.association.rows import midranks
from metaeval.stats.design import Floats, Ints


@dataclass(frozen=True)
class Floor:
    random_within: float | None  # the expected value where points within a generator are in random order, untied
    tied_within: float | None  # where all points of a generator have one score


def floor_of_order(labels: Floats, generator: Ints, *, statistic: str) -> Floor:
    """Both floors, from the labels of the actual points; None where the labels are constant or there is no floor.

    A metric that is random within generators has no ties, so its tau and rho divide by all pairs and by the full
    variance of ranks: 400/780 = .51 and .75 for two well-separated generators with 20 points each, where a tied one
    gets .72 and .87. Order within a generator adds 0 to the expected numerator.
    """
    codes = dense_codes(generator)
    means = np.bincount(codes, weights=labels) / np.bincount(codes) if len(codes) else np.zeros(0)
    ordered = means[codes] if len(codes) else labels
    rows = STATISTICS[statistic].rows
    if rows is None or len(labels) < 2 or np.ptp(labels) == 0:
        return Floor(None, None)
    tied = float(rows(ordered[None], labels[None], None)[0])
    random = {"kendall_b": _kendall, "spearman": _spearman, "pearson": _pearson}.get(statistic)
    return Floor(
        random_within=None if random is None else random(ordered, labels),
        tied_within=None if np.isnan(tied) else tied,
    )


def _kendall(ordered: Floats, labels: Floats) -> float:
    first, second = np.triu_indices(len(labels), 1)
    sign = np.sign(labels[first] - labels[second])
    s = (np.sign(ordered[first] - ordered[second]) * sign).sum()
    return float(s / np.sqrt(len(first) * np.abs(sign).sum()))


def _spearman(ordered: Floats, labels: Floats) -> float:
    count = len(labels)
    ones = np.ones((1, count))
    x, y = (midranks(values[None], ones)[0] - (count + 1) / 2.0 for values in (ordered, labels))
    return float((x * y).sum() / np.sqrt((count**3 - count) / 12.0 * (y * y).sum()))


def _pearson(ordered: Floats, labels: Floats) -> float:
    """Pearson depends on how far points scatter within a generator: as far as the labels do, shuffled. Then the
    expected value is the share of variance between generators (eta squared)."""
    between, whole = ordered - labels.mean(), labels - labels.mean()
    return float((between**2).sum() / (whole**2).sum())
