"""Composing HITs: a fresh deal for each of the R passes, so that raters cross.

Each pass deals every sample once. Samples are dealt prompt by prompt into the HITs in turn, so a prompt meets a HIT
twice only when it has more samples than there are HITs, and each generator spreads evenly over the HITs.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SampleKey:
    """What composing needs to know of a sample."""

    sample: int
    prompt: int
    generator: int


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
    return [
        HitPlan(pass_number, _place_gold(hand, composition.gold_per_hit, rng))
        for pass_number in range(1, composition.passes + 1)
        for hand in _deal(samples, composition.samples_per_hit, rng)
    ]


def _deal(samples: Sequence[SampleKey], size: int, rng: np.random.Generator) -> list[list[int]]:
    """Deal every sample into HITs whose sizes differ by at most one."""
    hands: list[list[int]] = [[] for _ in range(-(-len(samples) // size))]
    met: list[dict[int, int]] = [defaultdict(int) for _ in hands]  # generators already in a hand
    prompts: dict[int, list[SampleKey]] = defaultdict(list)
    for index in rng.permutation(len(samples)):
        prompts[samples[index].prompt].append(samples[index])
    smallest, larger = divmod(len(samples), len(hands))
    limits = [smallest + (number < larger) for number in range(len(hands))]
    # Prompts with many samples first: they are the hardest to keep apart.
    for group in sorted(prompts.values(), key=len, reverse=True):
        used: set[int] = set()
        for key in group:
            open_hands = [number for number, hand in enumerate(hands) if len(hand) < limits[number]]
            fresh = [number for number in open_hands if number not in used] or open_hands
            ties = rng.permutation(len(hands))
            hand = min(fresh, key=lambda number: (len(hands[number]), met[number][key.generator], ties[number]))
            used.add(hand)
            hands[hand].append(key.sample)
            met[hand][key.generator] += 1
    return hands


def _place_gold(hand: Sequence[int], gold: int, rng: np.random.Generator) -> tuple[int | None, ...]:
    """Gold stands anywhere but first: a rater's first answer is still finding the scale."""
    positions: list[int | None] = [hand[index] for index in rng.permutation(len(hand))]
    places = rng.choice(np.arange(1, len(hand) + gold), size=min(gold, len(hand) + gold - 1), replace=False)
    for place in sorted(places.tolist()):
        positions.insert(place, None)
    return tuple(positions)
