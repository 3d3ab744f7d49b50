"""The methods paragraph: every statistic, n, unit, seed and version, ready to be pasted and shortened."""

from collections.abc import Sequence
from importlib.metadata import version

from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.generator_pairs import GENERATOR_PAIRS
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.naming import level_name, statistic_name, unit_name
from metaeval.report.results import Agreement, Comparison, Correlation
from metaeval.stats.association import STATISTICS
from metaeval.stats.resampling import FEWEST_GENERATORS

AGGREGATIONS = {
    "mean": "the mean of its ratings",
    "median": "the median of its ratings",
    "majority": "the majority of its ratings",
    "dawid_skene": "the expected value under Dawid and Skene's model of raters (1979)",
    "mace": "the expected value under MACE (Hovy et al. 2013)",
    "standardised_mean": "the mean of ratings standardised per rater",
}
INTERVALS = {
    "bootstrap percentile": "percentiles of bootstrap replicates",
    "bootstrap percentile (BCa undefined)": "percentiles of bootstrap replicates where BCa is undefined",
    "bootstrap BCa": "bias-corrected and accelerated bootstrap (Efron 1987)",
    "jackknife t": "Student's t on leave-one-out values",
    "exact bound": "an exact bound where every pair is ordered alike",
    "leave-one-out range": "the range of leave-one-out values, which is no confidence interval",
}
LEVELS = {
    "sample": "pooled samples",
    "prompt": "within prompts, averaged over those where the statistic is defined",
    "within_generator": "within generators, averaged likewise",
    "generator": "means of generators",
}
P_VALUES = {
    "sample": "between whole prompts of equal size and within them (samples)",
    "prompt": "within prompts (prompt level)",
    "within_generator": "between whole prompts within generators (within generators)",
    "generator": "between generators (all orders of up to 7, exactly)",
}


def methods(
    questions: Sequence[Question],
    metrics: Sequence[Turned],
    estimation: Estimation,
    *,
    agreement: Sequence[Agreement],
    correlations: Sequence[Correlation],
    comparisons: Sequence[Comparison],
) -> str:
    return "\n\n".join(
        (
            _data(questions, metrics, estimation),
            _statistics(questions, estimation),
            " ".join(
                filter(
                    None,
                    (
                        _intervals(agreement, correlations, estimation),
                        _p_values(correlations, estimation),
                        _comparisons(comparisons, estimation),
                        f"Seed {estimation.config.resampling.seed}.",
                    ),
                )
            ),
            _software(estimation),
        )
    )


def _data(questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation) -> str:
    material, config = estimation.material, estimation.config
    rated = ", ".join(f"{int(question.rated.sum())} on {question.criterion}" for question in questions)
    label = f"the rating of {config.labels.oracle}" if config.labels.oracle else AGGREGATIONS[config.labels.aggregation]
    complete = (
        f" Only prompts with at least {config.labels.ratings_at_least} ratings on every generator were kept."
        if config.labels.ratings_at_least
        else ""
    )
    again = (
        " Where a rater rated a sample again, the first rating alone enters labels and agreement."
        if any((given.occasion > 1).any() for given in material.ratings.values())
        else ""
    )
    return (
        f"{len(material.samples)} samples ({len(material.prompts)} prompts, {len(material.generators)} generators) "
        f"were rated by {len(material.raters)} raters; labelled samples: {rated}. A sample's label is "
        f"{label}.{complete}{again} {len(metrics)} metrics were compared with the labels, each on the labelled samples "
        "that it scored; scores of metrics whose lower values are better were negated first."
    )


def _statistics(questions: Sequence[Question], estimation: Estimation) -> str:
    levels = estimation.config.levels
    between = (
        [f"{statistic_name(name)} of generators" for name in GENERATOR_PAIRS] if "generator" in levels.which else []
    )
    names = ", ".join([*(statistic_name(name) for name in STATISTICS), *between])
    cuts = "; ".join(
        f"{question.criterion} >= {question.cut:g}" + (f" ({question.cut_chosen})" if question.cut_chosen else "")
        for question in questions
        if question.cut is not None
    )
    split = (
        f"{levels.subsplit_groups} random groups of each generator's samples, {levels.subsplit_repetitions} times, "
        "whose points are not independent and have no p-value"
    )
    where = "; ".join(split if level == "subsplit" else LEVELS[level] for level in levels.which)
    soft = " Soft pairwise accuracy (Thompson et al. 2024) permutes prompts 1,000 times." if between else ""
    return (
        f"Statistics: {names}. AUPR is given both as average precision and by the trapezoid rule. Positive labels: "
        f"{cuts or 'none'}. Levels: {where}.{soft} Agreement: Krippendorff's alpha (2011), Fleiss' and Cohen's kappa, "
        "Gwet's AC1 and AC2, intraclass correlation (Shrout and Fleiss 1979)."
    )


