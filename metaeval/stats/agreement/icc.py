"""Intraclass correlations: ICC(1) where every sample has its own raters, ICC(2) and ICC(3) where raters cross.

Shrout & Fleiss (1979), Psychological Bulletin 86, 420-428; McGraw & Wong (1996), Psychological Methods 1, 30-46.
Unequal numbers of ratings in ICC(1): the number of raters k is n0 = (N - sum m^2 / N) / (units - 1), as in the
one-way analysis of variance with unequal groups (Searle, Casella & McCulloch 1992, ch. 3); ICC(1,k) is for that k.
Every function takes unit weights, so that bootstrap replicates come from the same lines as the point estimate.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np

from metaeval.stats.agreement.alpha import squares_within_units
from metaeval.stats.agreement.crossing import Block, largest_complete_block
from metaeval.stats.agreement.grouped import replicate_sums
from metaeval.stats.agreement.pairable import Pairable, pairable
from metaeval.stats.design import Floats, Ints

TWO_WAY: Final = ("icc_2_1", "icc_2_k", "icc_3_1", "icc_3_k")
CONSTANT: Final = "undefined: constant ratings"


@dataclass(frozen=True)
class IccEstimate:
    """One ICC; None and the reason in the note where it is undefined."""

    statistic: str
    value: float | None
    n_units: int
    n_raters: int
    note: str


def icc_one_way(ratings: Floats) -> tuple[IccEstimate, IccEstimate]:
    """ICC(1,1) and ICC(1,k) of the units with two ratings or more."""
    pairs = pairable(ratings)
    if pairs.units < 2:
        note = "undefined: fewer than two samples have two ratings"
        values: list[float | None] = [None, None]
    else:
        single, mean, k = one_way_replicates(pairs, np.ones((1, 1)), np.zeros(pairs.units, np.intp))
        values = [_defined(single[0]), _defined(mean[0])]
        note = CONSTANT if values[0] is None else f"k = {k[0]:.4g} ratings a sample"
    first, second = (
        IccEstimate(name, value, pairs.units, pairs.raters, note)
        for name, value in zip(("icc_1_1", "icc_1_k"), values, strict=True)
    )
    return first, second


def one_way_replicates(pairs: Pairable, counts: Floats, group: Ints) -> tuple[Floats, Floats, Floats]:
    """ICC(1,1), ICC(1,k) and k of each replicate, (B,) each; NaN where undefined."""
    values = pairs.value - pairs.value.mean()
    m, total = pairs.counts, pairs.total(values)
    of_unit = [np.ones(pairs.units), m, m**2, total, total**2 / m, squares_within_units(pairs, values)]
    units, n, squared, first, between, within = replicate_sums(counts, group, of_unit)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_within = within / (n - units)
        mean_between = np.maximum(between - first**2 / n, 0.0) / (units - 1)
        k = (n - squared / n) / (units - 1)
        single = (mean_between - mean_within) / (mean_between + (k - 1) * mean_within)
        mean = (mean_between - mean_within) / mean_between
        varies = mean_between + mean_within > 1e-12 * float(np.mean(values**2))
        # The mean of k ratings has no reliability to speak of where the units' means do not differ at all.
        return np.where(varies, single, np.nan), np.where(varies & (mean_between > 0), mean, np.nan), k


def icc_two_way(ratings: Floats) -> tuple[IccEstimate, ...]:
    """ICC(2,1), (2,k), (3,1) and (3,k) on the complete block of raters x units, or why there is none."""
    block = largest_complete_block(ratings)
    if block.refusal:
        pairs = pairable(ratings)
        return tuple(IccEstimate(name, None, pairs.units, pairs.raters, block.refusal) for name in TWO_WAY)
    table = block.table(ratings)
    values = two_way_replicates(table, np.ones((1, 1)), np.zeros(table.shape[1], np.intp))
    return tuple(_two_way_estimate(name, float(values[name][0]), block) for name in TWO_WAY)


def _two_way_estimate(name: str, value: float, block: Block) -> IccEstimate:
    note = block.note if not np.isnan(value) else CONSTANT
    return IccEstimate(name, _defined(value), len(block.units), len(block.raters), note)


def two_way_replicates(table: Floats, counts: Floats, group: Ints) -> dict[str, Floats]:
    """Each of the four of each replicate of a complete (raters, units) table, (B,); NaN where undefined."""
    k = len(table)
    values = table - table.mean()
    of_unit = [np.ones(table.shape[1]), values.sum(axis=0) ** 2, (values**2).sum(axis=0), *values]
    units, row_squares, squares, *columns = replicate_sums(counts, group, of_unit)
    with np.errstate(divide="ignore", invalid="ignore"):
        grand = sum(columns, np.zeros(len(counts))) ** 2 / (units * k)
        rows = row_squares / k - grand
        raters = sum((column**2 for column in columns), np.zeros(len(counts))) / units - grand
        # What is left after a perfect fit is rounding, and may be below 0.
        error = np.maximum(squares - grand - rows - raters, 0.0) / ((units - 1) * (k - 1))
        rows, raters = np.maximum(rows, 0.0) / (units - 1), np.maximum(raters, 0.0) / (k - 1)
        signal = rows - error
        found = {
            "icc_2_1": signal / (rows + (k - 1) * error + k * (raters - error) / units),
            "icc_2_k": signal / (rows + (raters - error) / units),
            "icc_3_1": signal / (rows + (k - 1) * error),
            "icc_3_k": signal / rows,
        }
        varies = (rows > 1e-12 * float(np.mean(values**2))) & (units >= 2)
        return {name: np.where(varies, value, np.nan) for name, value in found.items()}


def _defined(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
