"""Which units a replicate draws: bootstrap and leave-one-out as matrices of weights.

The default unit is the whole prompt, generators fixed: samples of one prompt share its difficulty, and intervals that
treat them as independent are too narrow (Deutsch, Dror & Roth 2021, "A Statistical Analysis of Summarization Evaluation
Metrics using Resampling Methods", TACL 9).
"""

import numpy as np

from metaeval.stats.design import Design, Floats, Ints, Unit, Weights

__all__ = ["JACKKNIFE_GROUPS", "draw_weights", "jackknife_weights", "units_of"]

# More units than this are left out in groups: the acceleration of BCa needs no finer grain, and time grows with n^2.
JACKKNIFE_GROUPS = 2_000
# Integers drawn at once, so that no temporary exceeds about 64 MB.
BLOCK = 8_000_000


def draw_weights(design: Design, *, unit: Unit = "prompt", replicates: int, seed: int) -> Weights:
    """How often each unit is drawn in each of `replicates` bootstrap replicates, with replacement.

    `prompt+generator` draws prompts and generators independently; a sample counts prompt draws x generator draws, and
    the columns are the prompt x generator cells that exist (Owen 2007, "The pigeonhole bootstrap").
    """
    if replicates < 1:
        raise ValueError(f"replicates: expected at least 1, found {replicates}")
    rng = np.random.default_rng(seed)
    if unit == "prompt+generator":
        return _draw_both(design, replicates, rng)
    unit_of, size = units_of(design, unit)
    return Weights(_draw_counts(size, replicates, rng), unit_of)


def jackknife_weights(design: Design, unit: Unit = "prompt") -> Weights:
    """One replicate for each unit left out.

    More than 2,000 units are dealt in turn to 2,000 groups, of which one is left out at a time. Prompts and generators
    together have no leave-one-out that fits BCa: that unit is refused.
    """
    if unit == "prompt+generator":
        raise ValueError("unit: expected prompt, sample or generator, found 'prompt+generator' (use percentiles)")
    unit_of, size = units_of(design, unit)
    groups = min(size, JACKKNIFE_GROUPS)
    return Weights(np.ones((groups, groups)) - np.eye(groups), unit_of % max(groups, 1))


def units_of(design: Design, unit: Unit) -> tuple[Ints, int]:
    """The unit of each sample, as codes from 0 without gaps, and how many units there are."""
    if unit == "sample":
        return np.arange(design.size), design.size
    if unit not in ("prompt", "generator"):
        raise ValueError(f"unit: expected prompt, sample, generator or prompt+generator, found {unit!r}")
    found, codes = np.unique(design.prompt if unit == "prompt" else design.generator, return_inverse=True)
    return codes.astype(np.intp), len(found)


def _draw_counts(size: int, replicates: int, rng: np.random.Generator) -> Floats:
    counts = np.empty((replicates, size))
    # Small integers are drawn two to four times as fast, and a row that stays in the cache is counted fastest.
    kind = np.uint16 if size <= 2**16 else np.uint32
    step = max(1, BLOCK // max(size, 1))
    for start in range(0, replicates, step):
        drawn = rng.integers(0, size, (min(step, replicates - start), size), dtype=kind)
        for row, units in enumerate(drawn, start):
            counts[row] = np.bincount(units, minlength=size)
    return counts


def _draw_both(design: Design, replicates: int, rng: np.random.Generator) -> Weights:
    prompt, prompts = units_of(design, "prompt")
    generator, generators = units_of(design, "generator")
    of_prompts = _draw_counts(prompts, replicates, rng)
    of_generators = _draw_counts(generators, replicates, rng)
    cells, cell_of = np.unique(prompt * generators + generator, return_inverse=True)
    counts = of_prompts[:, cells // generators] * of_generators[:, cells % generators]
    return Weights(counts, cell_of.astype(np.intp))
