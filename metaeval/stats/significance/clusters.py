"""Rank clusters: which metrics cannot be told apart."""

from collections.abc import Sequence

import numpy as np

from metaeval.stats.design import Floats

__all__ = ["rank_clusters"]


def rank_clusters(values: Sequence[float | None], p: Floats, alpha: float = 0.05) -> list[int | None]:
    """The cluster of each metric, 1 the best; None for a metric without a value.

    Metrics are sorted by value, and a cluster ends before the first metric that one of its members beats with
    p < alpha, as the WMT metrics task ranks: no member of a cluster beats another. (A boundary only where all above
    beat all below, as for WMT's systems, would join a long chain of neighbours into one.) `p` (metrics, metrics) holds
    adjusted (Holm) p-values; one triangle is enough. NaN, a pair that was not compared, tells nothing apart.
    """
    with np.errstate(invalid="ignore"):
        differ = np.asarray(p) < alpha
    differ = differ | differ.T
    known = [(value, metric) for metric, value in enumerate(values) if value is not None and not np.isnan(value)]
    found: list[int | None] = [None] * len(values)
    cluster, members = 1, list[int]()
    for _, metric in sorted(known, key=lambda each: -each[0]):
        if differ[members, metric].any():
            cluster, members = cluster + 1, []
        members.append(metric)
        found[metric] = cluster
    return found
