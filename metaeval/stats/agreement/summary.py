"""All agreement statistics of one criterion, each with its bootstrap replicates over prompts where those are cheap."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from metaeval.stats.agreement.alpha import MEASUREMENTS, Measurement, alpha_of, check_measurement
from metaeval.stats.agreement.alpha_bootstrap import replicates_of
from metaeval.stats.agreement.categorical_bootstrap import categorical_replicates
from metaeval.stats.agreement.crossing import largest_complete_block
from metaeval.stats.agreement.grouped import check_groups
from metaeval.stats.agreement.gwet import gwet_ac1, gwet_ac2
from metaeval.stats.agreement.icc import icc_one_way, icc_two_way, one_way_replicates, two_way_replicates
from metaeval.stats.agreement.kappa import KappaWeights, cohen_kappa, fleiss_kappa
from metaeval.stats.agreement.pairable import Pairable, check_table, pairable
from metaeval.stats.agreement.percent import percent_agreement
from metaeval.stats.design import Floats, Ints, Weights

STATISTICS: Final = (
    "alpha_nominal",
    "alpha_ordinal",
    "alpha_interval",
    "alpha_ratio",
    "cohen_kappa",
    "cohen_kappa_linear",
    "cohen_kappa_quadratic",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "percent_agreement",
    "icc_1_1",
    "icc_1_k",
    "icc_2_1",
    "icc_2_k",
    "icc_3_1",
    "icc_3_k",
)
# What means something for values without an order.
NOMINAL: Final = ("alpha_nominal", "cohen_kappa", "fleiss_kappa", "gwet_ac1", "percent_agreement")
# The ratio difference is summed over all pairs of distinct values in every replicate: beyond this it takes minutes.
MOST_RATIO_VALUES: Final = 3_000
KAPPAS: Final[dict[str, KappaWeights]] = {
    "cohen_kappa": "none",
    "cohen_kappa_linear": "linear",
    "cohen_kappa_quadratic": "quadratic",
}


@dataclass(frozen=True)
class AgreementEstimate:
    """One statistic of one criterion. `replicates` is (B,), NaN where undefined in a replicate; None: not computed."""

    statistic: str
    value: float | None
    replicates: Floats | None
    n_units: int
    n_raters: int
    note: str


@dataclass(frozen=True)
class _Subject:
    """The ratings, and the draws of the groups that its units are in."""

    table: Floats
    pairs: Pairable
    weights: Weights | None
    note: str  # what was left out

    @property
    def group(self) -> Ints:
        assert self.weights is not None
        return self.weights.unit_of[self.pairs.columns]

    def estimate(self, statistic: str, value: float | None, replicates: Floats | None, note: str) -> AgreementEstimate:
        notes = "; ".join(part for part in (note, self.note) if part)
        drawn = None if value is None else replicates
        return AgreementEstimate(statistic, value, drawn, self.pairs.units, self.pairs.raters, notes)


def agreement_summary(
    table: Floats, *, prompt_of: Ints, weights: Weights | None, scale_is_nominal: bool = False
) -> list[AgreementEstimate]:
    """Every statistic of a (raters, units) table, in the order of STATISTICS; on a nominal scale only those for it.

    `weights` are the draws for the bootstrap (their `unit_of` has one entry a unit); None computes no replicates.
    """
    check_table(table)
    if prompt_of.shape != (table.shape[1],):
        raise ValueError(f"prompt_of: expected one prompt for each of {table.shape[1]} units, found {prompt_of.shape}")
    if weights is not None:
        check_groups(weights.counts, weights.unit_of, table.shape[1])
    pairs = pairable(table)
    subject = _Subject(table, pairs, weights, _left_out(table, pairs, prompt_of))
    found = [
        *(_alpha(subject, measurement) for measurement in MEASUREMENTS),
        *(_cohen(subject, statistic) for statistic in KAPPAS),
        *_categorical(subject),
        *_icc_one_way(subject),
        *_icc_two_way(subject),
    ]
    wanted = NOMINAL if scale_is_nominal else STATISTICS
    return [estimate for estimate in found if estimate.statistic in wanted]


def _left_out(table: Floats, pairs: Pairable, prompt_of: Ints) -> str:
    rated = int((~np.isnan(table)).any(axis=0).sum())
    if pairs.units == table.shape[1]:
        return ""
    prompts = len(np.unique(prompt_of[pairs.columns]))
    return (
        f"{pairs.units} of {table.shape[1]} samples have two ratings ({table.shape[1] - rated} have none), "
        f"on {prompts} of {len(np.unique(prompt_of))} prompts"
    )


def _reason(pairs: Pairable) -> str:
    """Why a statistic of agreement is undefined."""
    return "undefined: constant ratings" if pairs.units else "undefined: no sample has two ratings"


def _alpha(subject: _Subject, measurement: Measurement) -> AgreementEstimate:
    check_measurement(measurement)
    statistic, pairs = f"alpha_{measurement}", subject.pairs
    if measurement == "ratio" and pairs.size and pairs.domain[0] < 0:
        return subject.estimate(statistic, None, None, "undefined: a ratio scale has no values below 0")
    value = alpha_of(pairs, measurement=measurement)
    if value is None:
        return subject.estimate(statistic, None, None, _reason(pairs))
    if subject.weights is None:
        return subject.estimate(statistic, value, None, "")
    if measurement == "ratio" and len(pairs.domain) > MOST_RATIO_VALUES:
        note = f"no interval: more than {MOST_RATIO_VALUES} distinct values"
        return subject.estimate(statistic, value, None, note)
    replicates = replicates_of(pairs, subject.weights.counts, subject.group, measurement=measurement)
    return subject.estimate(statistic, value, replicates, "")


def _cohen(subject: _Subject, statistic: str) -> AgreementEstimate:
    found = cohen_kappa(subject.table, weights=KAPPAS[statistic])
    return subject.estimate(statistic, found.value, None, found.note)


def _categorical(subject: _Subject) -> list[AgreementEstimate]:
    values = {
        "fleiss_kappa": fleiss_kappa(subject.table),
        "gwet_ac1": gwet_ac1(subject.table),
        "gwet_ac2": gwet_ac2(subject.table, weights="quadratic"),
        "percent_agreement": percent_agreement(subject.table),
    }
    replicates = {} if subject.weights is None else categorical_replicates(subject.table, subject.weights)
    notes = {"gwet_ac2": "quadratic weights"}
    return [
        subject.estimate(
            statistic,
            value,
            replicates.get(statistic),
            notes.get(statistic, "") if value is not None else _reason(subject.pairs),
        )
        for statistic, value in values.items()
    ]


def _icc_one_way(subject: _Subject) -> list[AgreementEstimate]:
    single, mean = icc_one_way(subject.table)
    replicates: tuple[Floats | None, Floats | None] = (None, None)
    if subject.weights is not None and single.value is not None:
        replicates = one_way_replicates(subject.pairs, subject.weights.counts, subject.group)[:2]
    return [
        subject.estimate(found.statistic, found.value, drawn, found.note)
        for found, drawn in zip((single, mean), replicates, strict=True)
    ]


def _icc_two_way(subject: _Subject) -> list[AgreementEstimate]:
    block = largest_complete_block(subject.table)
    drawn: dict[str, Floats] = {}
    if subject.weights is not None and not block.refusal:
        group = subject.weights.unit_of[block.units]
        drawn = two_way_replicates(block.table(subject.table), subject.weights.counts, group)
    return [
        AgreementEstimate(
            found.statistic,
            found.value,
            drawn.get(found.statistic) if found.value is not None else None,
            found.n_units,
            found.n_raters,
            found.note,
        )
        for found in icc_two_way(subject.table)
    ]
