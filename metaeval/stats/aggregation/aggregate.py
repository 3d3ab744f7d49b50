"""One label a sample, by a named method."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from metaeval.stats.aggregation.dawid_skene import dawid_skene
from metaeval.stats.aggregation.mace import mace
from metaeval.stats.aggregation.refusal import AggregationRefused
from metaeval.stats.aggregation.standardised import standardised_mean
from metaeval.stats.agreement.pairable import check_table, pairable
from metaeval.stats.design import Floats, Ints

Method = Literal["mean", "median", "majority", "dawid_skene", "mace", "standardised_mean"]
METHODS: Final[tuple[Method, ...]] = ("mean", "median", "majority", "dawid_skene", "mace", "standardised_mean")

__all__ = ["METHODS", "Aggregate", "AggregationRefused", "Method", "aggregate"]


@dataclass(frozen=True)
class Aggregate:
    """The label of each sample, NaN where it has no rating, and how many ratings are behind it."""

    values: Floats  # (units,)
    counts: Ints  # (units,)
    note: str = ""


def aggregate(table: Floats, *, method: Method, ordered: bool = True, seed: int = 0) -> Aggregate:
    """Aggregate a (raters, units) table.

    `ordered` says whether the values have an order: then a model's label is its expected value, and a tied majority
    the median of the tied values. Without one a model's label is its most probable value and a tie the lowest value.
    """
    check_table(table)
    if method not in METHODS:
        raise ValueError(f"method: expected one of {', '.join(METHODS)}, found {method!r}")
    if not ordered and method in ("mean", "median", "standardised_mean"):
        raise AggregationRefused(f"{method}: expected values with an order, found a nominal scale")
    counts = (~np.isnan(table)).sum(axis=0)
    if not counts.any():
        return Aggregate(np.full(table.shape[1], np.nan), counts, "no ratings")
    values, note = _labels(table, method, ordered, seed)
    unrated = int((counts == 0).sum())
    notes = [note, f"{unrated} of {len(counts)} samples have no rating" if unrated else ""]
    return Aggregate(values, counts, "; ".join(part for part in notes if part))


def _labels(table: Floats, method: Method, ordered: bool, seed: int) -> tuple[Floats, str]:
    if method == "mean":
        return _mean(table), ""
    if method == "median":
        return _median(table), ""
    if method == "majority":
        return _majority(table, ordered)
    if method == "standardised_mean":
        values, constant = standardised_mean(table)
        return values, f"{constant} raters left out: they gave one value only" if constant else ""
    if method == "dawid_skene":
        fitted = dawid_skene(table)
        reached = "converged" if fitted.converged else "not converged"
        return _from_posteriors(fitted.posteriors, fitted.categories, ordered), (
            f"{reached} after {fitted.iterations} iterations"
        )
    found = mace(table, seed=seed)
    return _from_posteriors(found.posteriors, found.categories, ordered), f"seed {seed}"


def _mean(table: Floats) -> Floats:
    given = ~np.isnan(table)
    with np.errstate(invalid="ignore"):
        mean: Floats = np.where(given, table, 0.0).sum(axis=0) / given.sum(axis=0)
    return mean


def _median(table: Floats) -> Floats:
    # NaN sorts last, so the middle of what was given is at known places. numpy's nanmedian warns where all is NaN.
    ranked = np.sort(table, axis=0)
    number = (~np.isnan(table)).sum(axis=0)
    columns = np.arange(table.shape[1])
    low, high = np.maximum(number - 1, 0) // 2, number // 2
    high = np.minimum(high, len(table) - 1)
    median: Floats = (ranked[low, columns] + ranked[high, columns]) / 2
    return median


def _majority(table: Floats, ordered: bool) -> tuple[Floats, str]:
    """The most frequent value; of tied ones the median, or without an order the lowest, which is arbitrary."""
    given = pairable(table, at_least=1)
    unit, code, times = given.cells
    most = np.zeros(given.units)
    np.maximum.at(most, unit, times)
    top = times == most[unit]
    tied = np.bincount(unit[top], minlength=given.units)
    first = np.concatenate([[0], np.cumsum(tied)[:-1]])
    candidates = given.domain[code[top]]  # ascending within each unit
    chosen = candidates[first]
    if ordered:
        chosen = (candidates[first + (tied - 1) // 2] + candidates[first + tied // 2]) / 2
    values = np.full(table.shape[1], np.nan)
    values[given.columns] = chosen
    ties = int((tied > 1).sum())
    rule = "the median of the tied values" if ordered else "the lowest of the tied values"
    return values, f"{ties} of {given.units} samples tied: {rule}" if ties else ""


def _from_posteriors(posteriors: Floats, categories: Floats, ordered: bool) -> Floats:
    if ordered:
        expected: Floats = posteriors @ categories
        return expected
    known = ~np.isnan(posteriors[:, 0])
    values = np.full(len(posteriors), np.nan)
    values[known] = categories[posteriors[known].argmax(axis=1)]
    return values
