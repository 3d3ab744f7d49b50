"""Williams' test of two correlations that share a variable; for independent units only."""

import numpy as np
from scipy.stats import t as student

__all__ = ["williams_p"]


def williams_p(r_a: float, r_b: float, r_ab: float, n: int) -> float | None:
    """Two-sided p that metrics A and B correlate equally with the labels.

    `r_a` and `r_b`: with the labels; `r_ab`: with each other; `n` independent units. Steiger 1980, "Tests for Comparing
    Elements of a Correlation Matrix", Psychological Bulletin 87, eq. 7, after Williams 1959; used on metrics by Graham
    & Baldwin 2014. As there, signs are dropped: a metric that follows people upside down follows them. Samples that
    share a prompt are not independent: use `compare_metrics` for them. None for fewer than 4 units.
    """
    if n < 4:
        return None
    first, second, common = abs(r_a), abs(r_b), abs(r_ab)
    determinant = 1 - first**2 - second**2 - common**2 + 2 * first * second * common
    mean = (first + second) / 2
    room = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - common) ** 3
    # No room: the metrics are one and the same, or their correlations contradict each other by rounding.
    if not room > 0:
        return 1.0 if first == second else None
    statistic = (first - second) * np.sqrt((n - 1) * (1 + common) / room)
    return float(2 * student.sf(abs(statistic), n - 3))
