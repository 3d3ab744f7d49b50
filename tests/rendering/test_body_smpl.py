"""A body of one's own: read from arrays as SMPL's files have them, met by every joint, and never unpickled."""

import pickle
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from scipy.sparse import csc_matrix

from rendering.body import PARTS, Body, BodyFormatError, load_body, pose_bones, read_smpl, skin, vertex_normals
from rendering.body.bones import BONE_COUNT, LEFT, RIGHT
from rendering.motion.skeleton import JOINT_COUNT, JOINT_NAMES, PARENTS
from tests.rendering.people import a_walk

OURS = load_body()
ABSENT = 2**32 - 1  # the root's parent, as SMPL writes it


def fingers(first: int) -> list[int]:
    """The parents of 15 finger joints of each hand, three in a row, where the first of them has the number `first`."""
    parents: list[int] = []
    for wrist in (20, 21):
        for joint in range(15):
            parents.append(wrist if joint % 3 == 0 else first + len(parents) - 1)
    return parents


# What hangs on the 22 joints, in the order of each model: hands; fingers; jaw and eyes, then fingers.
EXTRA = {"SMPL": [20, 21], "SMPL-H": fingers(22), "SMPL-X": [15, 15, 15, *fingers(25)]}


def weights_by_joint(joints: int) -> npt.NDArray[np.float64]:
    """Our own weights, those of helpers given back to the joint whose limb they turn, some of the hands to fingers."""
    table = np.zeros((len(OURS.vertices), BONE_COUNT))
    np.add.at(table, (np.arange(len(table))[:, None], OURS.bone_indices), OURS.bone_weights)
    back = list(range(JOINT_COUNT)) + [0] * (BONE_COUNT - JOINT_COUNT)
    for side in (LEFT, RIGHT):
        back[side.shoulder_half], back[side.hip_half] = side.shoulder, side.hip
        back[side.upper_arm_middle] = back[side.upper_arm_low] = back[side.elbow_half] = side.shoulder
        back[side.thigh_middle] = back[side.thigh_low] = back[side.knee_half] = side.hip
        back[side.shin_low] = side.knee
    weights = np.zeros((len(table), joints))
    for bone, joint in enumerate(back):
        weights[:, joint] += table[:, bone]
    weights[:, -1] += weights[:, 21] * 0.75  # the last joint of every model is of the right hand
    weights[:, 21] *= 0.25
    return weights


@cache
def from_vertices() -> npt.NDArray[np.float64]:
    """Any sum of vertices, with shares of one in all, that gives the joints will do: the least one."""
    homogeneous = np.concatenate([OURS.vertices, np.ones((len(OURS.vertices), 1))], axis=1)
    return np.asarray(np.linalg.pinv(homogeneous.astype(np.float64)))


def model(kind: str = "SMPL") -> dict[str, Any]:
    """Our own mesh, in the arrays of the model and where SMPL has it: the pelvis below the origin."""
    parents = [ABSENT, *PARENTS[1:], *EXTRA[kind]]
    places = np.concatenate([OURS.joints, np.repeat(OURS.joints[[20]], len(parents) - JOINT_COUNT, axis=0)])
    return {
        "v_template": OURS.vertices.astype(np.float64) + np.array([0.0, -0.23, 0.03]),
        "weights": weights_by_joint(len(parents)),
        "J_regressor": np.concatenate([places, np.ones((len(places), 1))], axis=1) @ from_vertices(),
        "kintree_table": np.array([parents, range(len(parents))], dtype=np.uint32),
        "f": OURS.faces.astype(np.uint32),
        "shapedirs": np.zeros((2, 3, 10)),
        "bs_style": np.array("lbs"),
    }


def saved(folder: Path, arrays: dict[str, Any], name: str = "model.npz") -> Path:
    np.savez_compressed(folder / name, **{key: array for key, array in arrays.items() if array is not None})
    return folder / name


def refusal(folder: Path, **changed: Any) -> str:
    with pytest.raises(BodyFormatError) as caught:
        read_smpl(saved(folder, model() | changed))
    return str(caught.value)


def assert_is_our_body(body: Body) -> None:
    np.testing.assert_allclose(body.vertices, OURS.vertices, atol=1e-5)
    np.testing.assert_allclose(body.joints, OURS.joints, atol=1e-5)
    np.testing.assert_array_equal(body.faces, OURS.faces)


def test_the_models_have_the_joints_that_are_theirs() -> None:
    assert {kind: JOINT_COUNT + len(extra) for kind, extra in EXTRA.items()} == {"SMPL": 24, "SMPL-H": 52, "SMPL-X": 55}


