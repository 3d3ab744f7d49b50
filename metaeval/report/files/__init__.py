"""Turning an analysis into files: `OUT/` with report.html, tables, figures, results, provenance and the inputs."""

from metaeval.report.files.folder import FolderError
from metaeval.report.files.tables import AGREEMENT_COLUMNS, COMPARISON_COLUMNS, CORRELATION_COLUMNS
from metaeval.report.files.writing import write_report

__all__ = ["AGREEMENT_COLUMNS", "COMPARISON_COLUMNS", "CORRELATION_COLUMNS", "FolderError", "write_report"]
