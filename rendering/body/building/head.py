"""The head: skull, jaw, nose, brow, eyes, mouth, ears and a cap of hair, so that one sees where the person looks."""

from typing import Final

import numpy as np

from rendering.body.building.shapes import Array, carved, ellipsoid, joined, round_cone, shared, unit, vector

# The hairline is a plane from the forehead, over the ears, down to the nape.
_FOREHEAD: Final = (0.0, 0.806, 0.098)
_NAPE: Final = (0.0, 0.676, -0.090)


def above_hairline(points: Array) -> Array:
    """Metres above the plane of the hairline; it dips at the temples."""
    along = unit(vector(_FOREHEAD) - vector(_NAPE))
    normal = np.cross(along, (1.0, 0.0, 0.0))
    normal = normal if normal[1] > 0 else -normal
    return np.asarray((points - vector(_FOREHEAD)) @ normal)


def head(points: Array) -> Array:
    shape = ellipsoid(points, (0, 0.746, 0.010), (0.0745, 0.094, 0.095))
    face = ellipsoid(points, (0, 0.705, 0.046), (0.058, 0.080, 0.066))
    shape = joined(shape, face, 0.040)
    jaw = round_cone(points, (0.040, 0.676, 0.030), (0.012, 0.638, 0.084), 0.024, 0.021)
    shape = joined(shape, jaw, 0.040)
    shape = joined(shape, ellipsoid(points, (0, 0.632, 0.094), (0.019, 0.015, 0.016)), 0.022)
    cheek = ellipsoid(points, (0.043, 0.704, 0.082), (0.022, 0.020, 0.020))
    shape = joined(shape, cheek, 0.025)
    shape = joined(shape, round_cone(points, (0.004, 0.752, 0.103), (0.046, 0.750, 0.084), 0.011, 0.010), 0.018)
    shape = carved(shape, ellipsoid(points, (0.031, 0.730, 0.119), (0.020, 0.012, 0.016)), 0.014)
    shape = joined(shape, ellipsoid(points, (0.031, 0.730, 0.092), (0.0145, 0.0125, 0.0145)), 0.004)
    shape = _with_nose_and_mouth(points, shape)
    ear = ellipsoid(points, (0.078, 0.716, 0.000), (0.010, 0.031, 0.019), _turned(0.35))
    ear = carved(ear, ellipsoid(points, (0.090, 0.718, 0.004), (0.010, 0.020, 0.011)), 0.006)
    shape = joined(shape, ear, 0.008)
    return joined(shape, hair(points), 0.003)


def hair(points: Array) -> Array:
    cap = ellipsoid(points, (0, 0.756, 0.002), (0.0835, 0.0985, 0.1045))
    return shared(cap, -above_hairline(points), 0.010)


def _with_nose_and_mouth(points: Array, shape: Array) -> Array:
    shape = joined(shape, round_cone(points, (0, 0.738, 0.108), (0, 0.700, 0.130), 0.0075, 0.0115), 0.014)
    shape = joined(shape, ellipsoid(points, (0.010, 0.696, 0.118), (0.009, 0.0075, 0.010)), 0.008)
    upper_lip = ellipsoid(points, (0, 0.670, 0.110), (0.022, 0.0060, 0.0085))
    lower_lip = ellipsoid(points, (0, 0.659, 0.107), (0.019, 0.0065, 0.0090))
    shape = joined(shape, upper_lip, 0.010)
    return joined(shape, lower_lip, 0.007)


def _turned(angle: float) -> Array:
    """An ear stands off the head at its back edge."""
    cosine, sine = np.cos(angle), np.sin(angle)
    return np.array([[cosine, 0.0, sine], [0.0, 1.0, 0.0], [-sine, 0.0, cosine]])
