"""Each rater by themselves: bias, influence, agreement with an oracle, with each other and with their earlier self.

Raters are rows of the (raters, units) table and are named by their row number.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from metaeval.stats.agreement.alpha import Measurement, alpha_of, check_measurement, krippendorff_alpha
from metaeval.stats.agreement.kappa import common_units, kappa_of_two
from metaeval.stats.agreement.pairable import check_table, pairable
from metaeval.stats.design import Floats, Ints

MatrixStatistic = Literal["alpha", "cohen_kappa_quadratic"]


@dataclass(frozen=True)
class RaterSummary:
    """One rater among the others. None where it is undefined: nobody else rated the same samples, or no spread."""

    rater: int
    ratings: int
    shared: int  # samples that somebody else has rated as well
    bias: float | None  # mean deviation from the mean of the others on the same samples
    bias_standardised: float | None  # the same in standard deviations of all ratings
    alpha_without: float | None
    influence: float | None  # alpha without the rater minus alpha: above 0, the rater lowers it


@dataclass(frozen=True)
class OracleRow:
    """One rater against the oracle on each criterion (as in VeMo's Table 4): alpha of the two, and common samples."""

    rater: int
    alpha: Mapping[str, float | None]
    common: Mapping[str, int]


@dataclass(frozen=True)
class AgreementMatrix:
    """Rater x rater agreement, NaN where fewer than two samples are common or it is undefined."""

    statistic: MatrixStatistic
    values: Floats
    common: Ints


@dataclass(frozen=True)
class SelfConsistency:
    """How far one rater repeats themselves: alpha between the occasions of the same samples."""

    rater: int
    alpha: float | None
    samples: int  # rated on at least two occasions
    equal: float | None  # share of repeated samples whose occasions all have one value


def rater_summaries(table: Floats, *, measurement: Measurement) -> tuple[RaterSummary, ...]:
    """Every rater who gave a rating: bias against the others and what alpha would be without them."""
    check_table(table)
    check_measurement(measurement)
    given = ~np.isnan(table)
    filled = np.where(given, table, 0.0)
    number, total = given.sum(axis=0), filled.sum(axis=0)
    spread = float(np.std(table[given])) if given.any() else 0.0
    alpha = krippendorff_alpha(table, measurement=measurement)
    summaries = []
    for rater in np.flatnonzero(given.any(axis=1)).tolist():
        shared = given[rater] & (number > 1)
        others = (total[shared] - filled[rater, shared]) / (number[shared] - 1)
        bias = float(np.mean(filled[rater, shared] - others)) if shared.any() else None
        without = alpha_of(pairable(np.delete(table, rater, axis=0)), measurement=measurement)
        summaries.append(
            RaterSummary(
                rater=rater,
                ratings=int(given[rater].sum()),
                shared=int(shared.sum()),
                bias=bias,
                bias_standardised=bias / spread if bias is not None and spread > 0 else None,
                alpha_without=without,
                influence=without - alpha if without is not None and alpha is not None else None,
            )
        )
    return tuple(summaries)


def raters_against_oracle(
    tables: Mapping[str, Floats],
    oracle: Mapping[str, Floats],
    *,
    measurement: Measurement | Mapping[str, Measurement],
) -> tuple[OracleRow, ...]:
    """One row a rater: alpha of [rater, oracle] on each criterion that the oracle has, `tables` being all alike.

    `oracle` gives (units,) values with NaN where the oracle has none. Where the oracle is one of the raters, their
    row must be NaN in `tables`, or it agrees with itself. `measurement` is that of all criteria, or of each.
    """
    sizes = {table.shape for table in tables.values()}
    if len(sizes) > 1:
        raise ValueError(f"tables: expected one (raters, units) shape for all criteria, found {sorted(sizes)}")
    raters = next(iter(sizes))[0] if sizes else 0
    rows = []
    for rater in range(raters):
        alphas: dict[str, float | None] = {}
        common: dict[str, int] = {}
        for criterion, table in tables.items():
            if criterion in oracle:
                pair = np.stack([table[rater], oracle[criterion]])
                kind = measurement if isinstance(measurement, str) else measurement[criterion]
                alphas[criterion] = krippendorff_alpha(pair, measurement=kind)
                common[criterion] = int((~np.isnan(pair)).all(axis=0).sum())
        if any(common.values()):
            rows.append(OracleRow(rater, alphas, common))
    return tuple(rows)


def agreement_matrix(
    table: Floats, *, measurement: Measurement, statistic: MatrixStatistic = "alpha"
) -> AgreementMatrix:
    """Agreement of every two raters on the samples that both have rated."""
    check_table(table)
    common = common_units(table).astype(np.intp)
    values = np.full(common.shape, np.nan)
    for a, b in np.argwhere(np.triu(common, 1) >= 2).tolist():
        if statistic == "alpha":
            found = krippendorff_alpha(table[[a, b]], measurement=measurement)
        else:
            found = kappa_of_two(table[a], table[b], weights="quadratic")
        values[a, b] = values[b, a] = np.nan if found is None else found
    return AgreementMatrix(statistic, values, common)


def self_consistency(
    *, rater: Ints, sample: Ints, occasion: Ints, value: Floats, measurement: Measurement
) -> tuple[SelfConsistency, ...]:
    """Every rater with a repeated sample: alpha between occasions (the occasions play the raters). Long form."""
    found = []
    for who in np.unique(rater).tolist():
        mine = rater == who
        _, row = np.unique(occasion[mine], return_inverse=True)
        _, column = np.unique(sample[mine], return_inverse=True)
        table = np.full((int(row.max()) + 1, int(column.max()) + 1), np.nan)
        table[row, column] = value[mine]
        pairs = pairable(table)
        if pairs.units:
            repeated = table[:, pairs.columns]
            equal = float(np.mean(np.nanmax(repeated, axis=0) == np.nanmin(repeated, axis=0)))
            found.append(SelfConsistency(who, alpha_of(pairs, measurement=measurement), pairs.units, equal))
    return tuple(found)
