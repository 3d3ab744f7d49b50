"""Agreement and correlation, as pure functions over arrays. No Django, no files."""

from metaeval.stats.agreement import krippendorff_alpha
from metaeval.stats.correlation import STATISTICS, correlate

__all__ = ["STATISTICS", "correlate", "krippendorff_alpha"]
