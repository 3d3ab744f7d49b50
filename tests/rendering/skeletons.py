"""BVH files for tests: trees of named joints, written with any channels, and where scipy says their joints are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Bone:
    name: str
    parent: int
    offset: tuple[float, float, float]
    channels: tuple[str, ...] = ("Zrotation", "Xrotation", "Yrotation")


ROOT_CHANNELS = ("Xposition", "Yposition", "Zposition", "Zrotation", "Xrotation", "Yrotation")


def bvh_text(bones: Sequence[Bone], values: Array, *, seconds: str = "0.05", end_sites: bool = True) -> str:
    """Values stand in the order in which a depth-first walk meets the joints; `bones` must be in that order."""
    lines = ["HIERARCHY"]

    def write(place: int, depth: int) -> None:
        bone, tab = bones[place], "\t" * depth
        lines.append(f"{tab}{'JOINT' if depth else 'ROOT'} {bone.name}")
        lines.append(f"{tab}{{")
        lines.append(f"{tab}\tOFFSET {' '.join(map(repr, bone.offset))}")
        lines.append(f"{tab}\tCHANNELS {len(bone.channels)} {' '.join(bone.channels)}")
        children = [number for number, other in enumerate(bones) if other.parent == place]
        for child in children:
            write(child, depth + 1)
        if not children and end_sites:
            lines.extend([f"{tab}\tEnd Site", f"{tab}\t{{", f"{tab}\t\tOFFSET 0.0 9.0 0.0", f"{tab}\t}}"])
        lines.append(f"{tab}}}")

    write(0, 0)
    lines += ["MOTION", f"Frames: {len(values)}", f"Frame Time: {seconds}"]
    lines += [" ".join(map(repr, row.tolist())) for row in values]
    return "\n".join(lines) + "\n"


def places_by_scipy(bones: Sequence[Bone], values: Array) -> dict[str, Array]:
    """Frame by frame and joint by joint, with scipy's intrinsic Euler angles: another way than the reader's."""
    found: dict[str, list[Array]] = {bone.name: [] for bone in bones}
    for row in values:
        column = 0
        turns: list[Rotation] = []
        places: list[Array] = []
        for bone in bones:
            own = dict(zip(bone.channels, row[column : column + len(bone.channels)], strict=True))
            column += len(bone.channels)
            place = np.array([own.get(f"{axis}position", bone.offset[number]) for number, axis in enumerate("XYZ")])
            angles = {name[0]: value for name, value in own.items() if name.endswith("rotation")}
            turn = Rotation.identity()
            if angles:
                turn = Rotation.from_euler("".join(angles), list(angles.values()), degrees=True)
            if bone.parent >= 0:
                place = places[bone.parent] + turns[bone.parent].apply(place)
                turn = turns[bone.parent] * turn
            turns.append(turn)
            places.append(place)
            found[bone.name].append(place)
    return {name: np.array(rows) for name, rows in found.items()}


def person(names: Mapping[str, str], *, scale: float = 1.0) -> list[Bone]:
    """A person of about 1.6 m (times `scale`) with joints of the 22's, called as `names` says; depth first."""
    tree = (
        ("pelvis", None, (0.0, 0.0, 0.0)),
        ("left_hip", "pelvis", (0.09, -0.05, 0.0)),
        ("left_knee", "left_hip", (0.0, -0.40, 0.0)),
        ("left_ankle", "left_knee", (0.0, -0.40, 0.0)),
        ("left_foot", "left_ankle", (0.0, -0.06, 0.14)),
        ("right_hip", "pelvis", (-0.09, -0.05, 0.0)),
        ("right_knee", "right_hip", (0.0, -0.40, 0.0)),
        ("right_ankle", "right_knee", (0.0, -0.40, 0.0)),
        ("right_foot", "right_ankle", (0.0, -0.06, 0.14)),
        ("spine1", "pelvis", (0.0, 0.12, 0.0)),
        ("spine2", "spine1", (0.0, 0.12, 0.0)),
        ("spine3", "spine2", (0.0, 0.10, 0.0)),
        ("neck", "spine3", (0.0, 0.18, 0.0)),
        ("head", "neck", (0.0, 0.10, 0.02)),
        ("left_collar", "spine3", (0.06, 0.14, 0.0)),
        ("left_shoulder", "left_collar", (0.12, 0.0, 0.0)),
        ("left_elbow", "left_shoulder", (0.27, 0.0, 0.0)),
        ("left_wrist", "left_elbow", (0.26, 0.0, 0.0)),
        ("right_collar", "spine3", (-0.06, 0.14, 0.0)),
        ("right_shoulder", "right_collar", (-0.12, 0.0, 0.0)),
        ("right_elbow", "right_shoulder", (-0.27, 0.0, 0.0)),
        ("right_wrist", "right_elbow", (-0.26, 0.0, 0.0)),
    )
    kept = [row for row in tree if row[0] in names]
    number = {row[0]: place for place, row in enumerate(kept)}
    parent_of = {row[0]: row[1] for row in tree}
    offset_of = {row[0]: np.array(row[2]) for row in tree}
    bones = []
    for name, _, offset in kept:
        above, total = parent_of[name], np.array(offset)
        while above is not None and above not in number:  # a joint that this vocabulary lacks
            total, above = total + offset_of[above], parent_of[above]
        x, y, z = (float(value) for value in total * scale)
        channels = ROOT_CHANNELS if above is None else Bone.channels
        bones.append(Bone(names[name], -1 if above is None else number[above], (x, y, z), channels))
    return bones


def moving(bones: Sequence[Bone], frames: int, *, height: float = 0.9, sway: float = 20.0) -> Array:
    """Channel values of somebody who stands at `height` and moves every joint by up to about `sway` degrees."""
    columns = [channel for bone in bones for channel in bone.channels]
    values = np.random.default_rng(4).uniform(-sway, sway, (frames, len(columns)))
    for column, channel in enumerate(columns):
        if channel.endswith("position"):
            values[:, column] = height if channel[0] == "Y" else np.linspace(0, height, frames)
    return values