@pytest.mark.parametrize("kind", EXTRA)
def test_every_model_of_the_family_is_read(tmp_path: Path, kind: str) -> None:
    body = read_smpl(saved(tmp_path, model(kind)))
    assert_is_our_body(body)
    assert body.bone_count == BONE_COUNT
    np.testing.assert_allclose(body.bone_weights.sum(axis=1), 1, atol=1e-6)
    hand = OURS.vertices[:, 0] < OURS.joints[RIGHT.wrist, 0] - 0.1
    assert (body.bone_indices[hand, 0] == RIGHT.wrist).all()  # fingers went with it


@pytest.mark.parametrize("kind", EXTRA)
def test_joints_are_met_exactly(tmp_path: Path, kind: str) -> None:
    body, joints = read_smpl(saved(tmp_path, model(kind))), a_walk().joints.astype(np.float64)
    bones = pose_bones(body, joints).astype(np.float64)
    found = np.einsum("tjab,jb->tja", bones[:, :JOINT_COUNT, :, :3], body.joints) + bones[:, :JOINT_COUNT, :, 3]
    assert np.linalg.norm(found - joints, axis=-1).max() < 1e-5
    vertices = skin(body, bones.astype(np.float32))
    assert np.isfinite(vertex_normals(body, vertices)).all()
    # It is our own mesh, bound a little more coarsely: the person is the same.
    assert np.abs(vertices - skin(OURS, pose_bones(OURS, joints))).max() < 0.12
    assert np.abs(vertices - skin(OURS, pose_bones(OURS, joints))).mean() < 0.005


def test_joints_may_stand_in_the_file_themselves(tmp_path: Path) -> None:
    arrays = model()
    arrays["J"] = arrays.pop("J_regressor") @ arrays["v_template"]
    assert_is_our_body(read_smpl(saved(tmp_path, arrays)))


@pytest.mark.parametrize("unit", [1.0, 100.0, 1000.0])
@pytest.mark.parametrize("turn", ["xyz", "zxy", "yzx"])
def test_units_axes_and_place_are_brought_to_ours(tmp_path: Path, unit: float, turn: str) -> None:
    arrays = model()
    arrays["v_template"] = (arrays["v_template"] * unit)[:, ["xyz".index(axis) for axis in turn]] + 3.0
    assert_is_our_body(read_smpl(saved(tmp_path, arrays)))


def test_z_up_facing_minus_y_is_brought_to_ours(tmp_path: Path) -> None:
    arrays = model()
    x, y, z = arrays["v_template"].T
    arrays["v_template"] = np.stack([x, -z, y], axis=1)
    assert_is_our_body(read_smpl(saved(tmp_path, arrays)))


def test_parts_are_those_of_the_bones_and_the_face_is_in_front(tmp_path: Path) -> None:
    body = read_smpl(saved(tmp_path, model()))
    assert set(np.unique(body.parts)) == set(range(len(PARTS)))
    same = body.parts == OURS.parts
    assert same.mean() > 0.85
    face = body.vertices[body.parts == PARTS.index("face")]
    head = body.vertices[body.parts == PARTS.index("head")]
    assert face[:, 2].min() > np.median(head[:, 2])
    assert face[:, 1].max() < head[:, 1].max()
    for side, sign in (("left", 1), ("right", -1)):
        for part in ("arm", "leg", "hand"):
            assert (body.vertices[body.parts == PARTS.index(f"{side}_{part}"), 0] * sign > -0.02).all()


def test_at_most_four_bones_move_a_vertex_and_the_strongest_ones(tmp_path: Path) -> None:
    arrays = model()
    arrays["weights"] = np.full((len(OURS.vertices), 24), 0.01)
    arrays["weights"][:, [9, 12, 13, 14]] = [0.3, 0.2, 0.15, 0.11]
    body = read_smpl(saved(tmp_path, arrays))
    assert (np.sort(body.bone_indices, axis=1) == [9, 12, 13, 14]).all()
    np.testing.assert_allclose(body.bone_weights[0], np.array([0.3, 0.2, 0.15, 0.11]) / 0.76, atol=1e-6)


def test_the_same_file_is_the_same_version_and_another_is_another(tmp_path: Path) -> None:
    one, two = read_smpl(saved(tmp_path, model())), read_smpl(saved(tmp_path, model()))
    assert one.version == two.version != OURS.version
    assert len(one.version) == len(OURS.version)
    other = model()
    other["v_template"][5] += 0.01
    assert read_smpl(saved(tmp_path, other)).version != one.version


# --- What is refused --------------------------------------------------------------------------------------------------


