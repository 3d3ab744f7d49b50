"""What a browser gets to draw a figure: the bytes, who may have them, and how long they may be kept."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.test import Client

from rendering.body import load_body, pose_bones
from rendering.figure3d import MAX_WINDOW, encode_body, encode_window
from rendering.models import Motion
from rendering.motion import Trajectory, trajectory_from_array
from rendering.services.motions import motion_store
from tests.factories import ManagerFactory, MotionFactory, ResearcherFactory, UserFactory


def decode(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    length = int.from_bytes(data[:4], "little")
    about = json.loads(data[4 : 4 + length])
    arrays = {}
    for entry in about["arrays"]:
        count, start = int(np.prod(entry["shape"])), 4 + length + entry["offset"]
        assert start % 4 == 0  # a Float32Array begins nowhere else
        arrays[entry["name"]] = np.frombuffer(data, entry["type"], count, start).reshape(entry["shape"])
    return about, arrays


def moving(frames: int) -> Trajectory:
    joints = np.repeat(load_body().joints[None], frames, axis=0).astype(np.float32)
    joints[:, :, 0] += np.linspace(0, 2, frames)[:, None]
    return trajectory_from_array(joints, fps=20.0)


def test_the_body_arrives_as_it_is() -> None:
    body = load_body()
    about, arrays = decode(encode_body(body))
    for name in ("vertices", "faces", "bone_indices", "bone_weights", "parts"):
        assert np.array_equal(arrays[name], getattr(body, name))
    assert (about["version"], about["bones"], len(about["parents"])) == (body.version, body.bone_count, 22)


def test_windows_put_together_are_the_motion() -> None:
    body, trajectory = load_body(), moving(25)
    windows = [decode(encode_window(body, trajectory, start=start, frames=10)) for start in (0, 10, 20)]
    bones = np.concatenate([arrays["bones"] for _, arrays in windows])
    assert np.array_equal(bones, pose_bones(body, trajectory.joints))
    assert np.array_equal(np.concatenate([arrays["joints"] for _, arrays in windows]), trajectory.joints)
    about = windows[2][0]
    assert (about["from"], about["frames"], about["fps"]) == (20, 25, 20.0)
    assert about["floor"] < about["low"][1] < about["high"][1]


@pytest.mark.parametrize(
    ("start", "frames", "words"),
    [(-1, 5, "from: "), (25, 5, "0 to 24"), (0, 0, "frames: "), (0, MAX_WINDOW + 1, "600")],
)
def test_a_window_outside_the_motion_is_refused(start: int, frames: int, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        encode_window(load_body(), moving(25), start=start, frames=frames)


# --- Over HTTP --------------------------------------------------------------------------------------------------------


@pytest.fixture
def motion(db: None, files: Path) -> Motion:
    return motion_store(trajectory=moving(25), source="test")


@pytest.fixture
def researcher(db: None) -> Client:
    client = Client()
    client.force_login(ResearcherFactory())
    return client


def test_only_managers_and_researchers_get_figures(client: Client, motion: Motion) -> None:
    paths = (f"/rendering/body/{load_body().version}.bin", f"/rendering/motions/{motion.pk}/bones.bin")
    assert [client.get(path).status_code for path in paths] == [302, 302]
    for factory, status in ((UserFactory, 403), (ManagerFactory, 200), (ResearcherFactory, 200)):
        client.force_login(factory())
        assert [client.get(path).status_code for path in paths] == [status, status]


def test_the_body_is_kept_for_good_and_an_old_version_is_not_found(researcher: Client) -> None:
    response = researcher.get(f"/rendering/body/{load_body().version}.bin")
    assert "immutable" in response["Cache-Control"]
    assert "private" in response["Cache-Control"]
    assert researcher.get("/rendering/body/0.bin").status_code == 404


def test_a_window_is_asked_for_and_not_sent_twice(researcher: Client, motion: Motion) -> None:
    path = f"/rendering/motions/{motion.pk}/bones.bin?from=20&frames=10"
    response = researcher.get(path)
    assert decode(response.content)[1]["joints"].shape == (5, 22, 3)
    again = researcher.get(path, headers={"If-None-Match": response["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert researcher.get(f"{path}0", headers={"If-None-Match": response["ETag"]}).status_code == 200


@pytest.mark.parametrize("query", ["from=x", "from=25", "from=-1", "frames=0", "frames=601", "from=1.5"])
def test_a_window_that_makes_no_sense_is_refused(researcher: Client, motion: Motion, query: str) -> None:
    assert researcher.get(f"/rendering/motions/{motion.pk}/bones.bin?{query}").status_code == 400


def test_a_motion_without_its_file_is_not_found(researcher: Client, files: Path) -> None:
    assert researcher.get(f"/rendering/motions/{MotionFactory().pk}/bones.bin").status_code == 404
    assert researcher.get("/rendering/motions/999999/bones.bin").status_code == 404
