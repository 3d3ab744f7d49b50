"""The body as it is kept: one file of arrays, made by `python -m rendering.body.build`."""

from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import files
from typing import Final

import numpy as np
from numpy.typing import NDArray

PARTS: Final = (
    "head",
    "face",
    "torso",
    "left_arm",
    "right_arm",
    "left_leg",
    "right_leg",
    "left_hand",
    "right_hand",
)
ASSET: Final = "human.npz"
FIELDS: Final = ("vertices", "faces", "bone_indices", "bone_weights", "joints", "parts")
_HASHED: Final = 12


@dataclass(frozen=True, eq=False)
class Body:
    """A human at rest: metres, Y up, facing +Z, left is +X. `bone_indices` and `bone_weights` hold four per vertex."""

    vertices: NDArray[np.float32]
    faces: NDArray[np.int32]
    bone_indices: NDArray[np.uint8]
    bone_weights: NDArray[np.float32]
    joints: NDArray[np.float32]
    parts: NDArray[np.uint8]
    version: str
    bone_count: int

    @cached_property
    def blend(self) -> NDArray[np.float32]:
        """(4 * bones, V): what one vertex takes of each column of each bone's map. One product then skins a frame."""
        table = np.zeros((self.bone_count, 4, len(self.vertices)), dtype=np.float32)
        number = np.arange(len(self.vertices))
        place = np.concatenate([self.vertices, np.ones((len(self.vertices), 1), dtype=np.float32)], axis=1)
        for slot in range(self.bone_indices.shape[1]):
            table[self.bone_indices[:, slot], :, number] += self.bone_weights[:, slot, None] * place
        return table.reshape(-1, len(self.vertices))


def version_of(arrays: dict[str, NDArray[np.generic]]) -> str:
    """The beginning of the hash of what is drawn: a changed body changes the key of every clip."""
    digest = sha256()
    for field in FIELDS:
        array = np.ascontiguousarray(arrays[field])
        digest.update(f"{field} {array.dtype.str} {array.shape}\n".encode())
        digest.update(array.tobytes())
    return digest.hexdigest()[:_HASHED]


@cache
def load_body() -> Body:
    with files(__package__).joinpath(ASSET).open("rb") as file, np.load(file, allow_pickle=False) as stored:
        arrays = {field: stored[field] for field in FIELDS}
        bone_count = int(stored["bone_count"])
    for array in arrays.values():
        array.flags.writeable = False
    return Body(**arrays, version=version_of(arrays), bone_count=bone_count)
