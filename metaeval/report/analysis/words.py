"""The answer in words, and what a reader has to be warned of."""

from collections.abc import Iterator, Sequence

from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.naming import level_name, statistic_name, unit_name
from metaeval.report.results import Agreement, Comparison, Correlation
from metaeval.stats.significance import too_few_permutations

MAIN = "spearman"
LOW_ALPHA = 0.667  # Krippendorff (2004): below it, no conclusions
# What a metric gets that has nothing to do with people; where it depends on the data, the note has it.
CHANCE = {"auc_roc": 0.5, "pearson": 0.0, "spearman": 0.0, "kendall_b": 0.0, "kendall_c": 0.0, "somers_d": 0.0}


def main_choice(estimation: Estimation) -> tuple[str, str]:
    """The level and statistic that the summary speaks of: the announced ones, else Spearman over samples."""
    primary = estimation.config.primary
    return (primary.level or estimation.levels[0], primary.statistic or MAIN)


def summary(
    correlations: Sequence[Correlation],
    comparisons: Sequence[Comparison],
    metrics: Sequence[Turned],
    criteria: Sequence[str],
    estimation: Estimation,
) -> str:
    """One line a criterion."""
    level, statistic = main_choice(estimation)
    levels = [level, *(each for each in estimation.levels if each != level)]
    fixed = _fixed(metrics, correlations)
    alpha = estimation.config.tests.alpha
    lines = []
    for criterion in criteria:
        families = (_family(correlations, fixed, criterion, each, statistic) for each in levels)
        rows = next(filter(None, families), [])
        lines.append(_sentence(rows, comparisons, alpha) if rows else _nothing(criterion, correlations, fixed))
    return "\n".join(lines)


def _nothing(criterion: str, rows: Sequence[Correlation], fixed: set[str]) -> str:
    if not fixed and rows:
        return f"Every metric on {criterion} is the member of a search, and such are not ranked: see the searches."
    return f"No metric can be compared with people on {criterion}."


def _fixed(metrics: Sequence[Turned], rows: Sequence[Correlation]) -> set[str]:
    """Members of a search are never ranked; metrics that came with a function are no `Turned`."""
    return {row.metric for row in rows} - {metric.name for metric in metrics if metric.metric.won_search}


def _family(
    rows: Sequence[Correlation], fixed: set[str], criterion: str, level: str, statistic: str
) -> list[Correlation]:
    """The defined rows of one question, the best first."""
    found = [
        row
        for row in rows
        if (row.criterion, row.level, row.statistic) == (criterion, level, statistic)
        and row.value is not None
        and row.metric in fixed
    ]
    return sorted(found, key=lambda row: -(row.value or 0.0))


def _sentence(rows: Sequence[Correlation], comparisons: Sequence[Comparison], alpha: float) -> str:
    best = rows[0]
    interval = "" if best.ci_low is None else f" [{best.ci_low:.2f}, {best.ci_high:.2f}]"
    kind = " (leave-one-out range)" if interval and "range" in best.ci_method else ""
    said = (
        f"On {best.criterion}, {best.metric} follows people best {level_name(best.level)} "
        f"({statistic_name(best.statistic)} {best.value:.2f}{interval}{kind}, n = {best.n})"
    )
    doubt = f" {DOUBT}" if _may_be_chance(best) else ""
    beats = _beaten_by(best, comparisons, alpha)
    equal = [row.metric for row in rows[1:] if beats.get(row.metric) is False]
    beaten = [row.metric for row in rows[1:] if beats.get(row.metric)]
    if equal:
        return f"{said}; it cannot be told from {_listed(equal[:3], len(equal) - 3)}.{doubt}"
    if not beaten:
        return f"{said}.{doubt}"
    return f"{said}, better than {f'each of the other {len(beaten)}' if len(beaten) > 1 else beaten[0]}.{doubt}"


def _beaten_by(best: Correlation, comparisons: Sequence[Comparison], alpha: float) -> dict[str, bool]:
    """Of every metric that the best was tested against: whether it is surely worse, on the samples both have."""
    family = (best.criterion, best.level, best.statistic)
    found: dict[str, bool] = {}
    for row in comparisons:
        if (row.criterion, row.level, row.statistic) != family or row.p_holm is None or row.difference is None:
            continue
        if best.metric in (row.metric_a, row.metric_b):
            is_first = row.metric_a == best.metric
            lead = row.difference if is_first else -row.difference
            found[row.metric_b if is_first else row.metric_a] = row.p_holm < alpha and lead > 0
    return found


DOUBT = "Even that may be chance."


def _listed(names: Sequence[str], more: int) -> str:
    if more > 0:
        return f"{', '.join(names)} and {more} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _may_be_chance(row: Correlation) -> bool:
    """Whether the interval holds what a metric gets by chance; of a range, which is no interval, p decides."""
    if row.value is not None and row.value <= CHANCE.get(row.statistic, -1.0):
        return True
    if row.ci_low is not None and "range" not in row.ci_method and row.level != "subsplit":
        return row.ci_low <= CHANCE.get(row.statistic, -1.0)
    return row.p is not None and row.p >= 0.05


