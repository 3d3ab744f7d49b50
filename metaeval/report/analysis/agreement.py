"""How well people agree: rows of tables/agreement.csv."""

import numpy as np

from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.intervals import interval_of
from metaeval.report.analysis.notes import joined, no_interval
from metaeval.report.analysis.questions import Question
from metaeval.report.results import Agreement
from metaeval.stats.agreement import (
    AgreementEstimate,
    Measurement,
    agreement_summary,
    alpha_over_raters,
    krippendorff_alpha,
)
from metaeval.stats.design import Floats
from metaeval.stats.resampling import Interval

MEASUREMENTS: tuple[Measurement, ...] = ("nominal", "ordinal", "interval")


def agreement_rows(question: Question, estimation: Estimation) -> list[Agreement]:
    """Over prompts for every statistic; over raters for alpha."""
    rated = ~np.isnan(question.labels)  # the samples that metrics are held against, no others
    table = question.table[:, rated]
    table = table[~np.isnan(table).all(axis=1)]
    prompts = estimation.material.design.prompt[rated]
    nominal = question.measurement == "nominal"
    points, draws, left_out = (
        agreement_summary(table, prompt_of=prompts, weights=weights, scale_is_nominal=nominal)
        for weights in (None, estimation.prompts.take(rated), estimation.prompts_left_out.take(rated))
    )
    rows = [
        _row(question.criterion, point, _interval(point, drawn, without, estimation))
        for point, drawn, without in zip(points, draws, left_out, strict=True)
    ]
    return rows + _over_raters(question, table, estimation)


def _interval(
    point: AgreementEstimate, drawn: AgreementEstimate, without: AgreementEstimate, estimation: Estimation
) -> Interval:
    if point.value is None or drawn.replicates is None or not estimation.config.resampling.replicates:
        return Interval(None, None, "")
    resampling = estimation.config.resampling
    return interval_of(
        point.value,
        drawn.replicates,
        without.replicates,
        method=resampling.interval,
        confidence=resampling.confidence,
        statistic=point.statistic,
        level="sample",
        units=estimation.prompts.counts.shape[1],
    )


def _row(criterion: str, point: AgreementEstimate, interval: Interval) -> Agreement:
    return Agreement(
        criterion=criterion,
        statistic=point.statistic,
        value=point.value,
        n_units=point.n_units,
        n_raters=point.n_raters,
        ci_low=interval.low,
        ci_high=interval.high,
        ci_method=interval.method if interval.low is not None else "",
        ci_unit="prompt" if interval.low is not None else "",
        note=joined(point.note, no_interval(interval.note)),
    )


def _over_raters(question: Question, table: Floats, estimation: Estimation) -> list[Agreement]:
    """The same alphas with what another set of raters might have given: a second row each, unit rater."""
    resampling = estimation.config.resampling
    rows = []
    for measurement in MEASUREMENTS[:1] if question.measurement == "nominal" else MEASUREMENTS:
        value = krippendorff_alpha(table, measurement=measurement)
        over = alpha_over_raters(
            table,
            measurement=measurement,
            replicates=resampling.replicates,
            seed=resampling.seed,
            confidence=resampling.confidence,
        )
        rows.append(
            Agreement(
                criterion=question.criterion,
                statistic=f"alpha_{measurement}_over_raters",
                value=value,
                n_units=int((~np.isnan(table)).any(axis=0).sum()),
                n_raters=over.raters,
                ci_low=over.low,
                ci_high=over.high,
                ci_method=over.method if over.low is not None else "",
                ci_unit="rater" if over.low is not None else "",
                note=over.note,
            )
        )
    return rows
