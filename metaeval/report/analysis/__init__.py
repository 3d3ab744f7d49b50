"""From arrays to a Finding: labels, agreement, every correlation, every comparison, and the answer in words."""

from metaeval.report.analysis.run import Outcome, analyse
from metaeval.report.analysis.sets import SetMetric

__all__ = ["Outcome", "SetMetric", "analyse"]
