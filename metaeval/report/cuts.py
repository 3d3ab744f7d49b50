"""At which labels a criterion becomes yes or no: one rule for the tables and for the curves that show them."""

import numpy as np

from metaeval.stats.association import cuts, most_balanced_cut
from metaeval.stats.design import Floats

FEW_VALUES = 12  # of a rating scale; a continuous one, which has no points of its own, is cut at quarters of the labels
QUARTERS = (0.25, 0.5, 0.75)


def cuts_of(given: Floats, labels: Floats, stated: float | None) -> tuple[float, ...]:
    """The stated cut first, else the one that splits the labels most evenly; then the others in order.

    `given` holds the ratings in any shape, NaN where there is none. Nothing where ratings or labels are all equal.
    """
    values = np.unique(given[~np.isnan(given)])
    known = labels[~np.isnan(labels)]
    if len(values) < 2 or len(known) < 2:
        return ()
    if set(values.tolist()) <= {0.0, 1.0}:
        every = [0.5]  # the majority of a binary criterion
    elif len(values) <= FEW_VALUES:
        every = cuts(values)
    else:
        every = sorted(set(np.quantile(known, QUARTERS).tolist()))
    first = stated if stated is not None else most_balanced_cut(known, every)
    if first is None:
        return ()
    return tuple(float(cut) for cut in (first, *(cut for cut in every if cut != first)))
