"""The gold rule of the Voas study.

A gold question fails when any of its criteria is off by more than the tolerance; an assignment fails when more gold
questions fail than the rule allows (2 of 5 by default).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class GoldRule:
    failures_allowed: int = 2

    def __post_init__(self) -> None:
        if self.failures_allowed < 0:
            raise ValueError(f"failures_allowed: expected 0 or more, found {self.failures_allowed}")


@dataclass(frozen=True)
class GoldQuestion:
    """One gold item as it was answered. Each mapping goes from criterion to value; unanswered counts as off."""

    expected: Mapping[str, int]
    tolerance: Mapping[str, int]
    answered: Mapping[str, int]

    @property
    def failed(self) -> bool:
        return any(
            criterion not in self.answered or abs(self.answered[criterion] - value) > self.tolerance[criterion]
            for criterion, value in self.expected.items()
        )


@dataclass(frozen=True)
class GoldVerdict:
    shown: int
    failed: int
    passes: bool


def judge_gold(questions: Sequence[GoldQuestion], rule: GoldRule) -> GoldVerdict:
    """Whether the assignment's data may be used. With no gold shown there is nothing against it."""
    failed = sum(question.failed for question in questions)
    return GoldVerdict(shown=len(questions), failed=failed, passes=failed <= rule.failures_allowed)
