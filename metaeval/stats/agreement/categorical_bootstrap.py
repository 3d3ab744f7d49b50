"""Fleiss' kappa, Gwet's AC1 and AC2 and percent agreement in every bootstrap replicate at once.

All are made of the mean agreement of the units with two ratings and the mean share of each value over all rated
units. The values that Gwet's chance agreement is over are those of the study, not of the replicate: the scale does
not change with the draw.
"""

import numpy as np

from metaeval.stats.agreement.grouped import in_blocks, replicate_cells, replicate_sums
from metaeval.stats.agreement.gwet import chance_factor, weighted_agreement_of_units
from metaeval.stats.agreement.pairable import pairable
from metaeval.stats.agreement.percent import agreement_of_units
from metaeval.stats.design import Floats, Weights


def categorical_replicates(ratings: Floats, weights: Weights) -> dict[str, Floats]:
    """(B,) of each of fleiss_kappa, gwet_ac1, gwet_ac2 (quadratic) and percent_agreement; NaN where undefined."""
    pairs, rated = pairable(ratings), pairable(ratings, at_least=1)
    if not pairs.units or len(rated.domain) < 2:
        return {}
    group, all_groups = weights.unit_of[pairs.columns], weights.unit_of[rated.columns]
    equal = agreement_of_units(pairs)
    near = weighted_agreement_of_units(pairs, rated.domain, weights="quadratic")
    paired, agreed, nearly = replicate_sums(weights.counts, group, [np.ones(pairs.units), equal, near])
    share = 1 / rated.counts[rated.unit]

    def concentration(drawn: Floats) -> Floats:
        sums = replicate_cells(drawn, all_groups[rated.unit], rated.code, share, len(rated.domain))
        with np.errstate(invalid="ignore", divide="ignore"):
            squared: Floats = ((sums / sums.sum(axis=1, keepdims=True)) ** 2).sum(axis=1)
        return squared

    same = in_blocks(concentration, weights.counts, row=len(rated.domain))
    with np.errstate(invalid="ignore", divide="ignore"):
        agreed, nearly = agreed / paired, nearly / paired
    return {
        "fleiss_kappa": _corrected(agreed, same),
        "gwet_ac1": _corrected(agreed, (1 - same) * chance_factor(rated.domain, weights="none")),
        "gwet_ac2": _corrected(nearly, (1 - same) * chance_factor(rated.domain, weights="quadratic")),
        "percent_agreement": agreed,
    }


def _corrected(observed: Floats, chance: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        corrected: Floats = np.where(1 - chance > 1e-12, (observed - chance) / (1 - chance), np.nan)
    return corrected
