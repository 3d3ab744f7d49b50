"""The gold rule of the Voas study.

A gold question fails when any of its criteria is off by more than the tolerance; an assignment fails when more gold
questions fail than the rule allows (2 of 5 by default). The alternative counts every answer for itself: then an
assignment fails when more gold answers are off than the rule allows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Counting(StrEnum):
    """What is counted: gold questions, or the single answers to them."""

    QUESTION = "question"
    RATING = "rating"


@dataclass(frozen=True)
class GoldRule:
    failures_allowed: int = 2
    counting: Counting = Counting.QUESTION

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
    def answers_off(self) -> int:
        return sum(
            criterion not in self.answered or abs(self.answered[criterion] - value) > self.tolerance[criterion]
            for criterion, value in self.expected.items()
        )

    @property
    def failed(self) -> bool:
        return self.answers_off > 0


@dataclass(frozen=True)
class GoldVerdict:
    """How many gold questions (or answers, as the rule counts) were shown, and how many of them failed."""

    shown: int
    failed: int
    passes: bool


def judge_gold(questions: Sequence[GoldQuestion], rule: GoldRule) -> GoldVerdict:
    """Whether the assignment's data may be used. With no gold shown there is nothing against it."""
    if rule.counting == Counting.RATING:
        shown = sum(len(question.expected) for question in questions)
        failed = sum(question.answers_off for question in questions)
    else:
        shown, failed = len(questions), sum(question.failed for question in questions)
    return GoldVerdict(shown=shown, failed=failed, passes=failed <= rule.failures_allowed)
