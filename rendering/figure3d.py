"""The body and its motion as bytes that a browser draws by itself. Pure: no Django, no files.

A message is a little-endian uint32 that gives the length of the header, a JSON header padded with spaces to a multiple
of four, and the arrays one after another, each padded to a multiple of four. The header's `arrays` name them:
`{"name": "vertices", "type": "float32", "shape": [9401, 3], "offset": 0}`, the offset counted from the header's end.

The body: `vertices` (V, 3), `faces` (F, 3) uint16 or uint32, `bone_indices` (V, 4) uint8, `bone_weights` (V, 4),
`parts` (V,) uint8; the header adds `version`, `bones`, `part_names` and `parents`, the parent of each joint.

A window of a motion: `bones` (frames, bones, 3, 4) and `joints` (frames, 22, 3); the header adds `from`, `frames` of
the whole motion, `fps`, `floor` (the floor's Y), `stature`, and `low` and `high`, the corners of all that the joints
reach.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from rendering.body import PARTS, Body, pose_bones
from rendering.motion import Trajectory
from rendering.motion.skeleton import PARENTS
from rendering.scene.camera import floor_height
from rendering.scene.figure import measure_figure

# Of a motion in one answer: 600 frames of 40 bones are 1.3 MB, half a minute at 20 fps.
MAX_WINDOW: Final = 600
FORMAT: Final = "1"  # part of every ETag: change it when the bytes of an equal motion change

__all__ = ["FORMAT", "MAX_WINDOW", "encode_body", "encode_window"]


def encode_body(body: Body) -> bytes:
    """The mesh at rest, with all that is needed to bend it."""
    small = len(body.vertices) <= np.iinfo(np.uint16).max
    about = {"version": body.version, "bones": body.bone_count, "part_names": PARTS, "parents": PARENTS}
    arrays: dict[str, npt.NDArray[Any]] = {
        "vertices": body.vertices.astype("<f4"),
        "faces": body.faces.astype("<u2" if small else "<u4"),
        "bone_indices": body.bone_indices.astype("u1"),
        "bone_weights": body.bone_weights.astype("<f4"),
        "parts": body.parts.astype("u1"),
    }
    return _pack(about, arrays)


def encode_window(body: Body, trajectory: Trajectory, *, start: int, frames: int) -> bytes:
    """Frames `start` to `start + frames` of the motion, fewer at its end.

    The whole motion is posed and then cut: the body's size is the motion's, so that no window has another one.
    """
    if not 0 <= start < trajectory.frames:
        raise ValueError(f"from: expected 0 to {trajectory.frames - 1}, found {start}")
    if not 1 <= frames <= MAX_WINDOW:
        raise ValueError(f"frames: expected 1 to {MAX_WINDOW}, found {frames}")
    part = slice(start, start + frames)
    figure = measure_figure(trajectory)
    about = {
        "from": start,
        "frames": trajectory.frames,
        "fps": trajectory.fps,
        "floor": floor_height(trajectory, figure),
        "stature": figure.stature,
        "low": trajectory.joints.min(axis=(0, 1)).tolist(),
        "high": trajectory.joints.max(axis=(0, 1)).tolist(),
    }
    bones = pose_bones(body, trajectory.joints)[part]
    return _pack(about, {"bones": bones.astype("<f4"), "joints": trajectory.joints[part].astype("<f4")})


def _pack(about: Mapping[str, object], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    entries, chunks, offset = [], [], 0
    for name, array in arrays.items():
        data = np.ascontiguousarray(array).tobytes()
        data += b"\0" * (-len(data) % 4)
        entries.append({"name": name, "type": array.dtype.name, "shape": array.shape, "offset": offset})
        chunks.append(data)
        offset += len(data)
    header = json.dumps({**about, "arrays": entries}).encode()
    header += b" " * (-len(header) % 4)
    return b"".join([len(header).to_bytes(4, "little"), header, *chunks])
