"""The stage: everything that a backend needs to draw a body, worked out once from motion, look and view.

`gl` and `blender` take body, camera, floor and walls from here, so their pictures agree.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import scipy.sparse

from rendering.body import PARTS, Body, load_body, pose_bones, skin
from rendering.motion.trajectory import Trajectory
from rendering.scene.body_looks import BodyLook, Linear, Room
from rendering.scene.camera_path import CameraPath, body_camera_path
from rendering.scene.views import View

_HEAD_PARTS: Final = 2  # the first of rendering.body.PARTS: head and face
_EASING_ROUNDS: Final = 6
_EASING_POWER: Final = 5
_BLOCK: Final = 64  # frames skinned at once: 64 x 10,000 vertices are 8 MB

__all__ = ["Stage", "Wall", "build_stage"]

Vertices = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Wall:
    """A rectangle that the camera sees from its front: corners (4, 3) counter-clockwise, metres."""

    corners: npt.NDArray[np.float64]
    colour: Linear
    floor_metres: float  # how far the floor goes before it, to where it is half faded


@dataclass(frozen=True, eq=False)
class Stage:
    """A body, a camera and what stands around them. Make one with `build_stage`.

    Coordinates are counted from `origin` (on the floor under the middle of the motion), so that single precision is
    enough a kilometre from where the motion's own begin.
    """

    look: BodyLook
    body: Body
    origin: npt.NDArray[np.float64]  # (3,)
    bones: npt.NDArray[np.float32]  # (frames, bones, 3, 4)
    cameras: CameraPath
    heads: npt.NDArray[np.float64]  # (frames, 3): the top of the head
    half_extent: npt.NDArray[np.float64]  # (2,): how far the motion goes from the origin along X and Z

    @property
    def frames(self) -> int:
        return len(self.bones)

    def blocks(self) -> Iterator[Vertices]:
        """The skinned vertices of all frames, some frames at a time."""
        for start in range(0, self.frames, _BLOCK):
            yield skin(self.body, self.bones[start : start + _BLOCK])

    def heads_in_picture(self) -> npt.NDArray[np.float64]:
        """Where the top of the head is in each picture, (frames, 2) pixels to the right and down."""
        seen = [self.cameras.at(frame).project(head) for frame, head in enumerate(self.heads)]
        return np.array([[each.x, each.y] for each in seen])

    @cached_property
    def colours(self) -> npt.NDArray[np.float32]:
        """Linear colour of every vertex, (vertices, 3)."""
        colours = np.array(self.look.material.colours, dtype=np.float32)
        if len(colours) == 1:
            return np.repeat(colours, len(self.body.vertices), axis=0)
        mixed: npt.NDArray[np.float32] = _eased_parts(self.body) @ colours
        return mixed

    @property
    def sun(self) -> npt.NDArray[np.float64]:
        """Unit vector towards the sun."""
        towards = np.array(self.look.sun.towards)
        unit: npt.NDArray[np.float64] = towards / np.linalg.norm(towards)
        return unit

    @cached_property
    def walls(self) -> tuple[Wall, ...]:
        """The walls that the camera sees: those between it and the motion are left out."""
        return tuple(_walls(self)) if self.look.room is not None else ()


def build_stage(trajectory: Trajectory, look: BodyLook, view: View, body: Body | None = None) -> Stage:
    """Everything to draw `trajectory` as `look` from `view`; `body` is ours when none is given."""
    body = body or load_body()
    joints = trajectory.joints.astype(np.float64)
    path = joints[..., (0, 2)].reshape(-1, 2)
    low, high = path.min(axis=0), path.max(axis=0)
    middle = (low + high) / 2
    # From every second metre, so that the pattern of the floor stays where it is in the world.
    anchor = np.rint(middle / 2) * 2
    origin = np.array([anchor[0], 0.0, anchor[1]])
    bones = pose_bones(body, (joints - origin).astype(np.float32))
    lowest = min(float(skin(body, bones[at : at + _BLOCK])[..., 1].min()) for at in range(0, len(bones), _BLOCK))
    origin[1] = lowest
    bones[..., 1, 3] -= np.float32(lowest)

    def blocks() -> Iterator[Vertices]:
        for start in range(0, len(bones), _BLOCK):
            yield skin(body, bones[start : start + _BLOCK])

    def head_blocks() -> Iterator[Vertices]:
        head = np.flatnonzero(body.parts < _HEAD_PARTS)
        for block in blocks():
            yield block[:, head]

    cameras = body_camera_path(blocks, look=look, view=view, fps=trajectory.fps)
    half_extent = np.maximum(np.abs(low - anchor), np.abs(high - anchor))
    heads = np.concatenate([block[np.arange(len(block)), block[..., 1].argmax(axis=1)] for block in head_blocks()])
    return Stage(look, body, origin, bones, cameras, heads.astype(np.float64), half_extent)


def _eased_parts(body: Body) -> npt.NDArray[np.float32]:
    """How much of each part every vertex is, (vertices, parts): a border along the mesh's own edges would be jagged."""
    shares = np.eye(len(PARTS), dtype=np.float32)[body.parts]
    corners = np.concatenate([body.faces[:, (0, 1, 2)].ravel(), body.faces[:, (1, 2, 0)].ravel()])
    others = np.concatenate([body.faces[:, (1, 2, 0)].ravel(), body.faces[:, (0, 1, 2)].ravel()])
    ones = np.ones(len(corners), dtype=np.float32)
    around = scipy.sparse.csr_matrix((ones, (corners, others)), shape=(len(shares), len(shares)))
    around = scipy.sparse.diags(1 / np.asarray(around.sum(axis=1)).ravel()) @ around
    for _ in range(_EASING_ROUNDS):
        shares = (shares + around @ shares) / 2
    # Back to a border that is narrow, but now runs between the vertices.
    shares = shares**_EASING_POWER
    eased: npt.NDArray[np.float32] = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
    return eased


def _walls(stage: Stage) -> Iterator[Wall]:
    room = stage.look.room
    assert room is not None
    reach = stage.half_extent + room.gap
    height = 40.0  # out of every picture: a ceiling would take the light
    ahead = stage.cameras.axes[2]
    wide = float(np.max(reach)) * 40  # corners of a room would cut the floor off: only the far walls, and long ones
    for axis in (0, 1):
        towards = ahead[[0, 2]][axis]
        if abs(towards) < 0.35:
            continue  # seen edge-on
        normal = np.zeros(3)
        normal[[0, 2][axis]] = -np.sign(towards)
        along = np.cross([0.0, 1.0, 0.0], normal)
        base = -normal * reach[axis]
        before = 2 * float(stage.half_extent[axis]) + room.gap + stage.look.floor.reach / 2
        yield from _wall(base, along * wide, height, room, before)


def _wall(
    base: npt.NDArray[np.float64], along: npt.NDArray[np.float64], height: float, room: Room, floor_metres: float
) -> Iterator[Wall]:
    for bottom, top, painted in ((0.0, room.skirting_metres, room.skirting), (room.skirting_metres, height, room.wall)):
        low, high = np.array([0, bottom, 0]), np.array([0, top, 0])
        corners = np.stack([base - along + low, base + along + low, base + along + high, base - along + high])
        yield Wall(corners, painted, floor_metres)
