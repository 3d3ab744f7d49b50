"""Composing HITs: a fresh deal for each of the R passes, so that raters cross.

Each pass deals every sample once, as evenly as can be: see `dealing`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.sampling.dealing import SampleKey, deal


@dataclass(frozen=True)
class Composition:
    samples_per_hit: int
    gold_per_hit: int
    passes: int

    def __post_init__(self) -> None:
        for name, minimum in (("samples_per_hit", 1), ("gold_per_hit", 0), ("passes", 1)):
            if getattr(self, name) < minimum:
                raise ValueError(f"{name}: expected at least {minimum}, found {getattr(self, name)}")


@dataclass(frozen=True)
class HitPlan:
    """Positions 1..n of one HIT: a sample, or None where gold will stand."""

    pass_number: int
    positions: tuple[int | None, ...]


def compose_hits(samples: Sequence[SampleKey], composition: Composition, *, seed: int) -> list[HitPlan]:
    """The HITs of all passes, in the order they are given out."""
    if not samples:
        return []
    rng = np.random.default_rng(seed)
    hands = -(-len(samples) // composition.samples_per_hit)
    return [
        HitPlan(pass_number, _place_gold(hand, composition.gold_per_hit, rng))
        for pass_number in range(1, composition.passes + 1)
        for hand in deal(samples, hands, rng)
    ]


def _place_gold(hand: Sequence[int], gold: int, rng: np.random.Generator) -> tuple[int | None, ...]:
    """Gold stands anywhere but first: a rater's first answer is still finding the scale."""
    positions: list[int | None] = [hand[index] for index in rng.permutation(len(hand))]
    places = rng.choice(np.arange(1, len(hand) + gold), size=min(gold, len(hand) + gold - 1), replace=False)
    for place in sorted(places.tolist()):
        positions.insert(place, None)
    return tuple(positions)
