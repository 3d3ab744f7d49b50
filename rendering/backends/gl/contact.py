"""The shade under what comes close to the floor: what lets a rater see that a foot touches, floats or slides.

Worked out on the processor from the vertices: 9,000 points into 64 by 64 cells is less work than a second drawing
of the whole body.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter

CELLS: Final = 64
FALL: Final = 0.12  # metres above the floor at which the shade is down to a third
_MARGIN: Final = 0.5  # metres around the body
_NARROW, _WIDE = 0.035, 0.11  # metres: how far the two layers of shade spread

__all__ = ["CELLS", "Contact", "contact_shade"]


class Contact(NamedTuple):
    """Shade on a square of the floor: `shade` (CELLS, CELLS), Z down the rows, 0 to 255."""

    shade: npt.NDArray[np.uint8]
    corner: tuple[float, float]  # its smallest X and Z
    side: float  # metres


def contact_shade(vertices: npt.NDArray[np.float32]) -> Contact:
    """How much of the sky the body takes from each place of the floor, near where it touches."""
    flat = vertices[:, (0, 2)]
    low, high = flat.min(axis=0), flat.max(axis=0)
    side = float((high - low).max()) + 2 * _MARGIN
    corner = (low + high) / 2 - side / 2
    cell = side / CELLS
    at = ((flat - corner) / cell).astype(np.intp)
    nearness = np.zeros(CELLS * CELLS, dtype=np.float32)
    np.maximum.at(nearness, at[:, 1] * CELLS + at[:, 0], np.exp(-np.maximum(vertices[:, 1], 0) / FALL))
    grid = nearness.reshape(CELLS, CELLS)
    shade = 0.5 * gaussian_filter(grid, _NARROW / cell) + 0.4 * gaussian_filter(grid, _WIDE / cell)
    return Contact(np.rint(np.clip(shade, 0, 1) * 255).astype(np.uint8), (float(corner[0]), float(corner[1])), side)
