"""Random halves (or thirds, ...) of each generator's samples, for every replicate of a bootstrap."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from metaeval.stats.association.multiplicity import dense_codes
from metaeval.stats.design import Design, Floats, Ints, Weights

CELLS = 4_000_000


@dataclass(frozen=True)
class Split:
    """How often each sample of one generator stands in each part: counts is (B, repetitions, parts, members)."""

    start: int  # the first replicate
    generator: int
    members: Ints
    counts: Floats


def splits(design: Design, weights: Weights, *, parts: int, repetitions: int, seed: int) -> Iterator[Split]:
    """Every generator's samples cut into `parts` of equal size (one more or less), `repetitions` times, seeded.

    A replicate is split as what it is, a multiset: two copies of a sample may fall in different parts.
    """
    if parts < 2 or repetitions < 1:
        raise ValueError(f"parts and repetitions: expected 2 and 1 or more, found {parts} and {repetitions}")
    rng = np.random.default_rng(seed)
    generator = dense_codes(design.generator)
    for code in range(int(generator.max()) + 1 if design.size else 0):
        members = np.flatnonzero(generator == code)
        height = max(1, CELLS // (repetitions * parts * len(members)))
        for start in range(0, weights.replicates, height):
            drawn = weights.block(start, start + height).take(members).expand()
            yield Split(start, code, members, _split(drawn, parts, repetitions, rng))


def _split(drawn: Floats, parts: int, repetitions: int, rng: np.random.Generator) -> Floats:
    replicates, members = drawn.shape
    copies = np.repeat(_copies(drawn), repetitions, axis=0)
    shuffled = rng.permuted(copies, axis=1)
    # Deal the shuffled copies in turn; -1 fills up replicates that hold fewer and is passed over.
    is_copy = shuffled >= 0
    part = (np.cumsum(is_copy, axis=1) - 1) % parts
    row = np.arange(len(shuffled))[:, None]
    cell = ((row * parts + part) * members + shuffled)[is_copy]
    counts = np.bincount(cell, minlength=len(shuffled) * parts * members).astype(np.float64)
    return counts.reshape(replicates, repetitions, parts, members)


def _copies(drawn: Floats) -> Ints:
    """(B, most copies): the members of each replicate, as often as they were drawn, then -1."""
    counts = np.rint(drawn).astype(np.intp)
    if not np.array_equal(counts, drawn):
        raise ValueError("weights: expected whole numbers, since copies of samples are split")
    totals = counts.sum(axis=1)
    table = np.full((len(counts), int(totals.max(initial=0))), -1, dtype=np.intp)
    is_held = np.arange(table.shape[1]) < totals[:, None]
    table[is_held] = np.repeat(np.tile(np.arange(counts.shape[1]), len(counts)), counts.ravel())
    return table
