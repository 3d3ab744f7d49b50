"""How often a gold rule fails a rater: computed exactly, from the gold at hand and a model of the rater.

A HIT draws `per_hit` of the gold without replacement. The number of failures is summed by dynamic programming over the
gold, one sample after another: with k of the first i drawn, the next is among those drawn with probability
(per_hit - k) / (n - i), and then adds its own distribution of failures. So no draw is enumerated and none is simulated.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotation.qc.gold import Counting, GoldRule
from annotation.qc.rater_models import RaterModel, middle_options

Distribution = NDArray[np.float64]


@dataclass(frozen=True)
class KnownAnswer:
    """The right answer to one question about a gold sample, the tolerance, and the options that the question has."""

    value: int
    tolerance: int
    options: tuple[int, ...]

    def __post_init__(self) -> None:
        if self.value not in self.options:
            raise ValueError(f"value: expected one of {', '.join(map(str, self.options))}, found {self.value}")
        if self.tolerance < 0:
            raise ValueError(f"tolerance: expected 0 or more, found {self.tolerance}")

    def passes(self, answer: int) -> bool:
        return abs(answer - self.value) <= self.tolerance

    @property
    def middle_passes(self) -> bool:
        """Whether a rater who always presses the middle is right about this one, whichever middle they take."""
        ordered = sorted(self.options)
        return all(self.passes(ordered[index]) for index in middle_options(len(ordered)))

    @property
    def everything_passes(self) -> bool:
        return all(self.passes(option) for option in self.options)


# The known answers about one gold sample, by criterion.
KnownSample = Mapping[str, KnownAnswer]


def fail_probability(gold: Sequence[KnownSample], rule: GoldRule, rater: RaterModel, *, per_hit: int) -> float:
    """How probable it is that one assignment of this rater fails the rule; 0 where no gold is shown."""
    if per_hit < 0:
        raise ValueError(f"per_hit: expected 0 or more, found {per_hit}")
    if not gold:
        return 0.0
    failures = failure_distribution(gold, rule.counting, rater, per_hit=per_hit)
    return float(failures[rule.failures_allowed + 1 :].sum())


def failure_distribution(
    gold: Sequence[KnownSample], counting: Counting, rater: RaterModel, *, per_hit: int
) -> Distribution:
    """The probability of 0, 1, 2, … failures in an assignment. Gold that is short comes again, all of it as often."""
    each = [_failures_of_one(sample, counting, rater) for sample in gold]
    rounds, drawn = divmod(per_hit, len(gold))
    total = _of_a_draw(each, drawn)
    for one in each * rounds:
        total = np.convolve(total, one)
    return total


def _failures_of_one(sample: KnownSample, counting: Counting, rater: RaterModel) -> Distribution:
    """How many failures one gold sample adds: one or none, or up to one an answer."""
    off = [_probability_off(answer, rater) for answer in sample.values()]
    if counting == Counting.QUESTION:
        passed = float(np.prod([1 - probability for probability in off]))
        return np.array([passed, 1 - passed])
    counts = np.array([1.0])
    for probability in off:
        counts = np.convolve(counts, [1 - probability, probability])
    return counts


def _probability_off(answer: KnownAnswer, rater: RaterModel) -> float:
    probabilities = rater.probabilities(answer.options, answer.value)
    return sum(probability for option, probability in probabilities.items() if not answer.passes(option))


def _of_a_draw(each: Sequence[Distribution], drawn: int) -> Distribution:
    """Failures among `drawn` of the gold, every choice of them as probable as every other."""
    widest = max(len(one) for one in each) - 1
    # chance[k, f]: k are drawn so far, with f failures
    chance = np.zeros((drawn + 1, drawn * widest + 1))
    chance[0, 0] = 1.0

    def joins(k: int, index: int) -> float:
        """More than 1 only where too few are left, which has no chance to happen."""
        return min((drawn - k) / (len(each) - index), 1.0)

    for index, one in enumerate(each):
        taken = np.zeros_like(chance)
        for k in range(drawn):
            taken[k + 1] += joins(k, index) * np.convolve(chance[k], one)[: chance.shape[1]]
        left = np.array([[1 - joins(k, index)] for k in range(drawn + 1)])
        chance = chance * left + taken
    failures: Distribution = chance[drawn]
    return failures


@dataclass(frozen=True)
class MiddleGold:
    """How much of the gold lies so near the middle that pressing the middle passes it."""

    answers: int
    answers_in_middle: int
    samples: int
    samples_in_middle: int


def middle_gold(gold: Sequence[KnownSample]) -> MiddleGold:
    answers = [answer for sample in gold for answer in sample.values()]
    return MiddleGold(
        answers=len(answers),
        answers_in_middle=sum(answer.middle_passes for answer in answers),
        samples=len(gold),
        samples_in_middle=sum(all(answer.middle_passes for answer in sample.values()) for sample in gold),
    )
