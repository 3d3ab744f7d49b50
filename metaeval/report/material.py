"""Ratings and scores as arrays: what the readers make of two files and the analysis works on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from metaeval.stats.design import Bools, Design, Floats, Ints

Direction = Literal["higher", "lower", "target"]
Measurement = Literal["nominal", "ordinal", "interval", "ratio"]


@dataclass(frozen=True)
class Ratings:
    """Every rating, one entry each, as codes into `Material.samples` and `raters`; derived criteria included."""

    sample: Ints
    rater: Ints
    value: Floats
    occasion: Ints


@dataclass(frozen=True)
class CriterionFacts:
    """What is known about a criterion. Higher is better here: where a low rating is good, values were turned."""

    measurement: Measurement = "ordinal"
    positive_cut: float | None = None  # positive is >= it
    scale: tuple[float, ...] = ()  # the values that can be given; none: unknown, or any from low to high
    low: float | None = None
    high: float | None = None
    formula: str = ""  # of a derived criterion
    is_turned: bool = False  # low + high - value stands where the file has value


@dataclass(frozen=True)
class Metric:
    """One metric's scores: on samples, or imported for whole generators (FID), or both."""

    name: str
    direction: Direction
    is_reference_based: bool
    values: Floats  # (samples,), NaN where there is none, as read: the sign is not turned
    of_generators: Floats  # (generators,), NaN where there is none
    of_subsets: Mapping[tuple[int, str], float] = field(default_factory=dict)  # (generator, subset) -> value
    target: float | None = None  # the value to be near, for direction "target"
    won_search: str = ""  # the grid's name, where the metric is one member of a search
    notes: tuple[str, ...] = ()

    def turned(self, values: Floats) -> Floats:
        """Values of this metric such that higher is better: x, -x, or -|x - target|."""
        if self.direction == "higher":
            return values
        if self.direction == "lower":
            return -values
        if self.target is None:
            raise ValueError(f"metric {self.name}: expected a target, for its direction is target, found none")
        return -np.abs(values - self.target)


@dataclass(frozen=True)
class Material:
    """What an analysis is made from. Every array of samples is in the order of `samples`."""

    samples: tuple[str, ...]
    prompts: tuple[str, ...]
    generators: tuple[str, ...]
    raters: tuple[str, ...]
    design: Design
    ratings: Mapping[str, Ratings]  # criterion -> its ratings
    metrics: tuple[Metric, ...]
    reference: int | None = None  # the code of the generator `reference`
    subsets: Mapping[str, Bools] = field(default_factory=dict)  # named sub-split -> which samples are in it
    warnings: tuple[str, ...] = ()
    criteria: Mapping[str, CriterionFacts] = field(default_factory=dict)  # one for each of `ratings`
    oracle: int | None = None  # the code of the rater whose ratings are the labels

    def table(self, criterion: str) -> Floats:
        """(raters, samples) of first occasions, NaN where a rater gave none."""
        given = self.ratings[criterion]
        table = np.full((len(self.raters), len(self.samples)), np.nan)
        # Backwards, so that of several occasions the first one stays.
        order = np.argsort(-given.occasion, kind="stable")
        table[given.rater[order], given.sample[order]] = given.value[order]
        return table
