"""The ratings of a file with those of derived criteria beside them, as codes."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from metaeval.report.config import AnalysisConfig, Criterion
from metaeval.report.inputs import InputError, RatingRows
from metaeval.report.inputs.columns import first
from metaeval.report.inputs.errors import shown_number
from metaeval.report.material import CriterionFacts
from metaeval.stats.design import Bools, Floats, Ints


@dataclass(frozen=True)
class LongRatings:
    """One entry a rating. Codes of samples and raters are those of `rows`; of criteria, those of `criteria`."""

    rows: RatingRows
    criteria: tuple[str, ...]
    sample: Ints
    rater: Ints
    criterion: Ints
    value: Floats  # as rated: not turned
    occasion: Ints
    is_gold: Bools
    row: Ints  # in the file; -1 for what was derived

    @property
    def is_given(self) -> Bools:
        return np.greater_equal(self.row, 0)

    def of(self, criterion: str) -> Ints:
        """The places of a criterion's ratings."""
        return np.flatnonzero(self.criterion == self.criteria.index(criterion))


def long_of(rows: RatingRows) -> LongRatings:
    return LongRatings(
        rows=rows,
        criteria=rows.criterion.names,
        sample=rows.sample.codes,
        rater=rows.rater.codes,
        criterion=rows.criterion.codes,
        value=rows.value,
        occasion=rows.occasion,
        is_gold=rows.is_gold,
        row=np.arange(len(rows), dtype=np.intp),
    )


def check_scales(rows: RatingRows, config: AnalysisConfig) -> None:
    """An error for the first rating that is not on its criterion's scale."""
    index = rows.criterion.index()
    for name, criterion in config.criteria.items():
        if criterion.scale is None or name not in index:
            continue
        scale = criterion.scale
        is_off = (rows.value < scale.low) | (rows.value > scale.high)
        if scale.values:
            is_off |= ~np.isin(rows.value, scale.values)
        if (row := first(is_off & (rows.criterion.codes == index[name]))) is not None:
            expected, found = f"{scale} for {name}", shown_number(float(rows.value[row]))
            raise rows.table.fault(row, "value", expected=expected, found=found)


def facts_of(criteria: Mapping[str, Criterion]) -> dict[str, CriterionFacts]:
    return {name: _facts(criterion) for name, criterion in criteria.items()}


def _facts(criterion: Criterion) -> CriterionFacts:
    scale, formula = criterion.scale, criterion.derived
    values = scale.values if scale else ()
    cut = criterion.positive_cut
    if formula and formula.is_boolean and not scale:
        # No cut of its own: several raters' labels lie between, and 1 would ask that all of them agree.
        values = (0.0, 1.0)
    low = scale.low if scale else min(values, default=None)
    high = scale.high if scale else max(values, default=None)
    is_turned = criterion.order == "descending"
    if is_turned and low is not None and high is not None:
        cut = None if cut is None else low + high - cut
        values = tuple(low + high - value for value in reversed(values))
    return CriterionFacts(
        measurement=criterion.measurement,
        positive_cut=cut,
        scale=values,
        low=low,
        high=high,
        formula=formula.text if formula else "",
        is_turned=is_turned,
    )


def turned(values: Floats, facts: CriterionFacts) -> Floats:
    if not facts.is_turned:
        return values
    if facts.low is None or facts.high is None:
        raise InputError("criteria: expected a scale, for the order is descending, found nothing")
    return facts.low + facts.high - values
