"""From ratings and scores to tables: what `python -m metaeval analyse` does. No Django, no database."""

from metaeval.report.analysis import Finding, analyse
from metaeval.report.files import write_report
from metaeval.report.inputs import InputError, read_ratings, read_scores

__all__ = ["Finding", "InputError", "analyse", "read_ratings", "read_scores", "write_report"]
