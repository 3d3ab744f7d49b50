"""AMASS archives: angles become joints as another forward kinematics has them, and wrong arrays are named."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.transform import Rotation

from rendering.motion import MotionFormatError, read_motion
from rendering.motion.amass import OFFSETS, joints_from_poses
from rendering.motion.rotations import about_axis, from_axis_angle
from rendering.motion.skeleton import JOINT_NAMES, PARENTS
from rendering.motion.stature import stature

Array = npt.NDArray[np.float64]
STANDING = Rotation.from_euler("x", 90, degrees=True).as_rotvec()  # from Y up, as the model rests, to Z up


def still(frames: int = 4, width: int = 156) -> dict[str, Any]:
    """Somebody who stands in a Z-up world, with the arms out."""
    poses = np.zeros((frames, width))
    poses[:, :3] = STANDING
    return {"poses": poses, "trans": np.tile([0.3, -0.2, 0.95], (frames, 1)), "mocap_framerate": np.array(120.0)}


def saved(folder: Path, arrays: dict[str, Any]) -> Path:
    path = folder / "walk_poses.npz"
    np.savez(path, **arrays)
    return path


def refusal(folder: Path, **changed: object) -> str:
    arrays = {name: array for name, array in (still() | changed).items() if array is not None}
    with pytest.raises(MotionFormatError) as caught:
        read_motion(saved(folder, arrays))
    return str(caught.value)


@settings(max_examples=50, deadline=None)
@given(hnp.arrays(np.float64, (3, 3), elements=st.floats(-7, 7)))
def test_axis_angles_are_those_of_scipy(vectors: Array) -> None:
    np.testing.assert_allclose(from_axis_angle(vectors), Rotation.from_rotvec(vectors).as_matrix(), atol=1e-12)


@pytest.mark.parametrize("angle", [0.0, 1e-14, 1e-9, 1e-6, np.pi - 1e-9, np.pi, 2 * np.pi])
def test_the_smallest_and_the_half_turn_are_rotations_too(angle: float) -> None:
    axis = np.array([[0.6, -0.64, 0.48]])
    matrix = from_axis_angle(axis * angle)
    np.testing.assert_allclose(matrix @ matrix.transpose(0, 2, 1), np.eye(3)[None], atol=1e-12)
    np.testing.assert_allclose(matrix, Rotation.from_rotvec(axis * angle).as_matrix(), atol=1e-12)


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_turns_about_an_axis_are_those_of_scipy(axis: int) -> None:
    angles = np.linspace(-7, 7, 15)
    expected = Rotation.from_euler("xyz"[axis], angles[:, None]).as_matrix()
    np.testing.assert_allclose(about_axis(axis, angles), expected, atol=1e-12)


@settings(max_examples=20, deadline=None)
@given(
    hnp.arrays(np.float64, (2, 66), elements=st.floats(-4, 4)),
    hnp.arrays(np.float64, (2, 3), elements=st.floats(-9, 9)),
)
def test_joints_are_where_scipy_puts_them(poses: Array, trans: Array) -> None:
    """The world turn of a joint is the product of those on the way to it, worked out anew for each joint."""
    found = joints_from_poses(poses, trans)
    for frame in range(len(poses)):
        own = [Rotation.from_rotvec(poses[frame, 3 * joint : 3 * joint + 3]) for joint in range(22)]
        for joint in range(22):
            place, at = np.zeros(3), joint
            while at:  # from the joint up to the root: what is below is turned with every joint above
                place = own[PARENTS[at]].apply(np.array(OFFSETS[at]) + place)
                at = PARENTS[at]
            np.testing.assert_allclose(found[frame, joint], place + trans[frame], atol=1e-9)


def test_the_skeleton_is_a_person_and_the_same_on_both_sides() -> None:
    joints = joints_from_poses(np.zeros((1, 66)), np.zeros((1, 3)))
    assert 1.5 < stature(joints) < 1.9
    for name in JOINT_NAMES:
        if name.startswith("left_"):
            left, right = (joints[0, JOINT_NAMES.index(side)] for side in (name, name.replace("left", "right")))
            np.testing.assert_allclose(left * [-1, 1, 1], right, atol=1e-12)
            assert left[0] > 0


def test_a_recording_is_read_with_z_up_and_its_own_rate(tmp_path: Path) -> None:
    motion = read_motion(saved(tmp_path, still()))
    assert (motion.fps, motion.frames) == (120, 4)
    np.testing.assert_allclose(motion.joints[:, 0], np.tile([0.3, 0.95, 0.2], (4, 1)), atol=1e-6)
    head, foot = JOINT_NAMES.index("head"), JOINT_NAMES.index("left_foot")
    assert (motion.joints[:, head, 1] > 1.5).all()
    assert (motion.joints[:, foot, 1] < 0.1).all()
    assert (motion.joints[:, foot, 2] > motion.joints[:, JOINT_NAMES.index("left_ankle"), 2]).all()


@pytest.mark.parametrize("width", [66, 72, 156, 165])
def test_poses_of_every_model_of_the_family_are_read(tmp_path: Path, width: int) -> None:
    assert read_motion(saved(tmp_path, still(width=width))) == read_motion(saved(tmp_path, still()))


def test_what_an_archive_holds_besides_does_not_matter_not_even_pickles(tmp_path: Path) -> None:
    """AMASS's SMPL-X files have labels and markers as pickled objects; they are left where they are."""
    more = {"gender": np.array("male"), "betas": np.zeros(16), "labels": np.array([object], dtype=object)}
    assert read_motion(saved(tmp_path, still() | more)) == read_motion(saved(tmp_path, still()))


