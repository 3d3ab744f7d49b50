"""Keep only prompts that were rated often enough on every generator."""

import numpy as np

from metaeval.stats.design import Bools, Design, Ints


def complete_prompts(counts: Ints, design: Design, *, ratings_at_least: int) -> Bools:
    """(samples,): whether the sample's prompt has at least `ratings_at_least` ratings on every generator that occurs.

    A prompt that lacks a generator is not complete. Where a prompt has several samples of one generator, each of them
    needs the ratings. (The rule that left 280 of 400 prompts in the study of Voas et al.)
    """
    if counts.shape != (design.size,):
        raise ValueError(f"counts: expected one number for each of {design.size} samples, found shape {counts.shape}")
    if not design.size:
        return np.zeros(0, dtype=bool)
    generators, generator = np.unique(design.generator, return_inverse=True)
    prompts, prompt = np.unique(design.prompt, return_inverse=True)
    present = np.zeros((len(prompts), len(generators)), dtype=bool)
    present[prompt, generator] = True
    complete: Bools = np.all(present, axis=1)
    complete[prompt[counts < ratings_at_least]] = False
    kept: Bools = complete[prompt]
    return kept
