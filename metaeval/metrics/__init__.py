"""Automatic metrics: arrays in, a value or "undefined" with the reason out. Pure: no Django, no files.

A metric is one decorated function; the registry drives the product, the command line, the docs and the tests.
"""

from metaeval.metrics import coordinate, physical  # noqa: F401  importing registers them
from metaeval.metrics.registry import MetricSpec, Undefined, all_metrics, get_metric

__all__ = ["MetricSpec", "Undefined", "all_metrics", "get_metric"]
