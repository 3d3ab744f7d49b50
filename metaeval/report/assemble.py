"""From ratings, scores and settings to `Material`: joined, checked, with exclusions applied and directions known."""

from metaeval.report.config import AnalysisConfig
from metaeval.report.filters import analysed
from metaeval.report.inputs import RatingRows, ScoreRows
from metaeval.report.material import Material


def assemble(ratings: RatingRows, scores: ScoreRows, config: AnalysisConfig | None = None) -> Material:
    """What is analysed: the last of `filter_steps`, with all warnings.

    Raises `InputError` where the two files do not fit each other, and `ConfigError` where a name in the settings does
    not occur in them.
    """
    return analysed(ratings, scores, config or AnalysisConfig())
