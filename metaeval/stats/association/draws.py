"""Replicates as the kernels want them: samples down, replicates across, and a worker for each core."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from metaeval.stats.design import Floats, Ints, Weights

# Cells of a (samples, replicates) block: small enough to stay near the cache, large enough to feed BLAS.
CELLS = 2_000_000
WORKERS = 2
# Whole numbers below this add up exactly in single precision.
EXACT_SINGLE = float(2**24)
Real = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Draws:
    """The weights of all samples in some replicates, kept by unit: `rows` is (units, replicates), `unit` is (n,).

    Transposed against `Weights`, because putting samples in the order of a score then copies whole rows, and sums over
    samples run over contiguous replicates.
    """

    rows: Real
    unit: Ints

    @property
    def size(self) -> int:
        return len(self.unit)

    @cached_property
    def doubles(self) -> Floats:
        return self.rows.astype(np.float64, copy=False)

    @cached_property
    def unit_sizes(self) -> Floats:
        return np.bincount(self.unit, minlength=len(self.rows)).astype(np.float64)

    @cached_property
    def total(self) -> Floats:
        """(B,): how many samples, copies counted, each replicate holds."""
        return self.power(1)

    def power(self, exponent: int) -> Floats:
        """(B,): the sum over samples of the weight to this power."""
        return np.asarray(self.unit_sizes @ self.doubles**exponent, dtype=np.float64)

    def present(self) -> Floats:
        """(B,): how many different samples each replicate holds."""
        return np.asarray(self.unit_sizes @ (self.doubles > 0), dtype=np.float64)

    def ordered(self, order: Ints) -> Real:
        """(n, B): the weights of the samples in this order."""
        return self.rows[self.unit[order]]

    def ordered_doubles(self, order: Ints) -> Floats:
        return self.doubles[self.unit[order]]

    def sums(self, values: Floats) -> Floats:
        """(m, B): the weighted sums of m rows of sample values, by one product over units."""
        by_unit = np.zeros((len(values), len(self.rows)))
        np.add.at(by_unit.T, self.unit, values.T)
        return np.asarray(by_unit @ self.doubles, dtype=np.float64)


def draws_of(weights: Weights) -> Draws:
    """The whole bootstrap, in single precision where that is exact."""
    counts = weights.counts
    used = np.zeros(counts.shape[1], dtype=bool)
    used[weights.unit_of] = True
    # A selection of samples leaves units behind; they must not cost time.
    if not used.all():
        renumbered = np.cumsum(used) - 1
        counts, unit = counts[:, used], renumbered[weights.unit_of]
    else:
        unit = weights.unit_of
    rows = np.ascontiguousarray(counts.T)
    is_exact = _single_is_exact(rows, len(unit))
    return Draws(rows.astype(np.float32) if is_exact else rows, unit)


def _single_is_exact(rows: Floats, size: int) -> bool:
    """Whether every sum that the kernels form before they turn to doubles is a whole number below 2**24.

    The largest are a pair count within a block of at most 256 samples, and a sum of weights over all samples.
    """
    if not rows.size or rows.min() < 0 or not np.array_equal(rows, np.rint(rows)):
        return False
    peak = float(rows.max())
    return (256 * peak) ** 2 < EXACT_SINGLE and 4 * size * peak < EXACT_SINGLE


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


def over_blocks(draws: Draws, kernel: Callable[[Draws], Floats], *, cells: int = CELLS) -> Floats:
    """Run a kernel ((n, B) weights -> (..., B)) on blocks of replicates, one worker a core."""
    replicates = draws.rows.shape[1]
    width = max(32, min(cells // max(draws.size, 1), -(-replicates // WORKERS)))
    if replicates <= width:
        return kernel(draws)
    blocks = [
        Draws(np.ascontiguousarray(draws.rows[:, start : start + width]), draws.unit)
        for start in range(0, replicates, width)
    ]
    # A worker a core and BLAS threads besides would wait for each other: a tenfold loss on small products.
    with _blas().limit(limits=1, user_api="blas"), ThreadPoolExecutor(WORKERS) as pool:
        return np.concatenate(list(pool.map(kernel, blocks)), axis=-1)