class Trap:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", ["SMPL_NEUTRAL.pkl", "renamed.npz"])
def test_a_pickle_is_refused_with_the_way_to_convert_it_and_not_run(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(pickle.dumps(Trap(tmp_path / "sprung")))
    with pytest.raises(BodyFormatError) as caught:
        read_smpl(tmp_path / name)
    assert str(caught.value).startswith(f"{name}: pickled Python objects are not read, for they could run code.")
    assert "np.savez('smpl.npz'" in str(caught.value)
    assert not (tmp_path / "sprung").exists()


def test_the_way_to_convert_a_pickle_gives_a_file_that_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = model() | {"J_regressor": csc_matrix(model()["J_regressor"])}
    (tmp_path / "SMPL_NEUTRAL.pkl").write_bytes(pickle.dumps(arrays))
    with pytest.raises(BodyFormatError) as caught:
        read_smpl(tmp_path / "SMPL_NEUTRAL.pkl")
    monkeypatch.chdir(tmp_path)
    exec(str(caught.value)[str(caught.value).index("import pickle") :], {})  # noqa: S102 - a person would
    assert_is_our_body(read_smpl(tmp_path / "smpl.npz"))


def test_a_pickled_array_in_the_archive_is_refused_and_not_run(tmp_path: Path) -> None:
    sparse = np.empty((), dtype=object)
    sparse[()] = Trap(tmp_path / "sprung")
    said = refusal(tmp_path, J_regressor=sparse)
    assert said.startswith("model.npz: pickled Python objects are not read")
    assert "toarray()" in said
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("key", ["v_template", "weights", "kintree_table", "f", "J_regressor"])
def test_a_missing_array_is_named(tmp_path: Path, key: str) -> None:
    assert refusal(tmp_path, **{key: None}).startswith(f"model.npz: expected {key}, found ")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"v_template": np.zeros((9, 2))}, "model.npz[v_template]: expected (vertices, 3), found (9, 2)"),
        ({"v_template": np.zeros((100_001, 3))}, "model.npz[v_template]: expected at most 100000 rows, found 100001"),
        ({"weights": np.ones((9401, 23))}, "model.npz[weights]: expected (9401, 24), found (9401, 23)"),
        ({"weights": np.zeros((9401, 24))}, "model.npz[weights]: expected shares of 0 or more for every vertex"),
        ({"weights": np.full((9401, 24), np.nan)}, "model.npz[weights]: expected finite numbers, found nan or inf"),
        ({"J_regressor": np.ones((24, 100))}, "model.npz[J_regressor]: expected (24, 9401), found (24, 100)"),
        ({"f": np.array([[0, 1, 9401]])}, "model.npz[f]: expected numbers of 9401 vertices, found 0 to 9401"),
        ({"f": np.array([[0, 1, -1]])}, "model.npz[f]: expected numbers of 9401 vertices, found -1 to 1"),
        ({"f": np.array([[0.0, 1.0, 2.0]])}, "model.npz[f]: expected whole numbers, found float64"),
        (
            {"kintree_table": np.zeros((2, 16), int)},
            "model.npz[kintree_table]: expected (2, joints) of 22 or more, found",
        ),
        (
            {"kintree_table": np.zeros((2, 24), int)},
            "model.npz[kintree_table]: expected SMPL's joints, found [-1, 0, 0",
        ),
    ],
)
def test_wrong_arrays_are_named_with_what_was_expected(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    assert refusal(tmp_path, **changed).startswith(said)


def test_joints_in_a_ring_are_refused(tmp_path: Path) -> None:
    table = model()["kintree_table"]
    table[0, 22] = 23
    assert refusal(tmp_path, kintree_table=table).endswith("expected every joint after its parent")


def test_a_body_of_no_persons_size_is_refused(tmp_path: Path) -> None:
    assert "expected a person of 0.8 to 2.5 m" in refusal(tmp_path, v_template=model()["v_template"] * 7)


def test_a_mirrored_body_is_refused(tmp_path: Path) -> None:
    assert "left and right as they are" in refusal(tmp_path, v_template=model()["v_template"] * [-1, 1, 1])


def test_a_joint_on_its_parent_is_refused(tmp_path: Path) -> None:
    joints = model()["J_regressor"] @ model()["v_template"]
    joints[JOINT_NAMES.index("left_knee")] = joints[JOINT_NAMES.index("left_hip")]
    assert refusal(tmp_path, J=joints, J_regressor=None).endswith("bones with a length, found left_knee on its parent")


def test_other_files_are_named_as_such(tmp_path: Path) -> None:
    (tmp_path / "body.npz").write_bytes(b"solid body")
    with pytest.raises(
        BodyFormatError, match=r"^body\.npz: expected an \.npz of SMPL, SMPL-H or SMPL-X, found something"
    ):
        read_smpl(tmp_path / "body.npz")
    with pytest.raises(BodyFormatError, match=r"^mine: cannot be read: No such file"):
        read_smpl(tmp_path / "gone.npz", name="mine")
