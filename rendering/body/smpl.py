"""A body of one's own: a file of SMPL, SMPL-H or SMPL-X, from somebody who holds its licence, made to move like ours.

Only the template at rest and its weights are used: no shapes, no corrective blend shapes. Fingers go with the wrist,
jaw and eyes with the head. A limb's weights are shared out along it, so that twist is spread as in our own body.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rendering.body.asset import PARTS, Body, version_of
from rendering.body.bones import BONE_COUNT, HEAD, LEFT, NECK, RIGHT, Side
from rendering.body.rotations import Array
from rendering.motion.npy import PickledError, open_regular
from rendering.motion.npz import Archive, open_npz
from rendering.motion.skeleton import JOINT_COUNT, JOINT_NAMES, PARENTS
from rendering.motion.stature import LARGEST, SMALLEST, stature
from rendering.motion.trajectory import MotionFormatError

MAX_VERTICES: Final = 100_000
MAX_JOINTS: Final = 200
INFLUENCES: Final = 4
_UNITS: Final = (1.0, 0.01, 0.001)  # their people do not overlap: one of them fits, or none
_SHORTEST: Final = 1e-3

CONVERSION: Final = (
    "import pickle, numpy as np; m = pickle.load(open('SMPL_NEUTRAL.pkl', 'rb'), encoding='latin1'); "
    "r = m['J_regressor']; np.savez('smpl.npz', J_regressor=r.toarray() if hasattr(r, 'toarray') else np.array(r), "
    "**{k: np.array(m[k]) for k in ('v_template', 'weights', 'kintree_table', 'f')})"
)

_Check = Callable[[tuple[int, ...]], None]

__all__ = ["CONVERSION", "BodyFormatError", "read_smpl"]


class BodyFormatError(ValueError):
    """A body that cannot be used; the message names the file, what was expected and what was found."""


def read_smpl(path: str | os.PathLike[str], *, name: str | None = None) -> Body:
    """The body in an SMPL, SMPL-H or SMPL-X `.npz`, in metres, Y up, facing +Z, the pelvis in the origin.

    It needs v_template, weights, kintree_table, f, and J_regressor or J. Nothing is ever unpickled.
    """
    file = Path(path)
    shown = name or file.name
    try:
        _refuse_pickle(file, shown)
        with open_npz(file, name=shown) as archive:
            return _body(_Model(archive, shown), shown)
    except PickledError as error:
        raise BodyFormatError(f"{shown}: {_PICKLED}") from error
    except MotionFormatError as error:
        raise BodyFormatError(str(error)) from error


_PICKLED: Final = (
    "pickled Python objects are not read, for they could run code. Convert the file where you trust it (chumpy and "
    f"scipy must be installed there): {CONVERSION}"
)


def _refuse_pickle(path: Path, name: str) -> None:
    with open_regular(path, name=name) as (file, _):
        start = file.read(2)
    if path.suffix.lower() in (".pkl", ".pickle") or start[:1] == b"\x80":
        raise BodyFormatError(f"{name}: {_PICKLED}")
    if start != b"PK":
        raise BodyFormatError(f"{name}: expected an .npz of SMPL, SMPL-H or SMPL-X, found something else")


class _Model:
    """The arrays of the file, each of the shape that the others ask for."""

    def __init__(self, archive: Archive, name: str) -> None:
        self._archive, self._name = archive, name
        self.vertices = self._numbers("v_template", self._limited("v_template", "(vertices, 3)", 3, MAX_VERTICES))
        self.parents = self._parents()
        self.weights = self._weights()
        self.faces = self._faces()
        self.joints = self._joints()

    def _numbers(self, key: str, check: _Check, kinds: str = "f") -> NDArray[np.generic]:
        if key not in self._archive.keys:
            found = ", ".join(self._archive.keys)[:600] or "nothing"
            raise BodyFormatError(f"{self._name}: expected {key}, found {found}")
        array = self._archive.array(key, check=check, kinds=kinds)
        if not np.isfinite(array).all():
            raise BodyFormatError(f"{self._name}[{key}]: expected finite numbers, found nan or inf")
        return array.astype(np.int64 if kinds == "iu" else np.float64)

    def _limited(self, key: str, expected: str, width: int, longest: int) -> _Check:
        def check(shape: tuple[int, ...]) -> None:
            if len(shape) != 2 or shape[1] != width:
                raise BodyFormatError(f"{self._name}[{key}]: expected {expected}, found {shape}")
            if shape[0] > longest:
                raise BodyFormatError(f"{self._name}[{key}]: expected at most {longest} rows, found {shape[0]}")

        return check

    def _exactly(self, key: str, *wanted: int) -> _Check:
        def check(shape: tuple[int, ...]) -> None:
            if shape != wanted:
                raise BodyFormatError(f"{self._name}[{key}]: expected {wanted}, found {shape}")

        return check

    def _parents(self) -> NDArray[np.int64]:
        """The parent of each joint; the root's is written as -1 or as the largest number there is."""

        def check(shape: tuple[int, ...]) -> None:
            if len(shape) != 2 or shape[0] != 2 or not JOINT_COUNT <= shape[1] <= MAX_JOINTS:
                raise BodyFormatError(f"{self._name}[kintree_table]: expected (2, joints) of 22 or more, found {shape}")

        table: NDArray[np.int64] = self._numbers("kintree_table", check, kinds="iu").astype(np.int64)
        parents: NDArray[np.int64] = table[0].copy()
        parents[0] = -1
        if tuple(parents[:JOINT_COUNT]) != PARENTS or (table[1] != np.arange(table.shape[1])).any():
            raise BodyFormatError(
                f"{self._name}[kintree_table]: expected SMPL's joints, found {parents.tolist()}"[:600]
            )
        if (parents[1:] < 0).any() or (parents >= np.arange(len(parents))).any():
            raise BodyFormatError(f"{self._name}[kintree_table]: expected every joint after its parent")
        return parents

    def _weights(self) -> Array:
        weights = np.asarray(
            self._numbers("weights", self._exactly("weights", len(self.vertices), len(self.parents))), dtype=np.float64
        )
        if (weights < -1e-6).any() or (weights.sum(axis=1) < 1e-6).any():
            raise BodyFormatError(f"{self._name}[weights]: expected shares of 0 or more for every vertex")
        return np.maximum(weights, 0.0)

    def _faces(self) -> NDArray[np.int64]:
        check = self._limited("f", "(faces, 3)", 3, 2 * MAX_VERTICES)
        faces = self._numbers("f", check, kinds="iu").astype(np.int64)
        if faces.min() < 0 or faces.max() >= len(self.vertices):
            raise BodyFormatError(
                f"{self._name}[f]: expected numbers of {len(self.vertices)} vertices, "
                f"found {faces.min()} to {faces.max()}"
            )
        return faces

    def _joints(self) -> Array:
        if "J_regressor" not in self._archive.keys and "J" in self._archive.keys:
            return np.asarray(self._numbers("J", self._exactly("J", len(self.parents), 3)), dtype=np.float64)
        shape = (len(self.parents), len(self.vertices))
        regressor = np.asarray(self._numbers("J_regressor", self._exactly("J_regressor", *shape)), dtype=np.float64)
        return np.asarray(regressor @ self.vertices.astype(np.float64))


