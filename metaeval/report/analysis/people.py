"""People beside metrics: the human rows, the ceiling, judges, and the criteria among themselves."""

from collections.abc import Iterator, Sequence

import numpy as np

from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.assembly.long import turned
from metaeval.report.results import Cell, Listing
from metaeval.stats.design import Floats, Level
from metaeval.stats.people import (
    Estimate,
    corrected_pearson,
    criteria_correlations,
    held_out_rows,
    judges_against_people,
    label_ceiling,
    users_against_oracle,
)

HUMAN = "a held-out rater"
HUMAN_STATISTICS = ("pearson", "spearman", "kendall_b", "auc_roc")
HUMAN_LEVELS: tuple[Level, ...] = ("sample", "prompt", "generator")
USER_STATISTICS = ("auc_roc", "average_precision", "aupr_trapezoid", "ks", "kendall_b", "spearman", "pearson")
INTERVAL = ("ci_low", "ci_high", "ci_method", "ci_unit", "n", "note")


def _cells(estimate: Estimate) -> tuple[Cell, ...]:
    return (estimate.ci_low, estimate.ci_high, estimate.ci_method, estimate.ci_unit, estimate.n, estimate.note)


def _scores(metrics: Sequence[Turned]) -> Floats:
    return np.stack([metric.values for metric in metrics]) if metrics else np.empty((0, 0))


def _known(question: Question) -> Floats:
    """The ratings of the samples that have a label."""
    return np.where(question.rated, question.table, np.nan)


def human_rows(questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation) -> Listing | None:
    """One rating of each sample against the mean of the others, and the metrics on the same reduced means."""
    fixed = [metric for metric in metrics if metric.is_of_samples]
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        if question.oracle is not None:
            continue  # then each user has a row of their own
        statistics = HUMAN_STATISTICS if question.cut is not None else HUMAN_STATISTICS[:-1]
        for level in HUMAN_LEVELS:
            for row in held_out_rows(
                _known(question),
                estimation.material.design,
                statistics=statistics if level != "generator" else HUMAN_STATISTICS[:-1],
                levels=(level,),
                scores=_scores(fixed) if fixed else None,
                cut=question.cut,
                seed=estimation.config.resampling.seed,
                confidence=estimation.config.resampling.confidence,
            ):
                name = HUMAN if row.metric is None else fixed[row.metric].name
                rows.append(
                    (
                        question.criterion,
                        name,
                        row.level,
                        row.statistic,
                        row.estimate.value,
                        row.low,
                        row.high,
                        row.repetitions,
                        row.dropped,
                        *_cells(row.estimate),
                    )
                )
    columns = (
        "criterion",
        "who",
        "level",
        "statistic",
        "value",
        "lowest",
        "highest",
        "repetitions",
        "dropped",
        *INTERVAL,
    )
    note = (
        "A rating drawn at random is held out on each sample and compared with the mean of the others, many times; "
        "metrics are compared with the same reduced means, so their values differ from the main tables. Lowest and "
        "highest: over the repetitions. Dropped: samples with fewer than two ratings."
    )
    return Listing("human_rows", "Metrics beside a rater", columns, tuple(rows), note) if rows else None


def user_rows(questions: Sequence[Question], estimation: Estimation) -> Listing | None:
    """Each rater as if they were a metric, where there is an oracle (VeMo's Table 3)."""
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        if question.oracle is None:
            continue
        statistics = USER_STATISTICS if question.cut is not None else USER_STATISTICS[4:]
        for row in users_against_oracle(
            question.table,
            estimation.material.design,
            oracle=question.oracle,
            statistics=statistics,
            levels=("sample",),
            cut=question.cut,
            confidence=estimation.config.resampling.confidence,
        ):
            rows.append(
                (
                    question.criterion,
                    question.raters[row.rater],
                    row.level,
                    row.statistic,
                    row.estimate.value,
                    *_cells(row.estimate),
                )
            )
    columns = ("criterion", "rater", "level", "statistic", "value", *INTERVAL)
    note = "Each rater's own ratings against the oracle's, with the statistics of a metric."
    return (
        Listing("users_against_oracle", "Each rater as if they were a metric", columns, tuple(rows), note)
        if rows
        else None
    )


def ceilings(questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation) -> Listing | None:
    """How high Pearson's r could come with labels of this reliability, and each metric's r corrected for it."""
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        if question.oracle is not None or estimation.config.labels.aggregation != "mean":
            continue  # the reliability is that of the mean of raters
        rows += _ceiling_rows(question, metrics, estimation)
    columns = ("criterion", "level", "quantity", "metric", "found", "value", *INTERVAL)
    note = (
        "Reliability of the mean rating and its root, which an errorless metric's Pearson would reach; and each "
        "metric's Pearson divided by it (Spearman 1904). Values over 1 are shown as they are."
    )
    return Listing("ceiling", "The ceiling that the raters set", columns, tuple(rows), note) if rows else None


