"""Gwet's AC1 and AC2: chance agreement that does not explode when nearly all ratings are one value.

Gwet (2008), British Journal of Mathematical and Statistical Psychology 61, 29-48; for weights and missing ratings
Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., ch. 3-5. With shares pi_c of q values and agreement weights
w_ck, chance agreement is T_w / (q (q - 1)) sum_c pi_c (1 - pi_c), T_w the sum of all weights; AC1 has w_ck = [c = k].
"""

from typing import Final, Literal

import numpy as np

from metaeval.stats.agreement.kappa import value_shares
from metaeval.stats.agreement.pairable import Pairable, pair_sums, pairable
from metaeval.stats.design import Floats, Ints

AgreementWeights = Literal["none", "linear", "quadratic", "ordinal"]
AGREEMENT_WEIGHTS: Final[tuple[AgreementWeights, ...]] = ("none", "linear", "quadratic", "ordinal")


def gwet_ac1(ratings: Floats) -> float | None:
    """Gwet's AC1; None where no unit has two ratings or every rating is the same value."""
    return _coefficient(ratings, weights="none")


def gwet_ac2(ratings: Floats, *, weights: AgreementWeights = "quadratic") -> float | None:
    """Gwet's AC2: AC1 with partial credit for near values; None where it is undefined."""
    return _coefficient(ratings, weights=weights)


def _coefficient(ratings: Floats, *, weights: AgreementWeights) -> float | None:
    if weights not in AGREEMENT_WEIGHTS:
        raise ValueError(f"weights: expected one of {', '.join(AGREEMENT_WEIGHTS)}, found {weights!r}")
    pairs, rated = pairable(ratings), pairable(ratings, at_least=1)
    if not pairs.units or len(rated.domain) < 2:
        return None
    observed = float(np.mean(weighted_agreement_of_units(pairs, rated.domain, weights=weights)))
    shares = value_shares(rated)
    chance = chance_factor(rated.domain, weights=weights) * float((shares * (1 - shares)).sum())
    return (observed - chance) / (1 - chance)


def weighted_agreement_of_units(pairs: Pairable, domain: Floats, *, weights: AgreementWeights) -> Floats:
    """(units,): the mean agreement weight of a unit's pairs of ratings; `domain` is that of all ratings."""
    code = np.searchsorted(domain, pairs.value).astype(np.intp)
    total = pair_sums(pairs, lambda a, b: agreement_weight(code[a], code[b], domain, weights=weights))
    return total / (pairs.counts * (pairs.counts - 1) / 2)


def agreement_weight(a: Ints, b: Ints, domain: Floats, *, weights: AgreementWeights) -> Floats:
    """The weight of two value codes: 1 where they are equal, 0 for the ends of the scale."""
    if weights == "none":
        return np.equal(a, b).astype(float)
    if weights == "ordinal":
        # Of the pairs of values, how many lie within the two: C(|a - b| + 1, 2) of C(q, 2).
        steps: Floats = np.abs(a - b).astype(float)
        return 1 - steps * (steps + 1) / (len(domain) * (len(domain) - 1))
    apart: Floats = np.abs(domain[a] - domain[b]) / (domain[-1] - domain[0])
    return 1 - (apart if weights == "linear" else apart**2)


def chance_factor(domain: Floats, *, weights: AgreementWeights) -> float:
    """T_w / (q (q - 1)): the sum of the weights of all ordered pairs of values, in closed form for any q."""
    q = len(domain)
    if weights == "none":
        return 1 / (q - 1)
    scaled = (domain - domain[0]) / (domain[-1] - domain[0])
    if weights == "ordinal":
        steps = np.arange(1.0, q)
        missed = 2 * float(((q - steps) * steps * (steps + 1)).sum()) / (q * (q - 1))
    elif weights == "linear":
        missed = 2 * float(((2 * np.arange(q) - q + 1) * scaled).sum())
    else:
        missed = 2 * q * float(((scaled - scaled.mean()) ** 2).sum())
    return (q * q - missed) / (q * (q - 1))