def _body(model: _Model, name: str) -> Body:
    joints = model.joints[:JOINT_COUNT]
    place = _to_our_axes(joints, name) * _metres(joints, name)
    rest = (joints - joints[0]) @ place.T
    points = (model.vertices - joints[0]) @ place.T
    _check_bones(rest, name)
    weights = _shared_out(_by_bone(model.weights, model.parents), points, rest)
    indices, shares = _strongest(weights)
    arrays: dict[str, NDArray[np.generic]] = {
        "vertices": points.astype(np.float32),
        "faces": model.faces.astype(np.int32),
        "bone_indices": indices,
        "bone_weights": shares,
        "joints": rest.astype(np.float32),
        "parts": _parts(weights, points),
    }
    for array in arrays.values():
        array.flags.writeable = False
    return Body(**arrays, version=version_of(arrays), bone_count=BONE_COUNT)  # type: ignore[arg-type]


def _metres(joints: Array, name: str) -> float:
    tall = stature(joints[None])
    for unit in _UNITS:
        if SMALLEST <= tall * unit <= LARGEST:
            return unit
    raise BodyFormatError(f"{name}: expected a person of {SMALLEST} to {LARGEST} m, cm or mm alike, found {tall:.3g}")


def _to_our_axes(joints: Array, name: str) -> Array:
    """The turn, by quarters, after which the left is +X and the head is up."""
    at = {joint: joints[number] for number, joint in enumerate(JOINT_NAMES)}
    left = _nearest_axis(at["left_hip"] - at["right_hip"] + at["left_shoulder"] - at["right_shoulder"])
    up = _nearest_axis(2 * at["head"] - at["left_ankle"] - at["right_ankle"])
    forward = np.cross(left, up)
    toes = at["left_foot"] - at["left_ankle"] + at["right_foot"] - at["right_ankle"]
    if left @ up or toes @ forward <= 0:
        raise BodyFormatError(
            f"{name}: expected a person upright along an axis, left and right as they are, toes ahead"
        )
    return np.stack([left, up, forward])


