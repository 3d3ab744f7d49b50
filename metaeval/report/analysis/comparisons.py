"""Does one metric follow people better than another? Every pair, on the samples both have."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.notes import joined
from metaeval.report.analysis.progress import Progress
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.config import AnalysisConfig
from metaeval.report.results import Comparison, Correlation
from metaeval.stats.association import STATISTICS, binarise, evaluate, evaluate_many
from metaeval.stats.design import Floats, Level
from metaeval.stats.significance import (
    PairedTest,
    benjamini_hochberg,
    compare_metrics,
    holm,
    paired_bootstrap,
    rank_clusters,
    tie_structures_differ,
)

Pair = tuple[int, int]


@dataclass(frozen=True)
class Contest:
    """One criterion, level and statistic: the family within which Holm corrects."""

    question: Question
    level: Level
    statistic: str
    labels: Floats


def comparison_rows(
    question: Question, metrics: Sequence[Turned], estimation: Estimation, progress: Progress
) -> list[Comparison]:
    """Metrics that won a search are never ranked among fixed ones; nor is a number of whole generators."""
    fixed = [metric for metric in metrics if metric.is_of_samples and not metric.metric.won_search]
    rows: list[Comparison] = []
    for level, statistic in contests(estimation.config):
        progress.step(f"{question.criterion}, {level} level: comparing metrics by {statistic}")
        contest = _contest(question, level, statistic)
        if contest is not None and len(fixed) > 1:
            rows += _corrected(_compare(contest, fixed, estimation))
    return rows


def contests(config: AnalysisConfig) -> list[tuple[Level, str]]:
    """Where metrics are compared, of the levels that the analysis has; what was announced is never left out."""
    tests, primary = config.tests, config.primary
    found = [(level, name) for level in tests.levels if level in config.levels.which for name in tests.statistics]
    if primary.level and primary.comparisons and (primary.level, primary.statistic) not in found:
        found.append((primary.level, primary.statistic))
    return found


def _contest(question: Question, level: Level, statistic: str) -> Contest | None:
    if STATISTICS[statistic].needs == "values":
        return Contest(question, level, statistic, question.labels)
    if level == "generator" or question.cut is None:
        return None  # the mean of a generator is neither 0 nor 1
    return Contest(question, level, statistic, binarise(question.labels, question.cut))


def _compare(contest: Contest, metrics: Sequence[Turned], estimation: Estimation) -> list[Comparison]:
    rated = ~np.isnan(contest.labels)
    scores = np.stack([metric.values[rated] for metric in metrics])
    by_swaps, by_draws = _kinds(scores, contest.level)
    resampling = estimation.config.resampling
    tests = compare_metrics(
        scores,
        contest.labels[rated],
        estimation.material.design.take(rated),
        statistic=contest.statistic,
        level=contest.level,
        pairs=by_swaps,
        unit="prompt",
        permutations=max(resampling.permutations, 1),
        seed=resampling.seed,
        stop_early=resampling.early_stopping,
    )
    found = dict(zip(by_swaps, tests, strict=True))
    found |= {pair: _by_draws(contest, scores, pair, estimation) for pair in by_draws}
    if not resampling.permutations:
        found = {pair: _untested(test) for pair, test in found.items()}
    return [_row(contest, metrics, pair, found[pair], estimation) for pair in sorted(found)]


def _without_draws(pair: Pair, points: Sequence[float], n: int) -> PairedTest:
    """The difference alone, where no replicates were asked for."""
    a, b = (float(point) for point in points)
    if not np.isfinite(a - b):
        return PairedTest(*pair, None, None, None, None, "", 0, n, "undefined: constant scores or labels")
    return PairedTest(*pair, a, b, a - b, None, "", 0, n, "no p: 0 replicates were asked for")


def _untested(test: PairedTest) -> PairedTest:
    """The difference alone, where no permutations were asked for."""
    note = joined(test.note, "" if test.p is None else "no p: 0 permutations were asked for")
    return replace(test, p=None, method="", permutations=0, note=note)


def _kinds(scores: Floats, level: Level) -> tuple[list[Pair], list[Pair]]:
    """Swapping makes no sense between scores with few and with many values: such pairs are compared by draws.

    Of generators' means, which have no ties to speak of, every pair can be swapped.
    """
    swaps: list[Pair] = []
    draws: list[Pair] = []
    for a, b in combinations(range(len(scores)), 2):
        common = ~np.isnan(scores[a]) & ~np.isnan(scores[b])
        differ = level != "generator" and tie_structures_differ(scores[a][common], scores[b][common])
        (draws if differ else swaps).append((a, b))
    return swaps, draws


def _by_draws(contest: Contest, scores: Floats, pair: Pair, estimation: Estimation) -> PairedTest:
    rated = ~np.isnan(contest.labels)
    common = np.isfinite(scores[pair[0]]) & np.isfinite(scores[pair[1]])
    labels = contest.labels[rated][common]
    design = estimation.material.design.take(rated).take(common)
    weights = estimation.prompts.take(rated).take(common)
    both = scores[list(pair)][:, common]
    points = [
        evaluate(each, labels, design, statistic=contest.statistic, level=contest.level).values[0] for each in both
    ]
    if not estimation.config.resampling.replicates:
        return _without_draws(pair, points, len(labels))
    draws = evaluate_many(both, labels, design, statistic=contest.statistic, level=contest.level, weights=weights)
    return paired_bootstrap(
        draws[0].values,
        draws[1].values,
        points=(float(points[0]), float(points[1])),
        n=len(labels),
        level=estimation.config.resampling.confidence,
    )


def _row(
    contest: Contest, metrics: Sequence[Turned], pair: Pair, test: PairedTest, estimation: Estimation
) -> Comparison:
    a, b = (metrics[index].name for index in pair)
    criterion = contest.question.criterion
    named = estimation.config.is_confirmatory_comparison(
        a, b, criterion=criterion, level=contest.level, statistic=contest.statistic
    )
    return Comparison(
        criterion=criterion,
        level=contest.level,
        statistic=contest.statistic,
        metric_a=a,
        metric_b=b,
        value_a=test.value_a,
        value_b=test.value_b,
        difference=test.difference,
        ci_low=test.ci_low,
        ci_high=test.ci_high,
        p=test.p,
        p_method=test.method if test.p is not None else "",
        unit="prompt",
        n=test.n,
        permutations=test.permutations,
        role="confirmatory" if named else "exploratory",
        note=test.note,
    )


def _corrected(rows: Sequence[Comparison]) -> list[Comparison]:
    """Holm and Benjamini-Hochberg over all pairs of one criterion, level and statistic.

    What was not announced must not weaken what was: announced pairs say in their note what Holm over them alone gives.
    """
    tested = [index for index, row in enumerate(rows) if row.p is not None]
    announced = [index for index in tested if rows[index].role == "confirmatory"]
    corrected = list(rows)
    p = _p_of(rows, tested)
    for index, by_holm, by_bh in zip(tested, holm(p), benjamini_hochberg(p), strict=True):
        corrected[index] = replace(rows[index], p_holm=float(by_holm), p_bh=float(by_bh))
    if 0 < len(announced) < len(tested):
        for index, by_holm in zip(announced, holm(_p_of(rows, announced)), strict=True):
            note = f"p after Holm over the {len(announced)} announced: {float(by_holm)!r}"
            corrected[index] = replace(corrected[index], note=joined(corrected[index].note, note))
    return corrected


def _p_of(rows: Sequence[Comparison], members: Sequence[int]) -> Floats:
    return np.array([rows[index].p for index in members], dtype=np.float64)


def mark_clusters(
    correlations: Sequence[Correlation], comparisons: Sequence[Comparison], *, alpha: float
) -> list[Correlation]:
    """Rank clusters within each criterion, level and statistic that was compared."""
    families: dict[tuple[str, str, str], dict[Pair, float]] = defaultdict(dict)
    index = {(row.criterion, row.level, row.statistic, row.metric): i for i, row in enumerate(correlations)}
    for row in comparisons:
        key = (row.criterion, row.level, row.statistic)
        if row.p_holm is not None:
            a, b = index[*key, row.metric_a], index[*key, row.metric_b]
            families[key][a, b] = row.p_holm if _agrees(row, correlations[a], correlations[b]) else 1.0
    marked = list(correlations)
    for pairs in families.values():
        members = sorted({member for pair in pairs for member in pair})
        values = [correlations[member].value for member in members]
        p = np.ones((len(members), len(members)))
        for (a, b), value in pairs.items():
            i, j = members.index(a), members.index(b)
            p[i, j] = p[j, i] = value
        for member, cluster in zip(members, rank_clusters(values, p, alpha=alpha), strict=True):
            marked[member] = replace(correlations[member], cluster=cluster)
    return marked


def _agrees(row: Comparison, a: Correlation, b: Correlation) -> bool:
    """Whether the pair differs on common samples as it does in the table.

    Where a metric lacks scores its value in the table is of other samples than its tests: a difference that turns
    round between the two tells nothing about the order of the table.
    """
    if row.difference is None or a.value is None or b.value is None:
        return False
    return row.difference * (a.value - b.value) > 0
