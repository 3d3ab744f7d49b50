import warnings
from typing import Literal

import krippendorff
import numpy as np
import numpy.typing as npt

Measurement = Literal["nominal", "ordinal", "interval", "ratio"]


def krippendorff_alpha(ratings: npt.NDArray[np.float64], *, measurement: Measurement) -> float | None:
    """Alpha of a (raters, units) array with NaN where a rater gave none; None where it is undefined.

    Undefined: no unit has two ratings, or every rating is the same value.
    """
    paired = ratings[:, (~np.isnan(ratings)).sum(axis=0) >= 2]
    if not paired.size or len(np.unique(paired[~np.isnan(paired)])) < 2:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        return float(krippendorff.alpha(reliability_data=paired, level_of_measurement=measurement))
