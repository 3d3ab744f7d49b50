"""How alike two pictures are: the structural similarity of Wang et al. 2004, on luma."""

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter

SIGMA = 1.5
K1, K2, RANGE = 0.01, 0.03, 255.0

Picture = npt.NDArray[np.uint8]
Values = npt.NDArray[np.float64]


def ssim(a: Picture, b: Picture) -> float:
    """1 for the same picture, about 0 for unrelated ones; pictures are (height, width, 3)."""
    if a.shape != b.shape:
        raise ValueError(f"expected two pictures of one shape, found {a.shape} and {b.shape}")
    return float(ssim_map(a, b).mean())


def ssim_map(a: Picture, b: Picture) -> Values:
    """The same at every pixel."""
    x, y = luma(a), luma(b)
    mean_x, mean_y = blurred(x), blurred(y)
    variance_x, variance_y = blurred(x * x) - mean_x**2, blurred(y * y) - mean_y**2
    covariance = blurred(x * y) - mean_x * mean_y
    c1, c2 = (K1 * RANGE) ** 2, (K2 * RANGE) ** 2
    similar: Values = ((2 * mean_x * mean_y + c1) * (2 * covariance + c2)) / (
        (mean_x**2 + mean_y**2 + c1) * (variance_x + variance_y + c2)
    )
    return similar


def luma(picture: Picture) -> Values:
    weighed: Values = picture.astype(np.float64) @ np.array([0.299, 0.587, 0.114])
    return weighed


def blurred(values: Values) -> Values:
    # 11 x 11 pixels, as in the paper.
    out: Values = gaussian_filter(values, SIGMA, radius=5)
    return out
