"""Metrics that won a search (best scaling, best k): honest about how many were tried."""

from collections.abc import Sequence

import numpy as np

from metaeval.report.analysis.estimation import TESTED_AT, Estimation
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.analysis.words import main_choice
from metaeval.report.results import Cell, Listing
from metaeval.stats.association import STATISTICS, binarise, evaluate_many
from metaeval.stats.design import Design, Floats, Level
from metaeval.stats.significance import leave_one_generator_out, search_p

SEARCHED = TESTED_AT["sample"]  # what has a permutation test over all samples


def search_listing(questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation) -> Listing | None:
    grids = dict.fromkeys(metric.metric.won_search for metric in metrics if metric.metric.won_search)
    rows = [
        row
        for grid in grids
        for question in questions
        if (row := _row(grid, question, [metric for metric in metrics if metric.metric.won_search == grid], estimation))
    ]
    columns = (
        "search",
        "criterion",
        "level",
        "statistic",
        "winner",
        "members",
        "value",
        "p",
        "p_method",
        "left_out_value",
        "n",
        "note",
    )
    note = (
        "The best of several variants is the luckiest too. p: the best member of the whole search after each "
        "permutation of the labels. Left out: the winner is chosen on all generators but one and evaluated on that "
        "one. Members are never ranked among fixed metrics."
    )
    return Listing("searches", "Metrics that won a search", columns, tuple(rows), note) if rows else None


def _row(grid: str, question: Question, members: Sequence[Turned], estimation: Estimation) -> tuple[Cell, ...] | None:
    _, statistic = main_choice(estimation)
    statistic = statistic.partition("@")[0]
    statistic = statistic if statistic in SEARCHED else "spearman"
    level: Level = "sample"
    labels = question.labels
    if STATISTICS[statistic].needs == "classes":
        if question.cut is None:
            return None
        labels = binarise(labels, question.cut)
    scores = np.stack([metric.values for metric in members])
    mask = np.isfinite(labels) & np.isfinite(scores).all(axis=0)
    if mask.sum() < 2:
        return None

    def values_of(some: Floats, against: Floats, design: Design) -> Floats:
        found = evaluate_many(some, against, design, statistic=statistic, level=level)
        return np.array([each.values[0] for each in found])

    here = (scores[:, mask], labels[mask], estimation.material.design.take(mask))
    values = values_of(*here)
    if not np.isfinite(values).any():
        return None
    best = int(np.nanargmax(values))
    resampling = estimation.config.resampling
    test = search_p(
        *here, statistic=statistic, level=level, permutations=max(resampling.permutations, 1), seed=resampling.seed
    )
    left_out = leave_one_generator_out(*here, evaluate=values_of)
    note = "; ".join(part for part in (test.note, left_out.note) if part)
    return (
        grid,
        question.criterion,
        level,
        statistic,
        members[best].name,
        len(members),
        float(values[best]),
        test.p if resampling.permutations else None,
        test.method if resampling.permutations else "",
        left_out.value,
        int(mask.sum()),
        note,
    )
