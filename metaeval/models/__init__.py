"""Facts and constraints of the machine half: one noun a file."""

from metaeval.models.analyses import Analysis, Report, ReportArchive
from metaeval.models.metrics import Direction, Judge, Level, Metric, Score
from metaeval.models.preregistrations import Preregistration
from metaeval.models.probes import Probe, ProbeKind

__all__ = [
    "Analysis",
    "Direction",
    "Judge",
    "Level",
    "Metric",
    "Preregistration",
    "Probe",
    "ProbeKind",
    "Report",
    "ReportArchive",
    "Score",
]
