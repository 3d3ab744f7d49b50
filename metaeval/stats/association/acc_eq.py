"""The chance level of pairwise accuracy with ties: what a metric with these ties gets by luck."""

import numpy as np

from metaeval.stats.association.multiplicity import dense_codes
from metaeval.stats.association.pairs import ratio
from metaeval.stats.association.ties import tie_groups
from metaeval.stats.design import Design, Floats, Ints, Level


def acc_eq_chance(scores: Floats, labels: Floats, design: Design, *, level: Level = "sample") -> float | None:
    """The mean acc_eq over all shuffles of the scores (within prompts at prompt level, within generators likewise).

    A shuffle pairs the scores' ties with the labels' at random: with p and q the shares of tied pairs, a pair is tied
    on both sides with probability p q and ordered alike with (1 - p)(1 - q) / 2. So a metric without ties
    is capped where people tie, and one that ties all is not: the reason to print it (Deutsch et al. 2023).
    """
    groups = {
        "sample": np.zeros(design.size, dtype=np.intp),
        "prompt": dense_codes(design.prompt),
        "within_generator": dense_codes(design.generator),
    }.get(level)
    if groups is None:
        raise ValueError(f"level: expected sample, prompt or within_generator, found {level!r}")
    if not design.size:
        return None
    tied_x, tied_y = _tied_share(scores, groups), _tied_share(labels, groups)
    chance = tied_x * tied_y + (1.0 - tied_x) * (1.0 - tied_y) / 2.0
    defined = chance[~np.isnan(chance)]
    return float(defined.mean()) if len(defined) else None


def _tied_share(values: Floats, groups: Ints) -> Floats:
    """(groups,): the share of a group's pairs that are tied; NaN where there is no pair."""
    codes = tie_groups(values).codes
    _, first, sizes = np.unique(groups * len(values) + codes, return_index=True, return_counts=True)
    tied = np.bincount(groups[first], weights=sizes * (sizes - 1.0)).astype(np.float64)
    size = np.bincount(groups).astype(np.float64)
    return ratio(tied, size * (size - 1.0))