@pytest.mark.parametrize("rate", [np.array(60), np.float32(60), np.array([60.0]), np.array([[60]], dtype=np.uint8)])
def test_the_rate_is_read_however_it_was_saved(tmp_path: Path, rate: object) -> None:
    assert read_motion(saved(tmp_path, still() | {"mocap_framerate": rate})).fps == 60


@pytest.mark.parametrize("key", ["mocap_framerate", "mocap_frame_rate", "fps"])
def test_the_rate_is_known_by_each_of_its_names(tmp_path: Path, key: str) -> None:
    arrays = still()
    arrays[key] = arrays.pop("mocap_framerate")
    assert read_motion(saved(tmp_path, arrays)).fps == 120


def test_a_missing_rate_must_be_given(tmp_path: Path) -> None:
    said = refusal(tmp_path, mocap_framerate=None)
    assert said == "walk_poses.npz: expected fps, for the file does not say it; found none given"
    arrays = still()
    del arrays["mocap_framerate"]
    assert read_motion(saved(tmp_path, arrays), fps=60).fps == 60


def test_a_rate_out_of_range_or_of_several_numbers_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, mocap_framerate=0.0) == "walk_poses.npz: expected fps above 0 and at most 240, found 0"
    assert refusal(tmp_path, mocap_framerate=np.nan).endswith("found nan")
    said = refusal(tmp_path, mocap_framerate=np.ones(4))
    assert said == "walk_poses.npz[mocap_framerate]: expected one number, found (4,)"


@pytest.mark.parametrize("shape", [(4, 63), (4, 100), (4, 52, 3), (4,), (4, 3000)])
def test_poses_of_another_shape_are_refused(tmp_path: Path, shape: tuple[int, ...]) -> None:
    said = refusal(tmp_path, poses=np.zeros(shape))
    assert said == f"walk_poses.npz[poses]: expected (frames, 156) or at least 66, found {shape}"


def test_translations_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, trans=np.zeros((3, 3))) == "walk_poses.npz[trans]: expected (4, 3), found (3, 3)"
    assert refusal(tmp_path, trans=None).startswith("walk_poses.npz: expected poses and trans, found poses, ")


def test_poses_that_are_not_finite_and_pickled_ones_are_refused(tmp_path: Path) -> None:
    assert "expected finite poses and trans" in refusal(tmp_path, poses=np.full((4, 156), np.nan))
    said = refusal(tmp_path, poses=np.full((4, 156), None, dtype=object))
    assert said.startswith("walk_poses.npz[poses]: pickled Python objects are not read")


def test_more_than_half_an_hour_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    poses = np.broadcast_to(np.float16(0), (36_001, 66))
    assert refusal(tmp_path, poses=poses).startswith("walk_poses.npz[poses]: expected at most 36000 frames")