def warnings(
    *,
    questions: Sequence[Question],
    agreement: Sequence[Agreement],
    correlations: Sequence[Correlation],
    comparisons: Sequence[Comparison],
    metrics: Sequence[Turned],
    estimation: Estimation,
) -> list[str]:
    found = list(estimation.material.warnings)
    found += [note for question in questions for note in question.notes]
    found += _low_agreement(questions, agreement, estimation)
    found += _differing_winners(correlations, _fixed(metrics, correlations), questions, estimation)
    found += _rarely_defined(correlations, _fixed(metrics, correlations), questions, estimation)
    found += _coarse_permutations(comparisons, estimation)
    found += _other_intervals([*agreement, *correlations], estimation)
    if not estimation.config.primary.criterion:
        found.append("No primary criterion, level and statistic were named beforehand: everything is exploratory.")
    return list(dict.fromkeys(found))


def _low_agreement(
    questions: Sequence[Question], agreement: Sequence[Agreement], estimation: Estimation
) -> Iterator[str]:
    labels = estimation.config.labels
    see = "" if labels.oracle or labels.aggregation != "mean" else "; see the ceiling"
    wanted = {(question.criterion, f"alpha_{question.measurement}") for question in questions}
    for row in agreement:
        if (
            (row.criterion, row.statistic) in wanted
            and row.value is not None
            and row.n_units > 1
            and row.value < LOW_ALPHA
        ):
            yield (
                f"Raters agree little on {row.criterion} ({statistic_name(row.statistic)} {row.value:.2f}, below "
                f"{LOW_ALPHA}): what a metric can reach is limited by that{see}."
            )


def _differing_winners(
    correlations: Sequence[Correlation], fixed: set[str], questions: Sequence[Question], estimation: Estimation
) -> Iterator[str]:
    _, statistic = main_choice(estimation)
    for question in questions:
        best = {}
        for level in estimation.levels:
            rows = _family(correlations, fixed, question.criterion, level, statistic)
            if rows:
                best[level] = rows[0].metric
        if len(set(best.values())) > 1:
            named = "; ".join(f"{level_name(level)} {metric}" for level, metric in best.items())
            yield (
                f"The best metric on {question.criterion} differs between levels, by {statistic_name(statistic)}: "
                f"{named}."
            )


def _rarely_defined(
    correlations: Sequence[Correlation], fixed: set[str], questions: Sequence[Question], estimation: Estimation
) -> Iterator[str]:
    """A metric that ties on most prompts may be the best on the few where it is defined."""
    _, statistic = main_choice(estimation)
    for question in questions:
        rows = _family(correlations, fixed, question.criterion, "prompt", statistic)
        counted = [row for row in rows if row.undefined_as_zero is not None]
        if len(counted) < 2:
            continue
        best, other = rows[0], max(counted, key=lambda row: row.undefined_as_zero or 0.0)
        if other.metric != best.metric and (other.undefined_as_zero or 0.0) > (best.undefined_as_zero or 0.0):
            yield (
                f"Within prompts, by {statistic_name(statistic)}, {best.metric} is best on {question.criterion} but "
                f"{_defined_in(best)}; with undefined prompts as 0 {other.metric} is best "
                f"({other.undefined_as_zero:.2f}, and {best.metric} {best.undefined_as_zero:.2f})."
            )


def _defined_in(row: Correlation) -> str:
    """The note has the total beside n."""
    return next(
        (part for part in row.note.split("; ") if part.startswith("defined in ")), f"defined in {row.n} prompts"
    )


ASKED = {"bca": "bootstrap BCa", "jackknife_t": "jackknife t"}
AS_GOOD = ("exact bound", "leave-one-out range")  # what stands in where no interval can be had


def _other_intervals(rows: Sequence[Agreement | Correlation], estimation: Estimation) -> Iterator[str]:
    """Where an interval of one kind was asked for by name and another given."""
    asked = ASKED.get(estimation.config.resampling.interval)
    others: dict[str, set[str]] = {}
    for row in rows:
        if asked and row.ci_method and row.ci_method not in (asked, *AS_GOOD):
            where = level_name(row.level) if isinstance(row, Correlation) else "agreement"
            others.setdefault(f"{row.ci_method} over {unit_name(row.ci_unit)}", set()).add(where)
    if others:
        given = "; ".join(f"{kind} ({', '.join(sorted(where))})" for kind, where in sorted(others.items()))
        yield f"Some intervals are not {asked}, which was asked for, but {given}."


def _coarse_permutations(comparisons: Sequence[Comparison], estimation: Estimation) -> Iterator[str]:
    """Where even the smallest p that can come out is not small enough for so many pairs."""
    families: dict[tuple[str, str, str], list[str]] = {}
    for row in comparisons:
        if row.p is not None:
            families.setdefault((row.criterion, row.level, row.statistic), []).append(row.p_method)
    resampling, alpha = estimation.config.resampling, estimation.config.tests.alpha
    most = max(map(len, families.values()), default=0)
    if most and (message := too_few_permutations(resampling.permutations, most, alpha)):
        yield message
    drawn = max((len(tests) for tests in families.values() if any("bootstrap" in test for test in tests)), default=0)
    if drawn and 2 / (resampling.replicates + 1) > alpha / drawn:
        # The paired bootstrap counts both tails: its smallest p is 2 / (B + 1).
        yield (
            f"{resampling.replicates:,} replicates cannot reach {alpha:g} / {drawn} after correction where metrics are "
            f"compared by paired bootstrap: at least {int(2 * drawn / alpha):,} are needed"
        )
