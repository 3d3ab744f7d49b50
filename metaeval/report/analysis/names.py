"""Statistics that analysis.toml names must be ones that there are."""

from collections.abc import Sequence
from difflib import get_close_matches

from metaeval.report.analysis.correlations import OF_LEVEL
from metaeval.report.analysis.generator_pairs import GENERATOR_PAIRS
from metaeval.report.analysis.questions import Question
from metaeval.report.analysis.subsplits import STATISTICS as OF_SUBSPLITS
from metaeval.report.config import AnalysisConfig, ConfigError
from metaeval.stats.significance.paired import PAIRED_LEVELS
from metaeval.stats.significance.rowwise import PAIRED_STATISTICS


def check_names(config: AnalysisConfig) -> None:
    primary = config.primary
    if primary.level:
        known = OF_SUBSPLITS if primary.level == "subsplit" else OF_LEVEL[primary.level]
        known = (*known, *GENERATOR_PAIRS) if primary.level == "generator" else known
        # A cut other than the primary one is part of the name: auc_roc@>=3.
        _check(config, "primary.statistic", primary.statistic.partition("@")[0], known)
    if primary.level and primary.comparisons:
        _check(config, "primary.level, for there are comparisons", primary.level, PAIRED_LEVELS)
        classes = () if primary.level == "generator" else ("auc_roc",)
        known = tuple(name for name in PAIRED_STATISTICS if name != "auc_roc") + classes
        _check(config, "primary.statistic, for there are comparisons", primary.statistic, known)
    for statistic in config.tests.statistics:
        _check(config, "tests.statistics", statistic, PAIRED_STATISTICS)
    for level in config.tests.levels:
        _check(config, "tests.levels", level, PAIRED_LEVELS)


def check_cut(config: AnalysisConfig, questions: Sequence[Question]) -> None:
    """A cut in the name of the primary statistic must be one that its criterion is cut at."""
    _, mark, found = config.primary.statistic.partition("@")
    for question in questions:
        if mark and question.criterion == config.primary.criterion:
            _check(config, "primary.statistic: cut", found, tuple(f">={cut:g}" for cut in question.cuts[1:]))


def _check(config: AnalysisConfig, key: str, found: str, known: tuple[str, ...]) -> None:
    if found in known:
        return
    near = get_close_matches(found, known, n=1)
    hint = f" (did you mean {near[0]}?)" if near else ""
    raise ConfigError(f"{config.source}: {key}: expected one of {', '.join(known)}, found {found!r}{hint}")
