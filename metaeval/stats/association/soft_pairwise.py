"""Pairwise accuracy of generators, plain and soft.

Soft pairwise accuracy (Thompson, Mathur, Deutsch and Khayrallah 2024, "Improving Statistical Significance in Human
Evaluation of Automatic Metrics via Soft Pairwise Accuracy"): 1 less the mean over pairs of generators of
|p by people - p by the metric|, where p is the one-sided paired permutation p that the first generator is better.
"""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.association.generators import generator_points
from metaeval.stats.association.multiplicity import dense_codes
from metaeval.stats.association.pair_rows import acc_eq_rows
from metaeval.stats.design import Design, Floats, Ints, Weights, once

# Relative to the sum of absolute differences: a shuffle as extreme as the data must count in spite of rounding.
ROUNDING = 1e-10


@dataclass(frozen=True)
class SoftPairwise:
    value: float  # NaN where there are fewer than two generators with common prompts
    pairs: int
    permutations: int


def pairwise_accuracy(scores: Floats, labels: Floats, design: Design, *, weights: Weights | None = None) -> Floats:
    """(B,): the share of pairs of generators that the metric's means order as people's do (Kocmi et al. 2021)."""
    points = generator_points(np.stack([scores, labels]), design, once(design) if weights is None else weights)
    return acc_eq_rows(points.means[0], points.means[1], points.weights)


def soft_pairwise_accuracy(
    scores: Floats, labels: Floats, design: Design, *, permutations: int = 1000, seed: int = 0
) -> SoftPairwise:
    """Signs are drawn once for people and metric, so that what luck there is cancels in the difference."""
    return soft_pairwise_accuracy_many(scores[None], labels, design, permutations=permutations, seed=seed)[0]


def soft_pairwise_accuracy_many(
    scores: Floats, labels: Floats, design: Design, *, permutations: int = 1000, seed: int = 0
) -> list[SoftPairwise]:
    """The same for (m, n) scores; people's p are computed once."""
    table = _table(np.concatenate([labels[None], scores]), design)
    p, pairs = _pairwise_p(table, permutations, np.random.default_rng(seed))
    distances = np.abs(p[1:] - p[0])
    return [SoftPairwise(1.0 - float(row.mean()) if pairs else float("nan"), pairs, permutations) for row in distances]


def _table(values: Floats, design: Design) -> Floats:
    """(m, prompts, generators): the mean over each cell's samples, NaN where there is none."""
    prompt, generator = dense_codes(design.prompt), dense_codes(design.generator)
    shape = (int(prompt.max()) + 1, int(generator.max()) + 1)
    count = np.zeros(shape)
    np.add.at(count, (prompt, generator), 1.0)
    sums = np.zeros((len(values), *shape))
    for row, variable in zip(sums, values, strict=True):
        np.add.at(row, (prompt, generator), variable)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(count > 0, sums / count, np.nan)


def _pairwise_p(table: Floats, permutations: int, rng: np.random.Generator) -> tuple[Floats, int]:
    """(m, pairs): the share of swaps of prompts between two generators that favour the first as much as the data."""
    signs = np.where(rng.random((permutations, table.shape[1])) < 0.5, -1.0, 1.0)
    first, second = _crossing_pairs(table)
    result = np.empty((len(table), len(first)))
    for row, variable in zip(result, table, strict=True):
        # Prompts that one of the two lacks add nothing, swapped or not.
        difference = np.nan_to_num(variable[:, first] - variable[:, second], nan=0.0)
        observed = difference.sum(axis=0) - ROUNDING * np.abs(difference).sum(axis=0)
        row[:] = (signs @ difference >= observed).mean(axis=0)
    return result, len(first)


def _crossing_pairs(table: Floats) -> tuple[Ints, Ints]:
    """Pairs of generators that have a prompt in common."""
    held = (~np.isnan(table[0])).astype(np.float64)
    first, second = np.triu_indices(table.shape[2], 1)
    common = (held.T @ held)[first, second] > 0
    return first[common], second[common]
