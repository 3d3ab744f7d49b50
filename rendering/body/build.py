"""`python -m rendering.body.build`: make the human anew and write it beside this file. Takes about half a minute.

Needs the extra `body`. The same code and versions give the same bytes.
"""

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rendering.body.asset import ASSET, PARTS, version_of
from rendering.body.bones import BONE_COUNT, MIRRORED
from rendering.body.building.figure import distances
from rendering.body.building.meshing import half_mesh, mirrored, neighbours
from rendering.body.building.shapes import Array
from rendering.body.building.stance import rest_joints
from rendering.body.building.weights import half_parts, half_weights, smoothed_weights, strongest

HALF_FACES: Final = 9400


def build() -> dict[str, NDArray[np.generic]]:
    joints = rest_joints()

    def field(points: Array) -> Array:
        return distances(points, joints).whole

    half = half_mesh(field, faces=HALF_FACES)
    whole, opposite = mirrored(half)
    count = len(half.vertices)
    near = distances(half.vertices, joints)
    weights = np.empty((len(whole.vertices), BONE_COUNT))
    weights[:count] = half_weights(half.vertices, joints, near)
    weights[opposite[:count]] = weights[:count][:, MIRRORED]
    seam = opposite == np.arange(len(opposite))
    weights[seam] = (weights[seam] + weights[seam][:, MIRRORED]) / 2
    weights = smoothed_weights(weights, neighbours(whole), rounds=8)
    indices, shares = strongest((weights + weights[opposite][:, MIRRORED]) / 2)
    parts = np.empty(len(whole.vertices), dtype=np.uint8)
    parts[:count] = half_parts(half.vertices, joints, near)
    right = np.array([PARTS.index(name.replace("left", "right")) for name in PARTS], dtype=np.uint8)
    parts[count:] = right[parts[opposite[count:]]]
    return {
        "vertices": whole.vertices.astype(np.float32),
        "faces": whole.faces.astype(np.int32),
        "bone_indices": indices,
        "bone_weights": shares,
        "joints": joints.astype(np.float32),
        "parts": parts,
    }


def main() -> None:
    arrays = build()
    path = Path(__file__).with_name(ASSET)
    version = version_of(arrays)
    np.savez_compressed(path, **arrays, bone_count=np.int64(BONE_COUNT), version=np.str_(version))  # type: ignore[arg-type]
    print(f"{path.name}: {len(arrays['vertices'])} vertices, {len(arrays['faces'])} faces, version {version}")


if __name__ == "__main__":
    main()
