"""Motion files are read without trust: whatever is wrong is named, and nothing is unpickled or allocated for it."""

import io
import pickle
import tracemalloc
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rendering.motion import MotionFormatError, read_npy, trajectory_from_array, write_npy

SHARED = Path(__file__).parents[3] / "shared" / "data"

floats = st.sampled_from(["<f2", "<f4", ">f4", "<f8", ">f8"])
positions = st.tuples(st.integers(1, 5), floats).flatmap(
    lambda drawn: hnp.arrays(np.dtype(drawn[1]), (drawn[0], 22, 3), elements=st.floats(-1000, 1000, width=16))
)


def saved(array: npt.NDArray[np.generic], *, allow_pickle: bool = False) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=allow_pickle)
    return buffer.getvalue()


def with_header(header: str, data: bytes = b"", version: tuple[int, int] = (1, 0)) -> bytes:
    width = 2 if version[0] == 1 else 4
    text = header.encode() + b"\n"
    return b"\x93NUMPY" + bytes(version) + len(text).to_bytes(width, "little") + text + data


def refusal(source: bytes) -> str:
    with pytest.raises(MotionFormatError) as caught:
        read_npy(source, fps=20, name="clip.npy")
    return str(caught.value)


@settings(max_examples=60, deadline=None)
@given(positions, st.booleans())
def test_any_array_comes_back_as_it_was_written(joints: npt.NDArray[np.floating], fortran: bool) -> None:
    data = saved(np.asfortranarray(joints) if fortran else joints)
    motion = read_npy(data, fps=20)
    np.testing.assert_array_equal(motion.joints, joints.astype(np.float32))
    again = read_npy(write_npy(motion), fps=20)
    assert again == motion
    assert write_npy(again) == write_npy(motion)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_file_is_read_or_refused_and_nothing_else(data: st.DataObject) -> None:
    whole = saved(np.ones((2, 22, 3), dtype=np.float32))
    cut = whole[: data.draw(st.integers(0, len(whole)))]
    damaged = bytearray(cut)
    for _ in range(data.draw(st.integers(0, 3))):
        if damaged:
            damaged[data.draw(st.integers(0, min(len(damaged), 128) - 1))] = data.draw(st.integers(0, 255))
    with suppress(MotionFormatError):
        assert read_npy(bytes(damaged), fps=20).frames == 2


def test_a_path_and_its_bytes_give_the_same_motion(tmp_path: Path) -> None:
    path = tmp_path / "walk.npy"
    path.write_bytes(saved(np.random.default_rng(0).normal(size=(7, 22, 3))))
    assert read_npy(path, fps=20) == read_npy(path.read_bytes(), fps=20) == read_npy(str(path), fps=20)


def test_version_two_of_the_format_is_read() -> None:
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.ones((2, 22, 3), dtype=np.float32), version=(2, 0))
    assert read_npy(buffer.getvalue(), fps=20) == trajectory_from_array(np.ones((2, 22, 3)), fps=20)


def test_a_pickled_file_is_refused_and_not_run(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[object, ...]]:
            return Path.touch, (tmp_path / "sprung",)

    array = np.empty((), dtype=object)
    array[()] = Trap()
    said = refusal(saved(array, allow_pickle=True))
    assert said.startswith("clip.npy: pickled Python objects are not read")
    assert "np.save(" in said
    assert not (tmp_path / "sprung").exists()


def test_other_formats_are_recognised() -> None:
    archive = io.BytesIO()
    np.savez(archive, motion=np.ones(3))
    assert refusal(archive.getvalue()).startswith("clip.npy: not a .npy file: this is a .npz or zip archive")
    assert refusal(pickle.dumps([1])).startswith("clip.npy: not a .npy file: this is a Python pickle")
    assert refusal(b"frame,x,y,z\n") == "clip.npy: not a .npy file"
    assert refusal(b"") == "clip.npy: not a .npy file (it is empty)"


@pytest.mark.parametrize("dtype", ["int32", "bool", "complex64", "U4", "S4", "M8[s]", [("x", "f4")]])
def test_other_kinds_of_values_are_refused(dtype: npt.DTypeLike) -> None:
    said = refusal(saved(np.zeros((2, 22, 3), dtype=dtype)))
    assert said.startswith("clip.npy: expected floating-point metres, found ")


def test_a_wrong_shape_is_named() -> None:
    assert refusal(saved(np.zeros((120, 24, 3)))) == "clip.npy: expected (frames, 22, 3), found (120, 24, 3)"


def test_an_empty_array_is_refused() -> None:
    said = refusal(saved(np.zeros((0, 22, 3))))
    assert said == "clip.npy: expected at least 1 frame, found an empty array (0, 22, 3)"


@pytest.mark.parametrize("kept", [-1, 200])
def test_a_truncated_file_is_named_as_such(kept: int) -> None:
    whole = saved(np.zeros((2, 22, 3), dtype=np.float32))
    cut = whole[:kept]
    assert refusal(cut) == f"clip.npy: truncated: expected 656 bytes for (2, 22, 3), found {len(cut)}"


def test_a_file_cut_within_its_header_is_named_as_such() -> None:
    whole = saved(np.zeros((2, 22, 3)))
    assert "truncated: expected a header of 128 bytes, found a file of 50" in refusal(whole[:50])


def test_something_after_the_array_is_refused() -> None:
    assert "followed by something else" in refusal(saved(np.zeros((2, 22, 3))) + b"more")


@pytest.mark.parametrize(
    "source",
    [
        with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (30000, 22, 3), }"),
        with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 22, 3), }"),
        with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 22, 3), }"),
        b"\x93NUMPY\x02\x00" + (2**32 - 1).to_bytes(4, "little") + b"{}",
        with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 22, 3), }" + " " * 20_000, version=(2, 0)),
    ],
    ids=["large shape", "absurd shape", "negative shape", "absurd header", "long header"],
)
def test_a_header_that_promises_too_much_allocates_nothing(source: bytes) -> None:
    tracemalloc.start()
    refusal(source)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500_000


@pytest.mark.parametrize(
    "header", ["{", "[]", "{'descr': 'nonsense', 'fortran_order': False, 'shape': (2,)}", "\0" * 20]
)
def test_an_unreadable_header_is_named_as_such(header: str) -> None:
    assert refusal(with_header(header)).startswith("clip.npy: unreadable .npy header: ")


def test_an_unknown_version_is_named() -> None:
    assert refusal(b"\x93NUMPY\x09\x00" + b" " * 200) == "clip.npy: expected .npy format 1.0 or 2.0, found (9, 0)"


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(MotionFormatError, match=r"^gone\.npy: cannot be read: No such file or directory"):
        read_npy(tmp_path / "gone.npy", fps=20)
    with pytest.raises(MotionFormatError, match=r"cannot be read: Is a directory"):
        read_npy(tmp_path, fps=20)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not beside the repository")
def test_real_motions_are_read() -> None:
    motion = read_npy(SHARED / "humanml3d" / "012314_joints.npy", fps=20)
    assert (motion.frames, motion.seconds) == (170, 8.5)
