"""Manifests and the motions that they name, as people bring them: in a folder, or in a zip."""

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rendering.motion.amass import OFFSETS
from rendering.motion.skeleton import JOINT_NAMES, PARENTS
from tests.rendering.people import a_walk

HEADER = "file,prompt,generator,fps,up,units\n"


def joints(step: float = 0.0, *, frames: int = 6) -> npt.NDArray[np.float32]:
    """Someone who walks; another `step` is another motion."""
    moved = np.array(a_walk(frames).joints)
    moved[..., 0] += step
    return moved


def npy(array: npt.ArrayLike) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(array))
    return buffer.getvalue()


def pickled() -> bytes:
    """As MDM writes its results."""
    buffer = io.BytesIO()
    np.save(buffer, np.array({"motion": 1}, dtype=object), allow_pickle=True)
    return buffer.getvalue()


def npz(**arrays: npt.ArrayLike) -> bytes:
    buffer = io.BytesIO()
    np.savez(buffer, **{name: np.asarray(array) for name, array in arrays.items()})  # type: ignore[arg-type]
    return buffer.getvalue()


def amass(frames: int = 4) -> bytes:
    poses = np.zeros((frames, 156))
    poses[:, 0] = np.pi / 2  # Z is up in AMASS
    return npz(poses=poses, trans=np.tile([0.0, 0.0, 0.95], (frames, 1)), mocap_framerate=np.array(60.0))


def bvh(frames: int = 3) -> bytes:
    """A rest pose in metres, 30 frames a second."""
    lines = ["HIERARCHY"]

    def write(joint: int) -> None:
        is_root = PARENTS[joint] < 0
        places = "Xposition Yposition Zposition " if is_root else ""
        lines.append(f"{'ROOT' if is_root else 'JOINT'} {JOINT_NAMES[joint]}")
        lines.extend(["{", f"OFFSET {' '.join(map(str, OFFSETS[joint]))}"])
        lines.append(f"CHANNELS {6 if is_root else 3} {places}Zrotation Xrotation Yrotation")
        children = [child for child, parent in enumerate(PARENTS) if parent == joint]
        for child in children:
            write(child)
        lines.extend([] if children else ["End Site", "{", "OFFSET 0 0.05 0", "}"])
        lines.append("}")

    write(0)
    lines += ["MOTION", f"Frames: {frames}", "Frame Time: 0.033333"]
    lines += [f"0 0.95 0 {' '.join(['0'] * (3 * len(JOINT_NAMES)))}"] * frames
    return "\n".join(lines).encode()


def csv(*rows: str) -> str:
    """Rows of `HEADER`; the cells at the end may be left out."""
    columns = HEADER.count(",")
    return HEADER + "".join(f"{row}{',' * (columns - row.count(','))}\n" for row in rows)


def jsonl(*rows: Mapping[str, object]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def folder_of(folder: Path, manifest: str, files: Mapping[str, bytes], *, name: str = "manifest.csv") -> Path:
    """The manifest's path, with the files beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    (folder / name).write_text(manifest, encoding="utf-8")
    return folder / name


def zip_of(files: Mapping[str, bytes | str], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()
