"""Cohen's kappa of two raters and Fleiss' kappa of any number.

Cohen (1960, 1968): kappa = 1 - (observed disagreement) / (expected from both raters' own distributions). The weights
are |a - b| (linear) and (a - b)^2 (quadratic) of the values themselves, so a value that nobody gave leaves a gap; for
values 1, 2, ..., K that all occur this is scikit-learn's `cohen_kappa_score`. More than two raters: the plain mean
over pairs of raters (Light 1971).

Fleiss (1971) for unequal numbers of ratings in the form of Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed.,
ch. 2: observed agreement is the mean over units with two ratings, and the share of each value the mean over all rated
units of its share in the unit. With equal numbers it is Fleiss' own.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from metaeval.stats.agreement.pairable import Pairable, check_table, pairable, sum_by
from metaeval.stats.agreement.percent import agreement_of_units
from metaeval.stats.design import Floats

KappaWeights = Literal["none", "linear", "quadratic"]
KAPPA_WEIGHTS: Final[tuple[KappaWeights, ...]] = ("none", "linear", "quadratic")


@dataclass(frozen=True)
class PairKappa:
    """Cohen's kappa of two raters (rows of the table); None where both always say one and the same value."""

    first: int
    second: int
    value: float | None
    common: int


@dataclass(frozen=True)
class CohenKappa:
    """The mean over pairs of raters that have enough samples in common, and each of those pairs."""

    value: float | None
    pairs: tuple[PairKappa, ...]
    note: str


def cohen_kappa(ratings: Floats, *, weights: KappaWeights = "none", common_at_least: int = 10) -> CohenKappa:
    """Cohen's kappa averaged over the pairs of raters with at least `common_at_least` samples in common."""
    check_table(ratings)
    if weights not in KAPPA_WEIGHTS:
        raise ValueError(f"weights: expected one of {', '.join(KAPPA_WEIGHTS)}, found {weights!r}")
    common = common_units(ratings)
    meeting = [(a, b) for a, b in np.argwhere(np.triu(common, 1) > 0).tolist()]
    enough = [(a, b) for a, b in meeting if common[a, b] >= common_at_least]
    pairs = tuple(
        PairKappa(a, b, kappa_of_two(ratings[a], ratings[b], weights=weights), int(common[a, b])) for a, b in enough
    )
    defined = [pair.value for pair in pairs if pair.value is not None]
    note = f"{len(enough)} of {len(meeting)} pairs of raters have at least {common_at_least} samples in common"
    if len(defined) < len(pairs):
        note += f"; undefined for {len(pairs) - len(defined)} of them: constant ratings"
    if not defined:
        return CohenKappa(None, pairs, f"undefined: {note}")
    return CohenKappa(float(np.mean(defined)), pairs, note)


def common_units(ratings: Floats) -> Floats:
    """(raters, raters): how many units both have rated."""
    given = (~np.isnan(ratings)).astype(float)
    common: Floats = given @ given.T
    return common


def kappa_of_two(first: Floats, second: Floats, *, weights: KappaWeights) -> float | None:
    """Cohen's kappa on the units that both have rated; None where no disagreement is to be expected."""
    both = ~(np.isnan(first) | np.isnan(second))
    a, b = first[both], second[both]
    if not len(a):
        return None
    if weights == "quadratic":
        observed = float(np.mean((a - b) ** 2))
        expected = float(np.var(a) + np.var(b) + (a.mean() - b.mean()) ** 2)
    else:
        domain, code = np.unique(np.concatenate([a, b]), return_inverse=True)
        share_a = np.bincount(code[: len(a)], minlength=len(domain)) / len(a)
        share_b = np.bincount(code[len(a) :], minlength=len(domain)) / len(b)
        if weights == "linear":
            observed = float(np.mean(np.abs(a - b)))
            expected = _expected_distance(domain, share_a, share_b)
        else:
            observed = float(np.mean(a != b))
            expected = float(1 - share_a @ share_b)
    # Rounding leaves about 1e-16 of an expected disagreement that is 0.
    both_constant = bool(np.all(a == a[0]) and np.all(b == a[0]))
    return None if both_constant else 1.0 - observed / expected


def _expected_distance(domain: Floats, share_a: Floats, share_b: Floats) -> float:
    """E|a - b| of independent a and b: the integral of F_a (1 - F_b) + F_b (1 - F_a)."""
    below_a, below_b = np.cumsum(share_a)[:-1], np.cumsum(share_b)[:-1]
    return float(((below_a * (1 - below_b) + below_b * (1 - below_a)) * np.diff(domain)).sum())


def fleiss_kappa(ratings: Floats) -> float | None:
    """Fleiss' kappa, generalised to unequal numbers of ratings; None where it is undefined."""
    pairs, rated = pairable(ratings), pairable(ratings, at_least=1)
    if not pairs.units or len(rated.domain) < 2:
        return None
    observed = float(np.mean(agreement_of_units(pairs)))
    expected = float((value_shares(rated) ** 2).sum())
    return (observed - expected) / (1 - expected)


def value_shares(rated: Pairable) -> Floats:
    """(values,): the mean over units of the share of each value in the unit's ratings."""
    of_rating = 1 / rated.counts[rated.unit]
    return sum_by(rated.code, of_rating, len(rated.domain)) / rated.units
