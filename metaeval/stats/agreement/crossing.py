"""Do raters cross? Two-way models need samples that the same raters have all rated."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from metaeval.stats.agreement.pairable import check_table
from metaeval.stats.design import Floats, Ints

# Two crowd workers who shared one HIT are a complete block as well, but say nothing about the other raters.
SMALLEST_SHARE: Final = 0.5


@dataclass(frozen=True)
class Block:
    """Raters and units without a missing rating; `refusal` says why it will not do."""

    raters: Ints
    units: Ints
    note: str
    refusal: str = ""

    def table(self, ratings: Floats) -> Floats:
        return ratings[np.ix_(self.raters, self.units)]


def largest_complete_block(ratings: Floats) -> Block:
    """The most ratings in a block of at least 2 raters x 2 units without a hole.

    The largest block is hard to find in general; here raters are added from the busiest on, and the best of these
    blocks is taken, which finds it wherever raters were meant to cross. It must hold half of all ratings.
    """
    check_table(ratings)
    given = ~np.isnan(ratings)
    busiest = np.argsort(-given.sum(axis=1), kind="stable")
    complete = np.cumprod(given[busiest], axis=0).sum(axis=1) if given.size else np.zeros(len(given))
    sizes = complete * np.arange(1, len(given) + 1)
    sizes[:1] = 0
    sizes[complete < 2] = 0
    if not sizes.any():
        empty = np.zeros(0, np.intp)
        return Block(
            empty, empty, "", "undefined: raters do not cross (the busiest raters share fewer than two samples)"
        )
    raters = np.sort(busiest[: int(np.argmax(sizes)) + 1])
    units = np.flatnonzero(given[raters].all(axis=0))
    share = len(raters) * len(units) / given.sum()
    shape = f"{len(raters)} raters x {len(units)} samples, {share:.0%} of the ratings"
    if share < SMALLEST_SHARE:
        return Block(raters, units, "", f"undefined: raters do not cross (the complete block found is only {shape})")
    return Block(raters, units, f"complete block of {shape}")
