"""Percent agreement: of two raters of a sample, how often do they say the same? No chance correction."""

import numpy as np

from metaeval.stats.agreement.pairable import Pairable, agreeing_pairs, pairable
from metaeval.stats.design import Floats


def agreement_of_units(pairs: Pairable) -> Floats:
    """(units,): the share of a unit's pairs of ratings that are equal."""
    return agreeing_pairs(pairs) / (pairs.counts * (pairs.counts - 1))


def percent_agreement(ratings: Floats) -> float | None:
    """The mean over units of the share of equal pairs, from 0 to 1; None where no unit has two ratings."""
    pairs = pairable(ratings)
    return float(np.mean(agreement_of_units(pairs))) if pairs.units else None
