"""The methods paragraph: every statistic, n, unit, seed and version, ready to be pasted and shortened."""

from collections.abc import Sequence
from importlib.metadata import version

from metaeval.report.analysis.estimation import Estimation
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.turned import Turned
from metaeval.report.naming import statistic_name
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
    "auto": "percentiles of bootstrap replicates, and Student's t on leave-one-out values for the AUC",
    "percentile": "percentiles of bootstrap replicates",
    "bca": "bias-corrected and accelerated bootstrap (Efron 1987)",
    "jackknife_t": "Student's t on leave-one-out values, on Fisher's or the logit scale",
}


def methods(questions: Sequence[Question], metrics: Sequence[Turned], estimation: Estimation) -> str:
    return "\n\n".join(
        (
            _data(questions, metrics, estimation),
            _statistics(questions, estimation),
            _uncertainty(estimation),
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
    return (
        f"{len(material.samples)} samples ({len(material.prompts)} prompts, {len(material.generators)} generators) "
        f"were rated by {len(material.raters)} raters; labelled samples: {rated}. A sample's label is "
        f"{label}.{complete} {len(metrics)} metrics were compared with the labels, each on the labelled samples that "
        "it scored; scores of metrics whose lower values are better were negated first."
    )


def _statistics(questions: Sequence[Question], estimation: Estimation) -> str:
    names = ", ".join(statistic_name(name) for name in STATISTICS)
    cuts = "; ".join(
        f"{question.criterion} >= {question.cut:g}" + ("" if question.cut_is_stated else " (most even split)")
        for question in questions
        if question.cut is not None
    )
    levels = estimation.config.levels
    return (
        f"Statistics: {names}. AUPR is given both as average precision and by the trapezoid rule. Positive labels: "
        f"{cuts or 'none'}. Levels: pooled samples; within prompts and within generators, averaged over the groups "
        f"where the statistic is defined; means of generators; and {levels.subsplit_groups} random groups of each "
        f"generator's samples, {levels.subsplit_repetitions} times, whose points are not independent and have no "
        "p-value. Agreement: Krippendorff's alpha (2011), Fleiss' and Cohen's kappa, Gwet's AC1 and AC2, intraclass "
        "correlation (Shrout and Fleiss 1979)."
    )


def _uncertainty(estimation: Estimation) -> str:
    resampling, tests = estimation.config.resampling, estimation.config.tests
    return (
        f"Intervals: {resampling.confidence:.0%}, {INTERVALS[resampling.interval]} ({resampling.replicates} "
        f"replicates), resampling unit {resampling.unit}. With fewer than {FEWEST_GENERATORS} generators a bootstrap "
        "over their means covers too little: the range of leave-one-generator-out values is given instead, with an "
        f"exact permutation p. P-values of no association permute labels between whole prompts "
        f"({resampling.permutations} permutations, p = (b + 1) / (m + 1)). Two metrics are compared by a paired "
        "permutation test: standardised scores are swapped by prompt, two-sided; where one has few values and the "
        f"other many, by a paired bootstrap over prompts. Holm's correction runs within each criterion, level and "
        f"statistic; clusters use p < {tests.alpha:g} after it. Seed {resampling.seed}."
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
    return f"{announced} Computed with Touchstone ({libraries})."
