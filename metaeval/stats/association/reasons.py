"""Why a value is undefined, in the words of a table's note."""

from typing import Literal

import numpy as np

from metaeval.stats.design import Floats, Ints

FEW = "undefined: fewer than 2 points"
SCORES = "undefined: constant scores"
LABELS = "undefined: constant labels"
EITHER = "undefined: constant scores or labels"
ONE_CLASS = "undefined: one class only"
NO_CLASS = "undefined: a generator has no class"
SET_METRIC = "undefined: set metric"


def reason(scores: Floats, labels: Floats, groups: Ints, needs: Literal["values", "classes"]) -> str:
    """Why no group has a value; `groups` are codes of the samples that were drawn at all."""
    parts = [(scores[groups == group], labels[groups == group]) for group in np.unique(groups)]
    parts = [part for part in parts if len(part[0]) >= 2]
    if not parts:
        return FEW
    if needs == "classes":
        return ONE_CLASS
    if all(np.ptp(x) == 0 for x, _ in parts):
        return SCORES
    if all(np.ptp(y) == 0 for _, y in parts):
        return LABELS
    return EITHER
