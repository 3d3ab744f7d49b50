"""How well scores follow labels: every statistic, at every level, over weighted replicates.

`registry` names the statistics; `levels` evaluates them on samples, within prompts, within and between generators;
`subsplit` and `set_metrics` on parts of generators. Pure functions over arrays: no files, no Django.
"""

from metaeval.stats.association.acc_eq import acc_eq_chance
from metaeval.stats.association.cuts import binarise, cuts, most_balanced_cut
from metaeval.stats.association.float_noise import FloatNoise, find_noise, merge_noise
from metaeval.stats.association.levels import Evaluation, evaluate, evaluate_many
from metaeval.stats.association.registry import STATISTICS, Statistic
from metaeval.stats.association.set_metrics import evaluate_imported, evaluate_set, evaluate_subsets
from metaeval.stats.association.soft_pairwise import SoftPairwise, pairwise_accuracy, soft_pairwise_accuracy
from metaeval.stats.association.subsplit import Subsplit, subsplit, subsplit_many
from metaeval.stats.association.thresholds import Thresholds, best_thresholds
from metaeval.stats.association.tie_calibration import (
    TieCalibration,
    calibrate_ties,
    calibrate_ties_crossvalidated,
)

__all__ = [
    "STATISTICS",
    "Evaluation",
    "FloatNoise",
    "SoftPairwise",
    "Statistic",
    "Subsplit",
    "Thresholds",
    "TieCalibration",
    "acc_eq_chance",
    "best_thresholds",
    "binarise",
    "calibrate_ties",
    "calibrate_ties_crossvalidated",
    "cuts",
    "evaluate",
    "evaluate_imported",
    "evaluate_many",
    "evaluate_set",
    "evaluate_subsets",
    "find_noise",
    "merge_noise",
    "most_balanced_cut",
    "pairwise_accuracy",
    "soft_pairwise_accuracy",
    "subsplit",
    "subsplit_many",
]
