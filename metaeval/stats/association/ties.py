"""Groups of tied values and what they weigh in every replicate."""

from dataclasses import dataclass

import numpy as np

from metaeval.stats.association.draws import Draws
from metaeval.stats.design import Floats, Ints

# Up to this many groups, their weights are one product with a (groups, units) table of counts.
FEW_GROUPS = 64


@dataclass(frozen=True)
class TieGroups:
    """The samples in ascending order of a value, and where each run of equal values starts."""

    order: Ints
    starts: Ints
    codes: Ints  # (n,): the group of each sample, in the samples' own order

    @property
    def count(self) -> int:
        return len(self.starts)

    @property
    def untied(self) -> bool:
        return self.count == len(self.order)

    @property
    def sizes(self) -> Ints:
        return np.diff(self.starts, append=len(self.order))

    def totals(self, draws: Draws) -> Floats:
        """(groups, B): how much each group of equal values weighs."""
        if self.count <= FEW_GROUPS:
            table = np.zeros((self.count, len(draws.rows)))
            np.add.at(table, (self.codes, draws.unit), 1.0)
            return np.asarray(table @ draws.doubles, dtype=np.float64)
        ordered = draws.ordered_doubles(self.order)
        return ordered if self.untied else np.add.reduceat(ordered, self.starts, axis=0)

    def power(self, draws: Draws, exponent: int) -> Floats:
        """(B,): the sum over groups of their weight to this power: n^2 less this counts the untied pairs twice."""
        if self.untied:
            return draws.power(exponent)
        return np.asarray((self.totals(draws) ** exponent).sum(axis=0), dtype=np.float64)

    def distinct(self, draws: Draws) -> Floats:
        """(B,): how many different values each replicate holds."""
        if self.untied:
            return draws.present()
        return np.asarray((self.totals(draws) > 0).sum(axis=0), dtype=np.float64)


def tie_groups(values: Floats) -> TieGroups:
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.ones(len(values), dtype=bool)
    begins[1:] = ordered[1:] != ordered[:-1]
    codes = np.empty(len(values), dtype=np.intp)
    codes[order] = np.cumsum(begins) - 1
    return TieGroups(order=order, starts=np.flatnonzero(begins), codes=codes)


def joint_groups(first: TieGroups, second: TieGroups) -> TieGroups:
    """Groups of samples that are tied on both sides."""
    return tie_groups((first.codes * second.count + second.codes).astype(np.float64))
