"""How kinds of raters answer a question whose right answer is known, as exact probabilities over its options.

Noise and leniency are measured in options on a five-point scale and stretched to the scale at hand: one option of five
is two of ten, and less than half of one of two. A rater's answers to different questions are independent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import erf, sqrt
from typing import Final

# (options in order, index of the right one) -> the probability of each option
Answering = Callable[[int, int], tuple[float, ...]]

CAREFUL_NOISE: Final = 0.45
LENIENT_SHIFT: Final = 0.7
LENIENT_NOISE: Final = 0.5
_POINTS: Final = 5


@dataclass(frozen=True)
class RaterModel:
    """`answering` takes the number of options and the index of the right one. `is_good`: the rule should keep them."""

    name: str
    title: str
    words: str
    is_good: bool
    answering: Answering

    def probabilities(self, options: Sequence[int], right: int) -> dict[int, float]:
        """Option -> how probable it is, where `right` is the right answer."""
        if right not in options:
            raise ValueError(f"right: expected one of {', '.join(map(str, options))}, found {right}")
        ordered = sorted(options)
        return dict(zip(ordered, self.answering(len(ordered), ordered.index(right)), strict=True))


def _random_clicker(count: int, right: int) -> tuple[float, ...]:
    """Every option alike, whatever the clip shows."""
    return (1 / count,) * count


def _always_the_middle(count: int, right: int) -> tuple[float, ...]:
    """The middle option, whatever the clip shows; where two are in the middle, either of them alike."""
    middle = middle_options(count)
    return tuple((index in middle) / len(middle) for index in range(count))


def _careful(count: int, right: int) -> tuple[float, ...]:
    """The right answer plus normal noise of 0.45 options in five, rounded to the nearest option there is."""
    return _around(count, right, CAREFUL_NOISE)


def _lenient(count: int, right: int) -> tuple[float, ...]:
    """0.7 options in five above the right answer, plus normal noise of 0.5, rounded to the nearest option there is."""
    return _around(count, right + LENIENT_SHIFT * count / _POINTS, LENIENT_NOISE)


def _around(count: int, centre: float, noise: float) -> tuple[float, ...]:
    """A normal opinion, rounded to an option; opinions beyond the ends of the scale are its ends."""
    spread = noise * count / _POINTS
    below = [_normal((index - 0.5 - centre) / spread) if index else 0.0 for index in range(count)]
    return tuple(upper - lower for lower, upper in zip(below, [*below[1:], 1.0], strict=True))


def _normal(z: float) -> float:
    return (1 + erf(z / sqrt(2))) / 2


def middle_options(count: int) -> frozenset[int]:
    """Indices of the middle one, or two, of `count` options."""
    return frozenset({(count - 1) // 2, count // 2})


RANDOM_CLICKER: Final = RaterModel(
    "random-clicker", "Random clicker", "presses any option, each as often", False, _random_clicker
)
ALWAYS_THE_MIDDLE: Final = RaterModel(
    "always-the-middle", "Always the middle", "presses the middle option every time", False, _always_the_middle
)
LENIENT: Final = RaterModel(
    "lenient", "Lenient", "watches, and answers about two thirds of an option too high", True, _lenient
)
CAREFUL: Final = RaterModel("careful", "Careful", "finds the right answer, give or take half an option", True, _careful)

RATER_MODELS: Final = (RANDOM_CLICKER, ALWAYS_THE_MIDDLE, LENIENT, CAREFUL)
