"""p-values of single metrics, of pairs of metrics and of families of tests. Scores are direction-turned, labels human.

Nothing here resamples for intervals (see `metaeval.stats.resampling`) or loops over permutations in Python.
"""

from metaeval.stats.significance.association import PValue, association_p, association_ps
from metaeval.stats.significance.clusters import rank_clusters
from metaeval.stats.significance.corrections import benjamini_hochberg, holm, too_few_permutations
from metaeval.stats.significance.difference import paired_bootstrap, tie_structures_differ
from metaeval.stats.significance.fisher import fisher_interval
from metaeval.stats.significance.paired import PairedTest, PairedUnit, compare_metrics
from metaeval.stats.significance.search import LeftOut, leave_one_generator_out, search_p
from metaeval.stats.significance.twosample import TwoSampleTest, ks_test, mann_whitney_test
from metaeval.stats.significance.williams import williams_p

__all__ = [
    "LeftOut",
    "PValue",
    "PairedTest",
    "PairedUnit",
    "TwoSampleTest",
    "association_p",
    "association_ps",
    "benjamini_hochberg",
    "compare_metrics",
    "fisher_interval",
    "holm",
    "ks_test",
    "leave_one_generator_out",
    "mann_whitney_test",
    "paired_bootstrap",
    "rank_clusters",
    "search_p",
    "tie_structures_differ",
    "too_few_permutations",
    "williams_p",
]
