"""From the ratings of a sample to its label: mean, median, majority, Dawid-Skene, MACE, standardised mean.

Everything takes a (raters, units) array with NaN where a rater gave no rating; derived criteria are formed for each
rater before they come here, and gold samples never do.
"""

from metaeval.stats.aggregation.aggregate import METHODS, Aggregate, AggregationRefused, Method, aggregate
from metaeval.stats.aggregation.complete import complete_prompts
from metaeval.stats.aggregation.dawid_skene import DawidSkene, dawid_skene
from metaeval.stats.aggregation.mace import Mace, mace

__all__ = [
    "METHODS",
    "Aggregate",
    "AggregationRefused",
    "DawidSkene",
    "Mace",
    "Method",
    "aggregate",
    "complete_prompts",
    "dawid_skene",
    "mace",
]
