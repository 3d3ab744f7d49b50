"""Facts and constraints of the machine half: one noun a file."""

from metaeval.models.analyses import Analysis, Report
from metaeval.models.metrics import Direction, Judge, Level, Metric, Score
from metaeval.models.probes import Probe, ProbeKind

__all__ = ["Analysis", "Direction", "Judge", "Level", "Metric", "Probe", "ProbeKind", "Report", "Score"]
