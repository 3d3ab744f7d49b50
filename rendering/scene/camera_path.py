"""The camera of the looks that show a body: where it stands in every frame, by projection of the body itself.

It never turns while it follows, so what moves against the floor moves in the world. Distances are the smallest that
keep every vertex inside the picture; smoothing only ever adds to them.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from rendering.scene.camera import MARGIN, Camera, camera_axes
from rendering.scene.looks import Look
from rendering.scene.views import View

FOLLOW_SECONDS: Final = 0.25  # how far to either side of a frame its camera is smoothed
STEADY_SECONDS: Final = 1.0
LEAST_COVERAGE: Final = 0.12  # VeMo asks for a tenth
_SHARES: Final = (0.25, 0.5, 0.75, 1.0)
_NEAREST: Final = 0.3  # metres: a body of no size still has a camera before it

__all__ = ["CameraPath", "body_camera_path"]

Points = npt.NDArray[np.float64]
Vertices = npt.NDArray[np.float32]
Blocks = Callable[[], Iterable[Vertices]]  # (frames, vertices, 3), all frames in order, as often as it is called


@dataclass(frozen=True, eq=False)
class CameraPath:
    """One direction, and a place for every frame."""

    positions: Points  # (frames, 3)
    axes: Points
    focal: float
    pixels: int
    coverage: Points = field(default_factory=lambda: np.zeros(0))  # (frames,): the body's box, a share of the picture

    def at(self, frame: int) -> Camera:
        return Camera(position=self.positions[frame], axes=self.axes, focal=self.focal, pixels=self.pixels)


def body_camera_path(blocks: Blocks, *, look: Look, view: View, fps: float) -> CameraPath:
    """The path that `look` wants, seen from `view`; every vertex is inside every frame."""
    axes = camera_axes(view.seen_by(look.own_view))
    slope = math.tan(math.radians(look.field_of_view / 2))
    inner = slope * (1 - 2 * MARGIN)
    if look.framing == "fixed":
        frames = sum(len(block) for block in blocks())
        positions = np.tile(_nearest_place(blocks, axes, inner) @ axes, (frames, 1))
    else:
        boxes = _boxes(blocks, axes)
        centres = _smooth(boxes, look, fps)
        needed = np.concatenate(list(_needed(blocks, axes, centres, inner)))
        positions = (centres - _distances(needed, look, fps)[:, None] * [0, 0, 1]) @ axes
        if look.framing == "follow":
            nearest = np.concatenate(list(_needed(blocks, axes, boxes, inner)))
            nearest_places = (boxes - nearest[:, None] * [0, 0, 1]) @ axes
            positions = _hurried(blocks, CameraPath(positions, axes, 1 / slope, look.pixels), nearest_places, fps)
    path = CameraPath(positions, axes, 1 / slope, look.pixels)
    return replace(path, coverage=np.concatenate(list(_coverage(blocks, path))))


def _nearest_place(blocks: Blocks, axes: Points, inner: float) -> Points:
    """The nearest place, along the camera's axes, from which every vertex of every frame is inside the picture."""
    # Each side of the picture is a plane through the camera: x - cx <= inner * (z - cz), and so on for the others.
    most = np.full((2, 2), -np.inf)  # right and up, left and down
    for block in blocks():
        seen = block @ axes.T.astype(np.float32)
        across, depth = seen[..., :2].reshape(-1, 2), np.float32(inner) * seen[..., 2].reshape(-1, 1)
        most = np.maximum(most, [(across - depth).max(axis=0), (-across - depth).max(axis=0)])
    ahead = min(-most.sum(axis=0)) / (2 * inner)
    return np.array([*(most[0] - most[1]) / 2, ahead])


def _boxes(blocks: Blocks, axes: Points) -> Points:
    """The middle of the body's box along the camera's axes, in every frame."""
    boxes = []
    for block in blocks():
        seen = block @ axes.T.astype(np.float32)
        boxes.append((seen.min(axis=1) + seen.max(axis=1)) / 2)
    return np.concatenate(boxes).astype(np.float64)


def _smooth(boxes: Points, look: Look, fps: float) -> Points:
    seconds = FOLLOW_SECONDS if look.framing == "follow" else STEADY_SECONDS
    smooth: Points = gaussian_filter1d(boxes, seconds * fps / 2, axis=0, mode="nearest")
    return smooth


def _needed(blocks: Blocks, axes: Points, centres: Points, inner: float) -> Iterator[Points]:
    """How far before each frame's centre the camera must stand for the whole body to be inside."""
    start = 0
    for block in blocks():
        centre = centres[start : start + len(block)].astype(np.float32)
        start += len(block)
        seen = np.abs(block @ axes.T.astype(np.float32) - centre[:, None])
        depth = (block @ axes[2].astype(np.float32)) - centre[:, None, 2]
        beyond = np.maximum(seen[..., 0], seen[..., 1]) / np.float32(inner) - depth
        yield np.maximum(beyond.max(axis=1).astype(np.float64), _NEAREST)


def _distances(needed: Points, look: Look, fps: float) -> Points:
    if look.framing == "steady":
        return np.full(len(needed), needed.max())
    return _eased(needed, fps)


def _hurried(blocks: Blocks, smooth: CameraPath, nearest: Points, fps: float) -> Points:
    """Places on the way from `smooth` to the `nearest`, as far as a body that leaps away stays large in the picture.

    What is inside the picture from two places with one direction is inside from every place between them.
    """
    shares = np.zeros(len(nearest))
    for share in _SHARES:
        small = np.concatenate(list(_coverage(blocks, _between(smooth, nearest, shares)))) < LEAST_COVERAGE
        if not small.any():
            break
        shares[small] = share
        shares = _eased(shares, fps)
    return _between(smooth, nearest, shares).positions


def _between(smooth: CameraPath, nearest: Points, shares: Points) -> CameraPath:
    return replace(smooth, positions=smooth.positions + (nearest - smooth.positions) * shares[:, None])


def _eased(values: Points, fps: float) -> Points:
    """The mean of maxima over a window that reaches as far as the mean does: smooth, and never less than `values`."""
    reach = max(1, round(FOLLOW_SECONDS * fps))
    most = maximum_filter1d(values, 2 * reach + 1, mode="nearest")
    eased: Points = gaussian_filter1d(most, reach / 2, radius=reach, mode="nearest")
    return eased


def _coverage(blocks: Blocks, path: CameraPath) -> Iterator[Points]:
    start = 0
    for block in blocks():
        seen = (block - path.positions[start : start + len(block), None].astype(np.float32)) @ path.axes.T.astype("f4")
        start += len(block)
        flat = seen[..., :2] / seen[..., 2:] * np.float32(path.focal / 2)  # shares of the picture's side
        yield np.prod(flat.max(axis=1) - flat.min(axis=1), axis=1).astype(np.float64)
