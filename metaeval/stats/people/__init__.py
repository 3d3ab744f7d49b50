"""People beside metrics: held-out raters, users against an oracle, the ceiling, judges, and criteria among themselves.

All take a (raters, samples) table with NaN where a rater gave no rating, and give rows whose intervals go over prompts.
"""

from metaeval.stats.people.ceiling import Ceiling, Corrected, corrected_pearson, label_ceiling
from metaeval.stats.people.criteria import CriteriaRow, criteria_correlations
from metaeval.stats.people.estimates import Estimate
from metaeval.stats.people.held_out import HeldOutRow, held_out_rows
from metaeval.stats.people.judges import JudgeRow, judges_against_people
from metaeval.stats.people.oracle import UserRow, users_against_oracle

__all__ = [
    "Ceiling",
    "Corrected",
    "CriteriaRow",
    "Estimate",
    "HeldOutRow",
    "JudgeRow",
    "UserRow",
    "corrected_pearson",
    "criteria_correlations",
    "held_out_rows",
    "judges_against_people",
    "label_ceiling",
    "users_against_oracle",
]
