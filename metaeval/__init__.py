"""Metrics, scores, statistics, analyses and reports: how well each metric tracks people."""
