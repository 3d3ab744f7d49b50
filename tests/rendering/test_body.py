"""The body as it is kept: a closed, symmetric human with sound weights, facing +Z, with every part where it belongs."""

from importlib.resources import files

import numpy as np
import pytest

from rendering.body import BONE_NAMES, PARTS, load_body, vertex_normals
from rendering.body.asset import ASSET, FIELDS, version_of
from rendering.body.bones import BONE_COUNT, LEFT, MIRRORED, RIGHT
from rendering.motion.skeleton import JOINT_NAMES, PARENTS
from rendering.motion.stature import stature

BODY = load_body()
MIRROR = np.array([-1, 1, 1])


def of_part(part: str) -> np.ndarray:
    return BODY.vertices[BODY.parts == PARTS.index(part)]


def joint(name: str) -> np.ndarray:
    return np.asarray(BODY.joints[JOINT_NAMES.index(name)])


def opposite() -> np.ndarray:
    """For each vertex the one at its mirror image; there must be exactly one."""
    places = {tuple(place): number for number, place in enumerate(BODY.vertices.tolist())}
    return np.array([places[-x if x else 0.0, y, z] for x, y, z in BODY.vertices.tolist()])


def test_the_mesh_is_closed_and_its_faces_agree_on_what_is_outside() -> None:
    """Every edge is walked once each way: no hole, no third face, no face turned over."""
    ends = np.concatenate([BODY.faces[:, [0, 1]], BODY.faces[:, [1, 2]], BODY.faces[:, [2, 0]]])
    assert len(np.unique(ends, axis=0)) == len(ends)
    assert set(map(tuple, ends.tolist())) == set(map(tuple, ends[:, ::-1].tolist()))
    assert len(np.unique(BODY.faces)) == len(BODY.vertices)


def test_the_mesh_is_one_piece_without_handles() -> None:
    edges = len(BODY.faces) * 3 // 2
    assert len(BODY.vertices) - edges + len(BODY.faces) == 2


def test_the_body_has_the_volume_of_a_person_and_its_normals_point_outwards() -> None:
    a, b, c = (BODY.vertices[BODY.faces[:, corner]].astype(np.float64) for corner in range(3))
    assert 0.05 < (a * np.cross(b, c)).sum() / 6 < 0.09
    normals = vertex_normals(BODY, BODY.vertices)
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1, atol=1e-5)
    crown, nose = BODY.vertices[:, 1].argmax(), of_part("face")[:, 2].argmax()
    assert normals[crown, 1] > 0.9
    assert normals[BODY.parts == PARTS.index("face")][nose, 2] > 0.5


def test_the_body_is_its_own_mirror_image() -> None:
    other = opposite()
    np.testing.assert_array_equal(BODY.vertices[other], BODY.vertices * MIRROR)
    np.testing.assert_array_equal(other[other], np.arange(len(other)))
    mirrored = {tuple(sorted(face)) for face in other[BODY.faces].tolist()}
    assert mirrored == {tuple(sorted(face)) for face in BODY.faces.tolist()}
    np.testing.assert_allclose(BODY.joints[list(MIRRORED[:22])], BODY.joints * MIRROR, atol=1e-7)
    swapped = [PARTS.index(part.replace("left", "x").replace("right", "left").replace("x", "right")) for part in PARTS]
    seam = BODY.vertices[:, 0] == 0
    np.testing.assert_array_equal(np.array(swapped)[BODY.parts[other]][~seam], BODY.parts[~seam])


def test_weights_are_shares_of_at_most_four_bones_and_mirrored() -> None:
    assert BODY.bone_indices.shape == BODY.bone_weights.shape == (len(BODY.vertices), 4)
    assert BODY.bone_weights.min() >= 0
    np.testing.assert_allclose(BODY.bone_weights.sum(axis=1), 1, atol=1e-6)
    assert BODY.bone_indices.max() < BODY.bone_count == BONE_COUNT == len(BONE_NAMES)
    table = np.zeros((len(BODY.vertices), BONE_COUNT))
    np.add.at(table, (np.arange(len(table))[:, None], BODY.bone_indices), BODY.bone_weights)
    assert ((table > 0).sum(axis=1) <= 4).all()
    np.testing.assert_allclose(table[opposite()][:, MIRRORED], table, atol=1e-6)


def test_every_bone_moves_some_of_the_skin() -> None:
    assert {BONE_NAMES[bone] for bone in np.unique(BODY.bone_indices[BODY.bone_weights > 0.2])} == set(BONE_NAMES)


