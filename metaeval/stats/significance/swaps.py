"""Who swaps with whom: the swap matrix of a paired test, and two metrics brought to one scale and one order."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from metaeval.stats.design import Bools, Floats, Ints

__all__ = ["Swaps", "draw_swaps", "merged_codes", "standardised", "swaps_of"]

# Standardising leaves rounding of about 1e-15: equal values of two metrics must stay equal.
SAME = 1e-10
KEPT = 4_000_000


@dataclass(frozen=True)
class Swaps:
    """`drawn` (m, units): whether a unit's two scores change places; `unit_of` (n,): each sample's unit."""

    drawn: Bools
    unit_of: Ints
    _kept: dict[str, npt.NDArray[Any]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def permutations(self) -> int:
        return len(self.drawn)

    @property
    def units(self) -> int:
        return int(self.drawn.shape[1])

    def floats(self, rows: slice, kind: npt.DTypeLike = np.float64) -> npt.NDArray[Any]:
        """Some permutations as numbers. Small matrices are converted once and kept: every pair wants them."""
        if self.drawn.size > KEPT:
            return self.drawn[rows].astype(kind)
        kept = self._kept.get(np.dtype(kind).name)
        if kept is None:
            kept = self._kept[np.dtype(kind).name] = self.drawn.astype(kind)
        return kept[rows]


def draw_swaps(units: int, permutations: int, seed: int) -> Bools:
    """Drawn once and shared by all pairs, so that their tests differ by the scores alone."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 2, (permutations, units), dtype=np.int8).view(np.bool_)


def swaps_of(drawn: Bools, unit_of: Ints, rows: Ints) -> Swaps:
    """The same swaps for some of the samples: units without any of them are left out."""
    present, codes = np.unique(unit_of[rows], return_inverse=True)
    kept = drawn if len(present) == drawn.shape[1] else np.ascontiguousarray(drawn[:, present])
    return Swaps(kept, codes.astype(np.intp))


def standardised(scores: Floats) -> Floats:
    """(m, n) with mean 0 and standard deviation 1 in every row; constant rows become NaN."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    deviation = centred.std(axis=1, keepdims=True)
    constant = np.all(scores == scores[:, :1], axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        result: Floats = np.where(constant, np.nan, centred / deviation)
    return result


def merged_codes(a: Floats, b: Floats) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """The order of the values of both metrics together, as integers.

    Values of one metric keep their own order and ties exactly; a value of one and a neighbouring value of the other
    are one value where they differ by rounding only.
    """
    values = np.concatenate([a, b])
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    of_b = order >= len(a)
    steps = np.diff(ordered)
    apart = np.where(of_b[1:] == of_b[:-1], steps > 0, steps > SAME)
    codes = np.empty(len(values), dtype=np.int32)
    codes[order] = np.concatenate([[0], np.cumsum(apart)])
    return codes[: len(a)], codes[len(a) :]
