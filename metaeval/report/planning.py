"""`python -m metaeval plan`: how large a study must be, from the files of a pilot."""

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from metaeval.report.analysis.questions import Question, questions
from metaeval.report.analysis.turned import Turned, turn_all
from metaeval.report.assemble import assemble
from metaeval.report.config import AnalysisConfig
from metaeval.report.inputs import InputError, read_ratings, read_scores
from metaeval.stats.design import Level
from metaeval.stats.power import Pay, Plan, Size, plan_study


def plan_from_files(
    ratings: Path,
    scores: Path,
    config: AnalysisConfig,
    *,
    metrics: Sequence[str],
    criterion: str | None,
    width: float | None,
    power: float,
    statistic: str,
    level: Level,
    sizes: Sequence[Sequence[int]],
    pay: Pay,
    studies: int,
) -> Plan:
    """Two metrics are to be told apart; one is to get an interval no wider than `width`.

    `sizes` are the numbers of prompts, generators and raters to try; an empty one stays as in the pilot.
    """
    if len(metrics) != (2 if width is None else 1):
        expected = "two metrics to tell apart" if width is None else "one metric, for a width is given"
        raise InputError(f"--metrics: expected {expected}, found {len(metrics)}")
    material = assemble(read_ratings(ratings), read_scores(scores), config)
    question = _named(questions(material, config), criterion)
    chosen = [_metric(turn_all(material), name) for name in metrics]
    values = np.stack([metric.values for metric in chosen])
    usable = question.rated & np.isfinite(values).all(axis=0)
    if not usable.any():
        raise InputError(f"{scores.name}: no rated sample has scores of {' and '.join(metrics)}")
    try:
        return plan_study(
            question.table[:, usable],
            values[:, usable],
            material.design.take(usable),
            aim="tell_apart" if width is None else "width",
            target=power if width is None else width,
            statistic=statistic,
            level=level,
            cut=question.cut,
            sizes=_sizes(sizes, len(np.unique(material.design.generator[usable]))),
            pay=pay,
            studies=studies,
            seed=config.resampling.seed,
        )
    except ValueError as error:
        raise InputError(str(error)) from None


def _named(found: Sequence[Question], criterion: str | None) -> Question:
    names = [question.criterion for question in found]
    if criterion is None and len(names) > 1:
        raise InputError(f"--criterion: expected one of {', '.join(names)}, found nothing")
    if criterion is not None and criterion not in names:
        raise InputError(f"--criterion: expected one of {', '.join(names)}, found {criterion!r}")
    return found[0 if criterion is None else names.index(criterion)]


def _metric(found: Sequence[Turned], name: str) -> Turned:
    for metric in found:
        if metric.name == name:
            return metric
    raise InputError(f"--metrics: expected one of {', '.join(metric.name for metric in found)}, found {name!r}")


def _sizes(sizes: Sequence[Sequence[int]], generators: int) -> list[Size]:
    prompts, of_generators, raters = sizes
    tried = product(prompts or (50, 100, 200, 400), of_generators or (generators,), raters or (1, 3, 5))
    return [Size(*size) for size in tried]
