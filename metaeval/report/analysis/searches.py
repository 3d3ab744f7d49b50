"""Metrics that won a search (best scaling, best k): honest about how many were tried."""

from collections.abc import Sequence
from typing import cast

import numpy as np

from metaeval.report.analysis.estimation import TESTED_AT, Estimation
from metaeval.report.analysis.notes import joined, no_p
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.analysis.words import main_choice
from metaeval.report.naming import level_name, statistic_name
from metaeval.report.results import Cell, Listing
from metaeval.stats.association import STATISTICS, binarise, evaluate_many
from metaeval.stats.design import Design, Floats, Level
from metaeval.stats.significance import leave_one_generator_out, search_p

FALLBACK = "spearman"
COLUMNS = (
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


def search_listing(questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation) -> Listing | None:
    grids = dict.fromkeys(metric.metric.won_search for metric in metrics if metric.metric.won_search)
    rows = [
        _row(grid, question, [metric for metric in metrics if metric.metric.won_search == grid], estimation)
        for grid in grids
        for question in questions
    ]
    note = (
        "The best of several variants is the luckiest too. p: the best member of the whole search after each "
        "permutation of the labels. Left out: the winner is chosen on all generators but one and evaluated on that "
        "one's samples. Members are never ranked among fixed metrics."
    )
    return Listing("searches", "Metrics that won a search", COLUMNS, tuple(rows), note) if rows else None


def searched_at(estimation: Estimation) -> tuple[Level, str, str]:
    """The primary level and statistic where they have a permutation test; else others, and a word on that."""
    named, full = main_choice(estimation)
    statistic = full.partition("@")[0]
    level: Level = "sample" if named == "subsplit" else cast(Level, named)
    if statistic not in TESTED_AT[level]:
        statistic = FALLBACK
    if (level, statistic) == (named, full):
        return level, statistic, ""
    said = f"{statistic_name(full)} {level_name(named)} has no permutation test of a search"
    return level, statistic, f"{said}: {statistic_name(statistic)} {level_name(level)} stands in for it"


def _row(grid: str, question: Question, members: Sequence[Turned], estimation: Estimation) -> tuple[Cell, ...]:
    level, statistic, instead = searched_at(estimation)
    labels = question.labels
    if STATISTICS[statistic].needs == "classes":
        labels = np.full_like(labels, np.nan) if question.cut is None else binarise(labels, question.cut)
    scores = np.stack([metric.values for metric in members])
    mask = np.isfinite(labels) & np.isfinite(scores).all(axis=0)

    def undefined(reason: str) -> tuple[Cell, ...]:
        start = (grid, question.criterion, level, statistic, "", len(members))
        return (*start, None, None, "", None, int(mask.sum()), joined(reason, instead))

    if mask.sum() < 2:
        return undefined(_why_not(question, members, labels))

    def values_of(some: Floats, against: Floats, design: Design) -> Floats:
        # Within the one generator that was left out there is neither a mean of generators nor a whole prompt.
        here = level if len(np.unique(design.generator)) > 1 else "sample"
        found = evaluate_many(some, against, design, statistic=statistic, level=here)
        return np.array([each.values[0] for each in found])

    here = (scores[:, mask], labels[mask], estimation.material.design.take(mask))
    found = evaluate_many(*here, statistic=statistic, level=level)
    values = np.array([each.values[0] for each in found])
    if not np.isfinite(values).any():
        return undefined(found[0].reason or "undefined")
    best = int(np.nanargmax(values))
    resampling = estimation.config.resampling
    test = search_p(
        *here, statistic=statistic, level=level, permutations=max(resampling.permutations, 1), seed=resampling.seed
    )
    left_out = leave_one_generator_out(*here, evaluate=values_of)
    return (
        grid,
        question.criterion,
        level,
        statistic,
        members[best].name,
        len(members),
        float(values[best]),
        test.p if resampling.permutations else None,
        test.method if resampling.permutations and test.p is not None else "",
        left_out.value,
        int(mask.sum()),
        joined(no_p(test.note), left_out.note.replace("undefined: ", "no value left out: "), instead),
    )


def _why_not(question: Question, members: Sequence[Turned], labels: Floats) -> str:
    """Why no two samples have a label and the scores of all members."""
    if np.isnan(labels).all():
        return "undefined: all ratings are equal"
    if any(metric.is_of_sets for metric in members):
        return "undefined: set metric"
    return "undefined: fewer than two rated samples have the scores of all members"
