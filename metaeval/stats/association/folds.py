"""Folds that keep a prompt whole: what is chosen on some prompts is judged on others."""

import numpy as np

from metaeval.stats.association.multiplicity import dense_codes
from metaeval.stats.design import Ints


def folds_by_prompt(prompt: Ints, *, folds: int, seed: int) -> Ints:
    """(n,): the fold of each sample, as equal in prompts as can be; fewer folds where there are fewer prompts."""
    if folds < 2:
        raise ValueError(f"folds: expected 2 or more, found {folds}")
    codes = dense_codes(prompt)
    count = int(codes.max()) + 1 if len(codes) else 0
    dealt = np.arange(count) % min(folds, max(count, 1))
    return np.random.default_rng(seed).permutation(dealt).astype(np.intp)[codes]
