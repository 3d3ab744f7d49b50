"""A trajectory is checked once, cannot be changed, and is named by what it holds."""

import hashlib
import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rendering.motion import MotionFormatError, trajectory_from_array

metres = st.floats(-1000, 1000, width=32)
positions = st.integers(1, 6).flatmap(lambda frames: hnp.arrays(np.float32, (frames, 22, 3), elements=metres))
rates = st.floats(0.01, 240)


def zeros(frames: int = 3) -> npt.NDArray[np.float32]:
    return np.zeros((frames, 22, 3), dtype=np.float32)


@settings(max_examples=40, deadline=None)
@given(positions, rates)
def test_it_holds_what_it_was_given(joints: npt.NDArray[np.float32], fps: float) -> None:
    motion = trajectory_from_array(joints, fps=fps)
    np.testing.assert_array_equal(motion.joints, joints)
    assert motion.joints.dtype == np.float32
    assert motion.frames == len(joints)
    assert motion.seconds == pytest.approx(len(joints) / fps)


def test_it_shares_no_memory_and_cannot_be_written() -> None:
    source = zeros()
    motion = trajectory_from_array(source, fps=20)
    source[0, 0, 0] = 5
    assert motion.joints[0, 0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        motion.joints[0, 0, 0] = 1


@settings(max_examples=30, deadline=None)
@given(positions, rates)
def test_the_hash_does_not_depend_on_how_the_array_is_stored(joints: npt.NDArray[np.float32], fps: float) -> None:
    name = trajectory_from_array(joints, fps=fps).content_hash
    for same in (np.asfortranarray(joints), joints.astype(">f4"), joints.astype(np.float64), joints[::-1][::-1]):
        assert trajectory_from_array(same, fps=fps).content_hash == name


@settings(max_examples=40, deadline=None)
@given(positions, rates, st.data())
def test_the_hash_changes_when_any_number_does(
    joints: npt.NDArray[np.float32], fps: float, data: st.DataObject
) -> None:
    motion = trajectory_from_array(joints, fps=fps)
    where = tuple(data.draw(st.integers(0, length - 1)) for length in joints.shape)
    other = joints.copy()
    other[where] = np.nextafter(other[where], np.float32(0 if other[where] else 1))
    if other[where] == joints[where]:
        return
    assert trajectory_from_array(other, fps=fps) != motion
    assert trajectory_from_array(joints, fps=math.nextafter(fps, 0)) != motion
    assert trajectory_from_array(np.concatenate([joints, joints[-1:]]), fps=fps) != motion


def test_the_hash_is_the_one_that_is_stored_in_databases() -> None:
    """Spelled out here again: a change of the canonical form would orphan every stored motion."""
    joints = np.arange(2 * 66, dtype="<f4").reshape(2, 22, 3) / 100
    canonical = b"touchstone-motion-v1" + np.array([2, 22, 3], "<i8").tobytes() + np.array(20, "<f8").tobytes()
    expected = hashlib.sha256(canonical + joints.tobytes()).hexdigest()
    assert trajectory_from_array(joints, fps=20).content_hash == expected


def test_minus_zero_is_zero() -> None:
    assert trajectory_from_array(-zeros(), fps=20) == trajectory_from_array(zeros(), fps=20)


@pytest.mark.parametrize("fps", [0, -1, 240.1, math.inf, math.nan])
def test_a_frame_rate_out_of_range_is_refused(fps: float) -> None:
    with pytest.raises(MotionFormatError, match=r"^a\.npy: expected fps above 0 and at most 240, found "):
        trajectory_from_array(zeros(), fps=fps, name="a.npy")


@pytest.mark.parametrize(
    ("shape", "hint"),
    [
        ((120, 24, 3), ""),
        ((22, 3), ""),
        ((120, 22, 2), ""),
        ((), ""),
        ((100, 263), "; this looks like HumanML3D features: recover the joint positions first"),
        ((22, 3, 60), "; this looks like MDM's (joints, 3, frames): use array.transpose(2, 0, 1)"),
        ((1, 60, 22, 3), "; this looks like a batch of one motion: use array[0]"),
    ],
)
def test_a_wrong_shape_is_named(shape: tuple[int, ...], hint: str) -> None:
    with pytest.raises(MotionFormatError) as caught:
        trajectory_from_array(np.zeros(shape), fps=20, name="clip.npy")
    assert str(caught.value) == f"clip.npy: expected (frames, 22, 3), found {shape}{hint}"


def test_an_empty_motion_is_refused() -> None:
    with pytest.raises(MotionFormatError, match="expected at least 1 frame, found 0"):
        trajectory_from_array(zeros(0), fps=20)


def test_an_endless_motion_is_refused() -> None:
    endless = np.broadcast_to(np.float32(0), (36_001, 22, 3))
    with pytest.raises(MotionFormatError, match="expected at most 36000 frames, found 36001"):
        trajectory_from_array(endless, fps=20)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_the_first_number_that_is_not_finite_is_named(value: float) -> None:
    joints = zeros()
    joints[1, 5, 2] = joints[2, 0, 0] = value
    with pytest.raises(MotionFormatError) as caught:
        trajectory_from_array(joints, fps=20, name="clip.npy")
    assert str(caught.value) == f"clip.npy: frame 1, joint 5 (right_knee), z is {value}, expected a finite number"


def test_positions_beyond_a_kilometre_are_refused_even_those_float32_cannot_hold() -> None:
    joints = zeros().astype(np.float64)
    joints[2, 15, 1] = 1e300
    with pytest.raises(MotionFormatError, match=r"frame 2, joint 15 \(head\), y is 1e\+300, expected metres within"):
        trajectory_from_array(joints, fps=20)


@pytest.mark.parametrize("dtype", ["int64", "bool", "complex128", "U3", "object"])
def test_numbers_that_are_not_floating_point_are_refused(dtype: str) -> None:
    with pytest.raises(MotionFormatError, match="expected floating-point metres, found "):
        trajectory_from_array(np.zeros((2, 22, 3)).astype(dtype), fps=20)
