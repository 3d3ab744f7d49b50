"""The whole analysis, in order. Pure: arrays in, a Finding out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from metaeval.report.analysis.agreement import agreement_rows
from metaeval.report.analysis.comparisons import comparison_rows, contests, mark_clusters
from metaeval.report.analysis.correlations import OF_LEVEL, correlation_rows, mark_roles
from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.extras import EXTRAS, extra_listings
from metaeval.report.analysis.methods import methods
from metaeval.report.analysis.names import check_cut, check_names
from metaeval.report.analysis.progress import Progress, Report
from metaeval.report.analysis.questions import Question, questions
from metaeval.report.analysis.sets import SetMetric, set_rows
from metaeval.report.analysis.subsplits import subsplit_rows
from metaeval.report.analysis.turned import Turned, turn_all
from metaeval.report.analysis.words import main_choice, summary, warnings
from metaeval.report.config import AnalysisConfig, config_hash
from metaeval.report.filters import FilterStep
from metaeval.report.material import Material
from metaeval.report.results import Finding, MetricFacts
from metaeval.stats.association import find_noise
from metaeval.stats.design import Floats


@dataclass(frozen=True)
class Outcome:
    """What the files are written from."""

    finding: Finding
    material: Material
    labels: Mapping[str, Floats]


def analyse(
    steps: Sequence[FilterStep],
    config: AnalysisConfig,
    *,
    set_metrics: Sequence[SetMetric] = (),
    report: Report | None = None,
    share: float = 1.0,
) -> Outcome:
    """Analyse the last of `steps`; the earlier ones are what it was before each filter.

    `set_metrics` come with their functions and are re-evaluated on every set; the files have scores only.
    """
    check_names(config)
    material = steps[-1].material
    estimation = Estimation(material, config)
    asked, metrics = questions(material, config), turn_all(material)
    check_cut(config, asked)
    progress = Progress(_steps(asked, config), report, share)
    agreement = []
    for question in asked:
        progress.step(f"{question.criterion}: agreement")
        agreement += agreement_rows(question, estimation)
    correlations, comparisons = [], []
    for question in asked:
        correlations += correlation_rows(question, metrics, estimation, progress)
        correlations += subsplit_rows(question, metrics, estimation, progress)
        correlations += set_rows(question, set_metrics, estimation)
        comparisons += comparison_rows(question, metrics, estimation, progress)
    correlations = mark_roles(correlations, metrics, estimation)
    correlations = mark_clusters(correlations, comparisons, alpha=config.tests.alpha)
    listings = extra_listings(steps, asked, metrics, estimation, progress)
    level, statistic = main_choice(estimation)
    criteria = sorted((question.criterion for question in asked), key=lambda name: name != config.primary.criterion)
    finding = Finding(
        summary=summary(correlations, comparisons, metrics, criteria, estimation),
        warnings=tuple(
            warnings(
                questions=asked,
                agreement=agreement,
                correlations=correlations,
                comparisons=comparisons,
                metrics=metrics,
                estimation=estimation,
            )
        ),
        methods=methods(
            asked,
            metrics,
            estimation,
            agreement=agreement,
            correlations=correlations,
            comparisons=comparisons,
        ),
        agreement=tuple(agreement),
        correlations=tuple(correlations),
        comparisons=tuple(comparisons),
        listings=tuple(listings),
        metrics=tuple(_facts(metric, asked) for metric in metrics),
        primary={"criterion": criteria[0], "level": level, "statistic": statistic},
        settings=config.canonical(),
        settings_hash=config_hash(config),
        seed=config.resampling.seed,
    )
    return Outcome(finding, material, {question.criterion: question.labels for question in asked})


def _steps(asked: Sequence[Question], config: AnalysisConfig) -> int:
    of_levels = sum(len(OF_LEVEL.get(level, ("subsplit",))) for level in config.levels.which)
    tests = len(contests(config))
    return len(asked) * (1 + of_levels + tests) + len(EXTRAS)


def _facts(metric: Turned, asked: Sequence[Question]) -> MetricFacts:
    labelled = np.any([question.rated for question in asked], axis=0)
    scored = int((labelled & ~np.isnan(metric.metric.values)).sum())
    notes = [*metric.metric.notes, *([metric.note] if metric.note else [])]
    if metric.metric.won_search:
        notes.append(f"member of the search {metric.metric.won_search}: not ranked")
    if noise := find_noise(metric.as_read).values:
        notes.append(f"{noise} distinct scores differ from another by float noise only")
    return MetricFacts(
        name=metric.name,
        direction=metric.metric.direction,
        is_reference_based=metric.metric.is_reference_based,
        scored=scored,
        missing=int(labelled.sum()) - scored,
        notes=tuple(notes),
        search=metric.metric.won_search,
    )
