"""What one rater gets when a seat is taken: the order of the samples, and which gold stands where."""

from collections.abc import Mapping, Sequence

import numpy as np


def arrange_items(positions: Sequence[int | None], *, seed: int) -> list[int | None]:
    """The HIT's samples in an order of this assignment's own; gold positions (None) stay where they are."""
    rng = np.random.default_rng(seed)
    samples = [sample for sample in positions if sample is not None]
    shuffled = iter([samples[index] for index in rng.permutation(len(samples))])
    return [None if sample is None else next(shuffled) for sample in positions]


def draw_gold(seen: Mapping[int, int], count: int, *, seed: int) -> list[int]:
    """`count` gold out of `seen` (gold -> how often this rater met it): never one again while others remain."""
    if not seen:
        return []
    rng = np.random.default_rng(seed)
    gold = sorted(seen)
    tie = dict(zip(gold, rng.permutation(len(gold)).tolist(), strict=True))
    met = dict(seen)
    drawn: list[int] = []
    for _ in range(count):
        choice = min(gold, key=lambda number: (met[number], tie[number]))
        met[choice] += 1
        drawn.append(choice)
    return drawn
