"""Generators as points: the means over their samples, in every replicate."""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.association.float_noise import snap_rows
from metaeval.stats.association.multiplicity import dense_codes, multiplicity
from metaeval.stats.design import Design, Floats, Weights

# Rounding of a sum over some thousand samples, relative to the largest of them.
NOISE = 1e-12


@dataclass(frozen=True)
class GeneratorPoints:
    """Weighted means of m variables; a generator that a replicate holds no sample of has weight 0."""

    means: Floats  # (m, B, generators)
    weights: Floats  # (B, generators)


def generator_points(values: Floats, design: Design, weights: Weights) -> GeneratorPoints:
    """Means of (m, n) values for each generator and replicate, by products over units."""
    generator = dense_codes(design.generator)
    count = int(generator.max()) + 1
    # Relative to the first sample: then a constant has means of exactly 0, and nothing is lost to a common size.
    origin = values[:, :1]
    # Sums over each generator's samples by unit, then one product with the counts.
    sums = np.zeros((len(values) + 1, weights.counts.shape[1], count))
    for row, variable in enumerate(np.concatenate([values - origin, np.ones((1, design.size))])):
        np.add.at(sums[row], (weights.unit_of, generator), variable)
    totals = weights.counts @ sums[-1]
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(totals > 0, (weights.counts @ sums[:-1]) / totals, 0.0)
    counted = multiplicity(generator, design.prompt, weights)
    # Copies of a generator are whole copies: the mean weight of its samples may be off by missing ones.
    counted = np.where(totals > 0, np.maximum(np.rint(counted), 1.0), 0.0)
    for row, variable in enumerate(values - origin):
        means[row] = snap_rows(means[row], tolerance=NOISE * float(np.abs(variable).max())) + origin[row]
    return GeneratorPoints(np.asarray(means, dtype=np.float64), counted)