def _nearest_axis(vector: Array) -> Array:
    axis = np.zeros(3)
    longest = int(np.abs(vector).argmax())
    axis[longest] = np.sign(vector[longest])
    return axis


def _check_bones(rest: Array, name: str) -> None:
    lengths = np.linalg.norm(rest[1:] - rest[list(PARENTS[1:])], axis=1)
    if lengths.min() < _SHORTEST:
        joint = JOINT_NAMES[1 + int(lengths.argmin())]
        raise BodyFormatError(f"{name}: expected bones with a length, found {joint} on its parent")


def _by_bone(weights: Array, parents: NDArray[np.int64]) -> Array:
    """(V, bones): what lies beyond the 22 joints goes with the last of them on its way to the root."""
    shares = np.zeros((len(weights), BONE_COUNT))
    for joint in range(len(parents)):
        bone = joint
        while bone >= JOINT_COUNT:
            bone = int(parents[bone])
        shares[:, bone] += weights[:, joint]
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def _shared_out(weights: Array, points: Array, rest: Array) -> Array:
    """A limb's weight, handed to the bones that turn step by step along it, as in our own body."""
    shares = weights.copy()
    for side in (LEFT, RIGHT):
        for bone, middle, low, end in _limbs(side):
            along = rest[end] - rest[bone]
            share = (points - rest[bone]) @ along / (along @ along)
            share = 2.0 * np.clip((share - 0.12) / 0.70, 0.0, 1.0)
            for number, turning in enumerate((bone, middle, low)):
                shares[:, turning] = weights[:, bone] * np.clip(1.0 - np.abs(share - number), 0.0, 1.0)
        along = rest[side.ankle] - rest[side.knee]
        share = (points - rest[side.knee]) @ along / (along @ along)
        share = np.clip((share - 0.35) / 0.5, 0.0, 1.0)
        shares[:, side.knee], shares[:, side.shin_low] = weights[:, side.knee] * np.array([1.0 - share, share])
    return shares


def _limbs(side: Side) -> tuple[tuple[int, int, int, int], ...]:
    return (
        (side.shoulder, side.upper_arm_middle, side.upper_arm_low, side.elbow),
        (side.hip, side.thigh_middle, side.thigh_low, side.knee),
    )


def _strongest(weights: Array) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    order = np.argsort(-weights, axis=1, kind="stable")[:, :INFLUENCES]
    kept = np.take_along_axis(weights, order, axis=1)
    return order.astype(np.uint8), (kept / kept.sum(axis=1, keepdims=True)).astype(np.float32)


def _part_of_bone() -> list[str]:
    parts = ["torso"] * BONE_COUNT
    parts[NECK] = parts[HEAD] = "head"
    for side, word in ((LEFT, "left"), (RIGHT, "right")):
        for bone in (side.shoulder, side.upper_arm_middle, side.upper_arm_low, side.elbow):
            parts[bone] = f"{word}_arm"
        for bone in (side.hip, side.thigh_middle, side.thigh_low, side.knee, side.shin_low, side.ankle, side.foot):
            parts[bone] = f"{word}_leg"
        parts[side.wrist] = f"{word}_hand"
    return parts


def _parts(weights: Array, points: Array) -> NDArray[np.uint8]:
    """The part of the strongest bone; the face is the front of the head, from the chin to the hairline."""
    strongest = weights.argmax(axis=1)
    numbers = np.array([PARTS.index(part) for part in _part_of_bone()], dtype=np.uint8)
    parts: NDArray[np.uint8] = numbers[strongest]
    head = strongest == HEAD
    if head.any():
        low, high = points[head].min(axis=0), points[head].max(axis=0)
        share = (points - low) / np.maximum(high - low, 1e-9)
        parts[head & (share[:, 2] > 0.6) & (share[:, 1] < 0.78)] = PARTS.index("face")
    return parts
