"""Vertex normals: the mean of the faces around a vertex, by area."""

from functools import lru_cache

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from rendering.body.asset import Body


@lru_cache(maxsize=4)
def _faces_around(body: Body) -> scipy.sparse.csr_matrix:
    corners = body.faces.ravel()
    face = np.repeat(np.arange(len(body.faces)), 3)
    shape = (len(body.vertices), len(body.faces))
    return scipy.sparse.csr_matrix((np.ones(corners.size, dtype=np.float32), (corners, face)), shape=shape)


def vertex_normals(body: Body, vertices: NDArray[np.float32]) -> NDArray[np.float32]:
    """Unit normals of (T, V, 3) or (V, 3) vertices; up where all faces around a vertex are flat."""
    places = np.asarray(vertices, dtype=np.float32)
    if places.ndim not in (2, 3) or places.shape[-2:] != body.vertices.shape:
        raise ValueError(f"vertices: expected (frames, {len(body.vertices)}, 3) or one frame, found {places.shape}")
    if places.ndim == 3:
        out = np.empty_like(places)
        for number, frame in enumerate(places):
            out[number] = vertex_normals(body, frame)
        return out
    a, b, c = places[body.faces[:, 0]], places[body.faces[:, 1]], places[body.faces[:, 2]]
    total = _faces_around(body) @ _cross(b - a, c - a)
    length = np.sqrt(np.einsum("vi,vi->v", total, total))[:, None]
    return np.where(length > 1e-12, total / np.maximum(length, 1e-12), np.array([0, 1, 0], dtype=np.float32)).astype(
        np.float32
    )


def _cross(a: NDArray[np.float32], b: NDArray[np.float32]) -> NDArray[np.float32]:
    out = np.empty_like(a)
    for axis in range(3):
        second, third = (axis + 1) % 3, (axis + 2) % 3
        out[:, axis] = a[:, second] * b[:, third] - a[:, third] * b[:, second]
    return out