def _ceiling_rows(question: Question, metrics: Sequence[Turned], estimation: Estimation) -> Iterator[tuple[Cell, ...]]:
    table, design = _known(question), estimation.material.design
    resampling = estimation.config.resampling
    draws = estimation.prompts if resampling.replicates else None
    for level in ("sample", "generator"):
        ceiling = label_ceiling(table, design, level=level, weights=draws, confidence=resampling.confidence)
        for quantity, estimate in (("reliability", ceiling.reliability), ("ceiling", ceiling.ceiling)):
            yield (question.criterion, level, quantity, "", None, estimate.value, *_cells(estimate))
        for metric in metrics:
            if not metric.is_of_samples:
                continue
            found = corrected_pearson(
                metric.values, table, design, level=level, weights=draws, confidence=resampling.confidence
            )
            corrected = found.corrected
            yield (
                question.criterion,
                level,
                "corrected_pearson",
                metric.name,
                found.found,
                corrected.value,
                *_cells(corrected),
            )


def criteria_listing(questions: Sequence[Question], estimation: Estimation) -> Listing | None:
    if len(questions) < 2:
        return None
    tables = {question.criterion: _known(question) for question in questions}
    rows = tuple(
        (
            row.criterion_a,
            row.criterion_b,
            row.level,
            row.statistic,
            row.estimate.value,
            row.raters,
            *_cells(row.estimate),
        )
        for row in criteria_correlations(
            tables,
            estimation.material.design,
            labels={question.criterion: question.labels for question in questions},
            confidence=estimation.config.resampling.confidence,
        )
    )
    columns = ("criterion_a", "criterion_b", "level", "statistic", "value", "raters", *INTERVAL)
    note = (
        "Level rating: within each rater's own ratings, averaged over raters; above the level sample it hints at halo, "
        "a motion that looks good being called faithful too."
    )
    return Listing("criteria", "The criteria among themselves", columns, rows, note)


def judge_listing(questions: Sequence[Question], estimation: Estimation) -> Listing | None:
    """Judges that answer on the raters' scale (T2MBench's Table 2)."""
    config, material = estimation.config, estimation.material
    values = {metric.name: metric.values for metric in material.metrics}
    rows: list[tuple[Cell, ...]] = []
    for question in questions:
        mine = {name: judge for name, judge in config.judges.items() if judge.criterion == question.criterion}
        if not mine:
            continue
        scale = _scale(question, estimation)
        facts = material.criteria[question.criterion]
        answers = {
            judge.judge or name: turned(_on_scale(values[name], judge.range, scale), facts)
            for name, judge in mine.items()
        }
        for row in judges_against_people(
            answers,
            _known(question),
            material.design,
            criterion=question.criterion,
            scale=scale,
            labels=_labels_on_scale(question, estimation),
            is_oracle=question.oracle is not None,
            confidence=config.resampling.confidence,
        ):
            rows.append(
                (
                    row.criterion,
                    row.judge,
                    row.difference.value,
                    row.scaled,
                    row.on_shared,
                    row.shared,
                    row.failures,
                    row.bias,
                    *_cells(row.difference),
                )
            )
    columns = ("criterion", "judge", "difference", "scaled", "on_shared", "shared", "failures", "bias", *INTERVAL)
    note = (
        "Mean absolute difference from the label, unrounded; scaled by the range of the scale; on the samples that "
        "every judge answered; failures are labelled samples without an answer. Beside them a judge that always "
        "answers the mean of the other samples, and each rater against the mean of the others (or the oracle). Where "
        "a low rating is good, labels and answers are turned on their scale alike."
    )
    return Listing("judges", "Judges against people", columns, tuple(rows), note) if rows else None


def _labels_on_scale(question: Question, estimation: Estimation) -> Floats | None:
    """None for the raters' means, where labels are z-scores: no judge answers in those."""
    if question.oracle is None and estimation.config.labels.aggregation == "standardised_mean":
        return None
    return question.labels


def _scale(question: Question, estimation: Estimation) -> tuple[float, float]:
    scale = estimation.config.criterion(question.criterion).scale
    if scale is not None:
        return scale.low, scale.high
    return float(np.nanmin(question.table)), float(np.nanmax(question.table))


def _on_scale(answers: Floats, given: tuple[float, float] | None, scale: tuple[float, float]) -> Floats:
    if given is None:
        return answers
    return scale[0] + (answers - given[0]) * (scale[1] - scale[0]) / (given[1] - given[0])
