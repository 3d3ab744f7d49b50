"""report.html: one file that asks nothing of the network, reads without JavaScript, and prints."""

from metaeval.report.html.page import Shown, render_report

__all__ = ["Shown", "render_report"]
