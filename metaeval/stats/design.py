"""What a statistic is computed on: which prompt and generator each sample belongs to, and how often it was drawn."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]

Unit = Literal["prompt", "sample", "generator", "rater", "prompt+generator"]
Level = Literal["sample", "prompt", "within_generator", "generator", "subsplit"]
LEVELS: tuple[Level, ...] = ("sample", "prompt", "within_generator", "generator", "subsplit")


@dataclass(frozen=True)
class Design:
    """The prompt and the generator of each of n samples, as codes from 0."""

    prompt: Ints
    generator: Ints

    def __post_init__(self) -> None:
        if self.prompt.shape != self.generator.shape or self.prompt.ndim != 1:
            raise ValueError(
                f"prompt and generator: expected two arrays of one length, "
                f"found {self.prompt.shape} and {self.generator.shape}"
            )

    @property
    def size(self) -> int:
        return len(self.prompt)

    def take(self, rows: Bools | Ints) -> "Design":
        """Some of the samples; the codes stay as they are."""
        return Design(self.prompt[rows], self.generator[rows])


@dataclass(frozen=True)
class Weights:
    """How often each resampling unit was drawn, in each of B replicates: the whole bootstrap as one matrix.

    `counts` is (B, units); `unit_of` gives the unit of each of the n samples. A unit that was drawn twice counts twice.
    Drawn once and shared by all metrics, so that differences between them are paired.
    """

    counts: Floats
    unit_of: Ints

    @property
    def replicates(self) -> int:
        return len(self.counts)

    def expand(self) -> Floats:
        """(B, n): the weight of each sample."""
        return self.counts[:, self.unit_of]

    def take(self, rows: Bools | Ints) -> "Weights":
        """The same draws for some of the samples."""
        return Weights(self.counts, self.unit_of[rows])

    def block(self, start: int, stop: int) -> "Weights":
        """Some of the replicates, so that memory stays bounded."""
        return Weights(self.counts[start:stop], self.unit_of)


def once(design: Design) -> Weights:
    """Every sample once: the weights of the point estimate."""
    return Weights(np.ones((1, 1)), np.zeros(design.size, dtype=np.intp))
