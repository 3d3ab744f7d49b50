"""Rules of quality control, as pure functions over small dataclasses. No Django, no database."""

from annotation.qc.catch_rates import (
    KnownAnswer,
    KnownSample,
    MiddleGold,
    fail_probability,
    failure_distribution,
    middle_gold,
)
from annotation.qc.derived import FormulaError, evaluate_formula, parse_formula
from annotation.qc.gold import Counting, GoldQuestion, GoldRule, GoldVerdict, judge_gold
from annotation.qc.rater_models import RATER_MODELS, RaterModel

__all__ = [
    "RATER_MODELS",
    "Counting",
    "FormulaError",
    "GoldQuestion",
    "GoldRule",
    "GoldVerdict",
    "KnownAnswer",
    "KnownSample",
    "MiddleGold",
    "RaterModel",
    "evaluate_formula",
    "fail_probability",
    "failure_distribution",
    "judge_gold",
    "middle_gold",
    "parse_formula",
]
