"""Rules of quality control, as pure functions over small dataclasses. No Django, no database."""

from annotation.qc.derived import FormulaError, evaluate_formula, parse_formula
from annotation.qc.gold import GoldQuestion, GoldRule, GoldVerdict, judge_gold

__all__ = [
    "FormulaError",
    "GoldQuestion",
    "GoldRule",
    "GoldVerdict",
    "evaluate_formula",
    "judge_gold",
    "parse_formula",
]