def test_neighbours_have_weights_alike() -> None:
    """A step from one vertex to the next would be a crease in every pose."""
    table = np.zeros((len(BODY.vertices), BONE_COUNT))
    np.add.at(table, (np.arange(len(table))[:, None], BODY.bone_indices), BODY.bone_weights)
    ends = np.concatenate([BODY.faces[:, [0, 1]], BODY.faces[:, [1, 2]]])
    length = np.linalg.norm(BODY.vertices[ends[:, 0]] - BODY.vertices[ends[:, 1]], axis=1)
    step = np.abs(table[ends[:, 0]] - table[ends[:, 1]]).max(axis=1)
    assert (step / np.maximum(length, 0.01)).max() < 25  # a ramp of 4 cm is the steepest


@pytest.mark.parametrize("part", PARTS)
def test_every_part_is_there(part: str) -> None:
    assert len(of_part(part)) > 200


def test_parts_are_where_they_belong() -> None:
    assert of_part("left_arm")[:, 0].min() > 0.1
    assert of_part("left_leg")[:, 0].min() >= 0
    assert of_part("left_leg")[:, 1].max() < 0.1
    assert of_part("head")[:, 1].min() > joint("neck")[1] - 0.1
    assert of_part("face")[:, 2].min() > of_part("head")[:, 2].mean()
    assert of_part("face")[:, 1].max() < of_part("head")[:, 1].max()
    assert np.abs(of_part("left_hand") - joint("left_wrist")).max() < 0.25
    assert of_part("torso")[:, 1].max() < joint("head")[1]


def test_every_joint_lies_within_the_skin() -> None:
    """By winding number: the solid angle under which a closed surface is seen from within is all of it."""
    for name, place in zip(JOINT_NAMES, BODY.joints.astype(np.float64), strict=True):
        a, b, c = (BODY.vertices[BODY.faces[:, corner]] - place for corner in range(3))
        la, lb, lc = (np.linalg.norm(each, axis=1) for each in (a, b, c))
        above = (a * np.cross(b, c)).sum(axis=1)
        below = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
        assert np.arctan2(above, below).sum() / (2 * np.pi) == pytest.approx(1, abs=0.01), name


def test_the_skeleton_at_rest_is_a_person_who_faces_forward() -> None:
    assert 1.5 < stature(BODY.joints[None]) < 1.9
    np.testing.assert_array_equal(BODY.joints[0], 0)
    assert joint("left_hip")[0] > 0
    assert joint("left_foot")[2] > joint("left_ankle")[2] + 0.05
    assert of_part("face")[:, 2].max() > of_part("head")[:, 2].max() - 0.02


def test_helpers_have_a_side_and_both_sides_the_same() -> None:
    for left, right in zip(LEFT[1:], RIGHT[1:], strict=True):
        assert BONE_NAMES[left].replace("left", "right") == BONE_NAMES[right]
        assert (MIRRORED[left], MIRRORED[right]) == (right, left)
    assert sorted(MIRRORED) == list(range(BONE_COUNT))
    assert len(PARENTS) == 22


def test_the_file_is_small_and_says_which_body_it_is() -> None:
    data = files("rendering.body").joinpath(ASSET)
    with data.open("rb") as file:
        assert len(file.read()) < 2**20
    with data.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        assert str(stored["version"]) == version_of({name: stored[name] for name in FIELDS}) == BODY.version


def test_nobody_can_change_the_body_that_all_share() -> None:
    assert load_body() is BODY
    with pytest.raises(ValueError, match="read-only"):
        BODY.vertices[0] = 0


def test_the_version_changes_with_any_array() -> None:
    arrays = {name: getattr(BODY, name) for name in FIELDS}
    for name in FIELDS:
        other = arrays[name].copy()
        other.flat[0] += 1
        assert version_of(arrays | {name: other}) != BODY.version, name


# --- Normals ----------------------------------------------------------------------------------------------------------


def test_normals_of_a_motion_are_those_of_its_frames_and_turn_with_the_body() -> None:
    turn = np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0]], dtype=np.float32)
    both = vertex_normals(BODY, np.stack([BODY.vertices, BODY.vertices @ turn.T]))
    np.testing.assert_array_equal(both[0], vertex_normals(BODY, BODY.vertices))
    np.testing.assert_allclose(both[1], both[0] @ turn.T, atol=1e-5)


def test_a_body_in_one_point_has_normals_too() -> None:
    np.testing.assert_array_equal(vertex_normals(BODY, np.zeros_like(BODY.vertices))[:, 1], 1)


@pytest.mark.parametrize("shape", [(3,), (5, 3), (2, 5, 3), (1, 2, 5, 3)])
def test_normals_of_another_mesh_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="vertices: expected"):
        vertex_normals(BODY, np.zeros(shape, dtype=np.float32))
