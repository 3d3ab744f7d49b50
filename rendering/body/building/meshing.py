"""From distances to a closed, exactly symmetric mesh: march half the body, thin it out, pull it back, mirror it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import fast_simplification
import numpy as np
import scipy.sparse
from numpy.typing import NDArray
from skimage.measure import marching_cubes

from rendering.body.building.shapes import Array

Field = Callable[[Array], Array]
Faces = NDArray[np.int64]

CELL: Final = 0.004
_BLOCK: Final = 12
_LOW: Final = np.array([0.0, -1.02, -0.20])
_HIGH: Final = np.array([0.80, 0.90, 0.24])


@dataclass(frozen=True, eq=False)
class Mesh:
    vertices: Array
    faces: Faces


def half_mesh(field: Field, *, faces: int) -> Mesh:
    """The surface at X >= 0, open along X = 0, with about `faces` triangles."""
    fine = _marched(field)
    vertices, triangles = fast_simplification.simplify(
        fine.vertices.astype(np.float32), fine.faces.astype(np.int32), target_count=faces, agg=3
    )
    mesh = Mesh(vertices.astype(np.float64), triangles.astype(np.int64))
    return _relaxed(_on_plane(mesh), field, rounds=8)


def mirrored(half: Mesh) -> tuple[Mesh, NDArray[np.int64]]:
    """The whole body, and for each of its vertices the one opposite."""
    count = len(half.vertices)
    seam = half.vertices[:, 0] == 0.0
    other = np.arange(count)
    other[~seam] = count + np.arange(np.count_nonzero(~seam))
    vertices = np.concatenate([half.vertices, half.vertices[~seam] * (-1.0, 1.0, 1.0)])
    triangles = np.concatenate([half.faces, other[half.faces][:, ::-1]])
    opposite = np.concatenate([other, np.arange(count)[~seam]])
    return Mesh(vertices, triangles), opposite


def neighbours(mesh: Mesh) -> scipy.sparse.csr_matrix:
    """Each row averages over the vertices around one."""
    ends = np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]])
    ends = np.unique(np.concatenate([ends, ends[:, ::-1]]), axis=0)
    count = len(mesh.vertices)
    linked = scipy.sparse.csr_matrix((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(count, count))
    return scipy.sparse.diags(1.0 / np.asarray(linked.sum(axis=1)).ravel()) @ linked


def normals(mesh: Mesh) -> Array:
    a, b, c = (mesh.vertices[mesh.faces[:, corner]] for corner in range(3))
    across = np.cross(b - a, c - a)
    total = np.zeros_like(mesh.vertices)
    for corner in range(3):
        np.add.at(total, mesh.faces[:, corner], across)
    return np.asarray(total / np.maximum(np.linalg.norm(total, axis=1, keepdims=True), 1e-12))


def _marched(field: Field) -> Mesh:
    shape = np.ceil((_HIGH - _LOW) / CELL / _BLOCK).astype(int) * _BLOCK
    axes = [_LOW[axis] + CELL * np.arange(shape[axis] + 1) for axis in range(3)]
    volume = _near_surface(field, axes)
    vertices, triangles, _, _ = marching_cubes(volume, 0.0, spacing=(CELL,) * 3)
    mesh = Mesh(vertices.astype(np.float64) + _LOW, triangles.astype(np.int64))
    a, b, c = (mesh.vertices[mesh.faces[:, corner]] for corner in range(3))
    outward = np.sum(a * np.cross(b, c)) > 0
    mesh = _largest(mesh if outward else Mesh(mesh.vertices, mesh.faces[:, ::-1]))
    mesh.vertices[mesh.vertices[:, 0] < 1e-6, 0] = 0.0
    return mesh


def _near_surface(field: Field, axes: list[Array]) -> NDArray[np.float32]:
    """Only blocks that the surface may cross are worked out in full: a tenth of the volume."""
    volume = np.empty([len(axis) for axis in axes], dtype=np.float32)
    starts = [range(0, len(axis) - 1, _BLOCK) for axis in axes]
    reach = CELL * _BLOCK * 1.8
    for i in starts[0]:
        for j in starts[1]:
            for k in starts[2]:
                cut = tuple(slice(s, min(s + _BLOCK + 1, len(axis))) for s, axis in zip((i, j, k), axes, strict=True))
                middle = np.array([[axis[part].mean() for axis, part in zip(axes, cut, strict=True)]])
                centre = float(field(middle)[0])
                if abs(centre) > reach:
                    volume[cut] = centre
                    continue
                grid = np.stack(
                    np.meshgrid(*(axis[part] for axis, part in zip(axes, cut, strict=True)), indexing="ij"), -1
                )
                volume[cut] = field(grid.reshape(-1, 3)).reshape(grid.shape[:3])
    return volume


def _largest(mesh: Mesh) -> Mesh:
    count = len(mesh.vertices)
    pairs = (mesh.faces.ravel(), np.roll(mesh.faces, 1, axis=1).ravel())
    graph = scipy.sparse.coo_matrix((np.ones(mesh.faces.size), pairs), shape=(count, count))
    _, label = scipy.sparse.csgraph.connected_components(graph, directed=False)
    keep = label == np.bincount(label).argmax()
    number = np.cumsum(keep) - 1
    return Mesh(mesh.vertices[keep], number[mesh.faces[keep[mesh.faces].all(axis=1)]])


def _boundary(mesh: Mesh) -> NDArray[np.int64]:
    edges = np.sort(np.concatenate([mesh.faces[:, [0, 1]], mesh.faces[:, [1, 2]], mesh.faces[:, [2, 0]]]), axis=1)
    unique, times = np.unique(edges, axis=0, return_counts=True)
    return np.unique(unique[times == 1])


def _on_plane(mesh: Mesh) -> Mesh:
    vertices = mesh.vertices.copy()
    vertices[:, 0] = np.maximum(vertices[:, 0], 1e-4)
    vertices[_boundary(mesh), 0] = 0.0
    return Mesh(vertices, mesh.faces)


def _relaxed(mesh: Mesh, field: Field, *, rounds: int) -> Mesh:
    """Even out the triangles along the surface, then pull every vertex back onto it."""
    seam = mesh.vertices[:, 0] == 0.0
    around = neighbours(mesh)
    for _ in range(rounds):
        normal = normals(mesh)
        pull = around @ mesh.vertices - mesh.vertices
        pull -= normal * np.sum(pull * normal, axis=1, keepdims=True)
        pull[seam] = 0.0
        moved = mesh.vertices + 0.4 * pull
        for _ in range(2):
            moved = moved - _step_to(field, moved)
            moved[seam, 0] = 0.0
        moved[~seam, 0] = np.maximum(moved[~seam, 0], 1e-4)
        mesh = Mesh(moved, mesh.faces)
    return mesh


def _step_to(field: Field, points: Array) -> Array:
    """The Newton step to the surface, no longer than a cell: a fold must not throw a vertex far."""
    width = 5e-4
    here = field(points)
    slope = np.stack([(field(points + width * axis) - here) / width for axis in np.eye(3)], axis=1)
    step = here[:, None] * slope / np.maximum(np.sum(slope**2, axis=1, keepdims=True), 0.05)
    size = np.linalg.norm(step, axis=1, keepdims=True)
    return np.asarray(step * np.minimum(1.0, CELL / np.maximum(size, 1e-12)))
