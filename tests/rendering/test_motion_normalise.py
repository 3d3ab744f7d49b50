"""Turning, scaling and another frame rate: only when asked for, and then exactly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from rendering.motion import MotionFormatError, Trajectory, resample, trajectory_from_array
from rendering.motion.normalise import face_forward, scale_to_stature
from rendering.motion.skeleton import JOINT_NAMES, PARENTS
from rendering.motion.stature import check_stature, metres_in, stature
from tests.rendering.people import a_walk

LEFT, RIGHT = JOINT_NAMES.index("left_hip"), JOINT_NAMES.index("right_hip")


def changed(motion: Trajectory, *, degrees: float = 0, by: tuple[float, float, float] = (0, 0, 0)) -> Trajectory:
    turn = Rotation.from_euler("y", degrees, degrees=True).as_matrix()
    return trajectory_from_array(motion.joints.astype(np.float64) @ turn.T + by, fps=motion.fps)


@settings(max_examples=25, deadline=None)
@given(st.floats(-360, 360), st.floats(-50, 50), st.floats(-50, 50))
def test_facing_forward_undoes_every_turn_and_step(degrees: float, x: float, z: float) -> None:
    forward = face_forward(a_walk())
    again = face_forward(changed(a_walk(), degrees=degrees, by=(x, 0, z)))
    np.testing.assert_allclose(again.joints, forward.joints, atol=1e-4)


def test_facing_forward_is_over_the_origin_with_the_left_on_the_left_and_nothing_bent() -> None:
    walk, forward = changed(a_walk(), degrees=130, by=(3, 0, 4)), face_forward(changed(a_walk(), degrees=130))
    assert np.abs(forward.joints[0, 0, [0, 2]]).max() < 1e-6
    across = forward.joints[0, LEFT] - forward.joints[0, RIGHT]
    assert across[0] > 0.8 * np.linalg.norm(across)
    np.testing.assert_allclose(forward.joints[..., 1], walk.joints[..., 1], atol=1e-6)
    bones = [motion.joints[:, 1:] - motion.joints[:, PARENTS[1:]] for motion in (walk, forward)]
    before, after = (np.linalg.norm(each, axis=-1) for each in bones)
    np.testing.assert_allclose(after, before, atol=1e-5)


def test_facing_forward_twice_changes_nothing_more() -> None:
    once = face_forward(a_walk())
    np.testing.assert_allclose(face_forward(once).joints, once.joints, atol=1e-6)


def test_a_body_without_a_width_stays_as_it_faces() -> None:
    stick = trajectory_from_array(np.zeros((2, 22, 3)), fps=20)
    assert face_forward(stick) == stick


@settings(max_examples=25, deadline=None)
@given(st.floats(0.1, 10))
def test_scaling_gives_the_stature_that_was_asked_for(metres: float) -> None:
    scaled = scale_to_stature(a_walk(), metres)
    np.testing.assert_allclose(scale_to_stature(scaled, 1.7).joints, scale_to_stature(a_walk(), 1.7).joints, atol=1e-4)
    assert stature(scaled.joints) / stature(a_walk().joints) == pytest.approx(
        scaled.joints[0, 0, 1] / a_walk().joints[0, 0, 1], rel=1e-4
    )


def test_a_person_of_our_size_is_hardly_scaled_to_it() -> None:
    """The share of the chain in the stature is right: HumanML3D's skeleton is that of a person of about 1.7 m."""
    scaled = scale_to_stature(a_walk(), 1.7)
    assert scaled.joints[0, 0, 1] == pytest.approx(a_walk().joints[0, 0, 1], rel=0.1)


@pytest.mark.parametrize("metres", [0.0, -1.7, 11.0, float("nan"), float("inf")])
def test_an_impossible_stature_is_refused(metres: float) -> None:
    with pytest.raises(MotionFormatError, match=r"^stature: expected 0\.1 to 10 metres, found "):
        scale_to_stature(a_walk(), metres)


def test_a_body_without_a_size_is_not_scaled() -> None:
    with pytest.raises(MotionFormatError, match="expected a body with a size, found joints that coincide"):
        scale_to_stature(trajectory_from_array(np.ones((2, 22, 3)), fps=20), 1.7)


# --- Units ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("units", ["m", "cm", "mm", "in", "cmu"])
def test_a_person_in_another_unit_is_noticed_and_the_unit_named(units: str) -> None:
    joints = a_walk().joints / metres_in(units, name="a")
    check_stature(joints * metres_in(units, name="a"), units=units, name="a.npy")
    for wrong in {"m", "cm", "mm", "in", "cmu"} - {units}:
        with pytest.raises(MotionFormatError) as caught:
            check_stature(joints * metres_in(wrong, name="a"), units=wrong, name="a.npy")
        assert str(caught.value).startswith("a.npy: expected a person of 0.8 to 2.5 m from head to toe, found ")
        assert f"when read as units {wrong}; units {units} would fit" in str(caught.value)


def test_a_stature_is_that_of_the_bones_in_every_pose() -> None:
    """A median over frames: one frame in which a joint is lost does not make a giant."""
    joints = np.array(a_walk().joints)
    tall = stature(joints)
    joints[3, 15] += 40
    assert stature(joints) == pytest.approx(tall, rel=1e-3)
    assert stature(joints @ Rotation.random(random_state=3).as_matrix().T) == pytest.approx(tall, rel=1e-3)


def test_unknown_units_are_named_with_the_known_ones() -> None:
    with pytest.raises(MotionFormatError, match=r"^a\.npy: expected units among m, cm, mm, in, cmu, found 'feet'$"):
        metres_in("feet", name="a.npy")


# --- Frames a second --------------------------------------------------------------------------------------------------


def line(frames: int, fps: float) -> Trajectory:
    """Every joint on a straight way, so that any rate must find it on that way."""
    times = np.arange(frames) / fps
    return trajectory_from_array(np.ones((frames, 22, 3)) * times[:, None, None], fps=fps)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.floats(1, 240), st.floats(1, 240))
def test_another_rate_keeps_every_joint_on_its_way_and_lasts_no_longer(frames: int, fps: float, other: float) -> None:
    motion = resample(line(frames, fps), other)
    assert motion.fps == other
    np.testing.assert_allclose(motion.joints[:, 0, 0], np.arange(motion.frames) / other, rtol=1e-5, atol=1e-5)
    last, end = (motion.frames - 1) / other, (frames - 1) / fps
    assert end - 1 / other - 1e-6 <= last <= end + 1e-6


def test_whole_multiples_keep_the_frames_between_untouched() -> None:
    walk = a_walk(9)
    double = resample(walk, walk.fps * 2)
    assert double.frames == 17
    np.testing.assert_array_equal(double.joints[::2], walk.joints)
    assert resample(double, walk.fps) == walk
    assert resample(walk, walk.fps) is walk


def test_one_frame_has_every_rate() -> None:
    assert resample(line(1, 20), 120).frames == 1


def test_a_rate_that_would_make_an_endless_motion_is_refused_first() -> None:
    with pytest.raises(MotionFormatError, match=r"^resample: expected at most 36000 frames, found 8639761"):
        resample(trajectory_from_array(np.zeros((36_000, 22, 3), np.float32), fps=1), 240)
    with pytest.raises(MotionFormatError, match=r"^resample: expected fps above 0 and at most 240, found 0"):
        resample(line(2, 20), 0)
