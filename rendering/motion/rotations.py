"""Rotation matrices over frames, from the forms that motion files use."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

__all__ = ["about_axis", "about_y", "from_axis_angle"]


def about_axis(axis: int, radians: Array) -> Array:
    """Rotations by `radians` (frames,) about x, y or z: (frames, 3, 3)."""
    one, two = (axis + 1) % 3, (axis + 2) % 3
    matrices = np.zeros((*radians.shape, 3, 3))
    matrices[..., axis, axis] = 1
    matrices[..., one, one] = matrices[..., two, two] = np.cos(radians)
    matrices[..., two, one] = np.sin(radians)
    matrices[..., one, two] = -np.sin(radians)
    return matrices


def about_y(radians: Array, vectors: Array) -> Array:
    """`vectors` (frames, ..., 3), each frame turned about the vertical."""
    turned: Array = np.einsum("fij,f...j->f...i", about_axis(1, radians), vectors)
    return turned


def from_axis_angle(vectors: Array) -> Array:
    """Rodrigues' formula over (..., 3) axis times angle: (..., 3, 3)."""
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    # A rotation by nothing has no axis; any will do.
    axis = vectors / np.maximum(angle[..., 0], 1e-12)
    cross = np.zeros((*vectors.shape[:-1], 3, 3))
    cross[..., 0, 1], cross[..., 0, 2], cross[..., 1, 2] = -axis[..., 2], axis[..., 1], -axis[..., 0]
    cross[..., 1, 0], cross[..., 2, 0], cross[..., 2, 1] = axis[..., 2], -axis[..., 1], axis[..., 0]
    matrices: Array = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross)
    return matrices