def _intervals(agreement: Sequence[Agreement], correlations: Sequence[Correlation], estimation: Estimation) -> str:
    """What the rows have, which is not always what was asked for."""
    resampling = estimation.config.resampling
    where: dict[str, list[str]] = {}
    parts: list[tuple[str, Sequence[Agreement | Correlation]]] = [("agreement", agreement)]
    for level in estimation.config.levels.which:
        parts.append((level_name(level), [row for row in correlations if row.level == level]))
    for name, rows in parts:
        if kinds := _kinds(rows):
            where.setdefault(kinds, []).append(name)
    if not where:
        return "No intervals."
    said = "; ".join(f"{', '.join(names)}: {kinds}" for kinds, names in where.items())
    methods = [*(row.ci_method for row in agreement), *(row.ci_method for row in correlations)]
    draws = f", {resampling.replicates} replicates" if any("bootstrap" in method for method in methods) else ""
    few = (
        f" With fewer than {FEWEST_GENERATORS} generators a bootstrap over their means covers too little: "
        "therefore the range."
        if any(row.ci_unit == "generator" and "range" in row.ci_method for row in correlations)
        else ""
    )
    return f"Intervals ({resampling.confidence:.0%}{draws}) are, {said}.{few}"


def _kinds(rows: Sequence[Agreement | Correlation]) -> str:
    """The kind that most statistics have, then the others, each with its statistics."""
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.ci_method:
            base = row.statistic.partition("@")[0].removesuffix("_by_prompt")
            found.setdefault(_kind(row), {})[statistic_name(base)] = None
    first, *others = sorted(found, key=lambda kind: (-len(found[kind]), kind)) or [""]
    return " and ".join([first, *(f"{kind} ({', '.join(found[kind])})" for kind in others)])


def _kind(row: Agreement | Correlation) -> str:
    return f"{INTERVALS.get(row.ci_method, row.ci_method)} over {unit_name(row.ci_unit)}"


def _p_values(correlations: Sequence[Correlation], estimation: Estimation) -> str:
    tested = [level for level in P_VALUES if any(row.level == level and row.p is not None for row in correlations)]
    if not tested:
        return ""
    drawn = f"{estimation.config.resampling.permutations} permutations, p = (b + 1) / (m + 1)"
    fixed = (
        " Pooled and within prompts the generators stay what they are: the p is conditional on them, and says "
        "nothing of other generators."
        if {"sample", "prompt"} & set(tested)
        else ""
    )
    return (
        f"P-values of no association move labels {'; '.join(P_VALUES[level] for level in tested)}: {drawn}; those of "
        f"Kolmogorov-Smirnov and Mann-Whitney are the textbooks', with one by prompt beside them.{fixed}"
    )


def _comparisons(comparisons: Sequence[Comparison], estimation: Estimation) -> str:
    tests = estimation.config.tests
    if not any(row.p is not None for row in comparisons):
        return "No two metrics were tested against each other."
    classes = any(STATISTICS[name].needs == "classes" for name in tests.statistics) and "generator" in tests.levels
    skipped = " Areas under curves are not compared between generators, whose labels are no classes." if classes else ""
    return (
        "Two metrics are compared by a paired permutation test: standardised scores are swapped by prompt, two-sided; "
        "where one has few values and the other many, by a paired bootstrap over prompts. Holm's correction runs "
        f"within each criterion, level and statistic; clusters use p < {tests.alpha:g} after it.{skipped}"
    )


def _software(estimation: Estimation) -> str:
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "scikit-learn"))
    primary = estimation.config.primary
    announced = (
        f"Confirmatory: {primary.criterion}, {primary.level} level, {statistic_name(primary.statistic)}; everything "
        "else is exploratory."
        if primary.criterion
        else "No primary comparison was named: everything is exploratory."
    )
    return (
        f"{announced} Computed with Touchstone ({libraries}), whose alpha is tested against krippendorff "
        f"{version('krippendorff')}."
    )
