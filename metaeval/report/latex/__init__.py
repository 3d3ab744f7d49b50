"""Tables for a paper. They need nothing but `\\usepackage{booktabs}`."""

from metaeval.report.latex.correlations import correlations_table
from metaeval.report.latex.escape import escape
from metaeval.report.latex.tables import agreement_table, comparisons_table, listing_table

__all__ = ["agreement_table", "comparisons_table", "correlations_table", "escape", "listing_table"]
