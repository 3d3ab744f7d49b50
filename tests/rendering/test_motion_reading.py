"""One way in for every file: what a format says is believed, what it leaves open is checked, what is wrong is named."""

import io
import os
import tracemalloc
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rendering.motion import MotionFormatError, read_motion, trajectory_from_array
from rendering.motion.reading import SUFFIXES
from rendering.motion.skeleton import JOINT_NAMES
from rendering.motion.trajectory import MAX_FRAMES
from rendering.motion.upright import TURNS
from tests.rendering.people import NO_SHARED, SHARED, a_walk

Array = npt.NDArray[np.floating]

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=NO_SHARED)


def saved(folder: Path, array: npt.ArrayLike, name: str = "clip.npy") -> Path:
    np.save(folder / name, np.asarray(array))
    return folder / name


def zipped(folder: Path, **arrays: Any) -> Path:
    np.savez_compressed(folder / "clip.npz", **arrays)
    return folder / "clip.npz"


def refusal(path: Path, **arguments: Any) -> str:
    with pytest.raises(MotionFormatError) as caught:
        read_motion(path, **arguments)
    return str(caught.value)


def walk() -> npt.NDArray[np.float64]:
    return a_walk().joints.astype(np.float64)


# --- What is read -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["<f2", "<f4", ">f4", "<f8", np.longdouble])
def test_joints_are_read_in_every_precision(tmp_path: Path, dtype: npt.DTypeLike) -> None:
    motion = read_motion(saved(tmp_path, walk().astype(dtype)), fps=20)
    np.testing.assert_allclose(motion.joints, walk(), atol=2e-3)


def test_raw_joints_of_smplh_lose_their_hands(tmp_path: Path) -> None:
    hands = np.concatenate([walk(), np.full((12, 30, 3), 5.0)], axis=1)
    assert read_motion(saved(tmp_path, hands), fps=20) == read_motion(saved(tmp_path, walk()), fps=20)


@pytest.mark.parametrize("key", ["joints", "motion", "positions", "anything"])
def test_an_archive_may_call_its_joints_what_it_likes(tmp_path: Path, key: str) -> None:
    assert read_motion(zipped(tmp_path, **{key: walk()}), fps=20) == read_motion(saved(tmp_path, walk()), fps=20)


def test_known_names_come_before_others(tmp_path: Path) -> None:
    path = zipped(tmp_path, joints=walk(), text=np.array("a person walks"), lengths=np.array([12]))
    assert read_motion(path) == read_motion(saved(tmp_path, walk()))


def test_a_suffix_in_capitals_is_the_same(tmp_path: Path) -> None:
    assert read_motion(saved(tmp_path, walk()).rename(tmp_path / "CLIP.NPY")).frames == 12


def test_any_layout_in_memory_gives_the_same_motion(tmp_path: Path) -> None:
    plain = read_motion(saved(tmp_path, walk()))
    assert read_motion(saved(tmp_path, np.asfortranarray(walk()))) == plain
    assert read_motion(saved(tmp_path, walk()[::-1])).joints[0].tolist() == plain.joints[-1].tolist()


# --- Frames a second --------------------------------------------------------------------------------------------------


def test_arrays_without_a_rate_have_humanml3ds_and_given_ones_are_kept(tmp_path: Path) -> None:
    assert read_motion(saved(tmp_path, walk())).fps == 20
    assert read_motion(saved(tmp_path, walk()), fps=30).fps == 30


@pytest.mark.parametrize("rate", [30, 30.0, np.int64(30), np.array([30]), np.float32(30)])
def test_an_archives_own_rate_is_read_as_a_whole_number_or_not(tmp_path: Path, rate: object) -> None:
    assert read_motion(zipped(tmp_path, joints=walk(), fps=rate)).fps == 30


def test_an_archives_own_rate_is_not_overruled(tmp_path: Path) -> None:
    path = zipped(tmp_path, joints=walk(), fps=30)
    assert read_motion(path, fps=30.1).fps == 30.1
    said = refusal(path, fps=20)
    assert said.startswith("clip.npz: expected fps 30, as the file says, or none given; found 20. To change the rate, ")


@pytest.mark.parametrize("fps", [0.0, -20.0, 240.5, float("nan"), float("inf")])
def test_a_rate_out_of_range_is_refused(tmp_path: Path, fps: float) -> None:
    assert refusal(saved(tmp_path, walk()), fps=fps).startswith(
        "clip.npy: expected fps above 0 and at most 240, found "
    )
    assert refusal(zipped(tmp_path, joints=walk(), fps=fps)).startswith(
        "clip.npz: expected fps above 0 and at most 240"
    )


# --- Shapes and values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "hint"),
    [
        ((120, 24, 3), ""),
        ((120, 21, 3), ""),
        ((120, 66), ""),
        ((120, 251), ""),
        ((5, 120, 22, 3), ""),
        ((120, 22, 4), ""),
        ((22, 3, 120), "; this looks like MDM's (joints, 3, frames): use array.transpose(2, 0, 1)"),
        ((1, 120, 22, 3), "; this looks like a batch of one motion: use array[0]"),
    ],
)
def test_a_wrong_shape_is_named(tmp_path: Path, shape: tuple[int, ...], hint: str) -> None:
    assert refusal(saved(tmp_path, np.zeros(shape))) == f"clip.npy: expected (frames, 22, 3), found {shape}{hint}"
    said = refusal(zipped(tmp_path, joints=np.zeros(shape)))
    assert said == f"clip.npz: expected (frames, 22, 3), found {shape}{hint}"


def test_a_number_that_is_not_finite_is_named_in_the_files_own_axes(tmp_path: Path) -> None:
    joints = walk() @ np.array(TURNS["z"], dtype=np.float64)
    joints[4, 20, 2] = np.nan
    said = refusal(saved(tmp_path, joints), up="z", units="m")
    assert said == "clip.npy: frame 4, joint 20 (left_wrist), z is nan, expected a finite number"


@pytest.mark.parametrize(("units", "metres"), [("cm", 0.01), ("mm", 0.001), ("in", 0.0254)])
def test_wrong_units_are_named_with_those_that_fit(tmp_path: Path, units: str, metres: float) -> None:
    path = saved(tmp_path, walk() / metres)
    said = refusal(path)
    assert said.startswith("clip.npy: expected a person of 0.8 to 2.5 m from head to toe, found ")
    assert said.endswith(f"when read as units m; units {units} would fit")
    np.testing.assert_allclose(read_motion(path, units=units).joints, walk(), atol=1e-4)


def test_joints_in_one_point_and_numbers_beyond_measure_are_no_person(tmp_path: Path) -> None:
    assert "found 0 m when read as units m" in refusal(saved(tmp_path, np.zeros((3, 22, 3))))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "found inf m" in refusal(saved(tmp_path, np.where(np.arange(22)[:, None] % 2, 1e300, walk())))


def test_a_person_a_kilometre_away_is_refused(tmp_path: Path) -> None:
    said = refusal(saved(tmp_path, walk() + np.array([2000, 0, 0])))
    assert "x is 2" in said
    assert said.endswith("expected metres within 1000")


def test_unknown_units_axes_and_suffixes_are_named(tmp_path: Path) -> None:
    path = saved(tmp_path, walk())
    assert refusal(path, units="feet") == "clip.npy: expected units among m, cm, mm, in, cmu, found 'feet'"
    assert refusal(path, up="x") == "clip.npy: expected up among y, z, -y, -z, found 'x'"
    assert refusal(tmp_path / "clip.fbx") == f"clip.fbx: expected {', '.join(SUFFIXES)}, found .fbx"
    assert refusal(tmp_path / "clip").endswith("found no suffix")
    assert refusal(path, name="row 3: clip.npy", fps=-1.0).startswith("row 3: clip.npy: expected fps")


# --- Which way is up --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("up", TURNS)
def test_a_motion_is_turned_up_from_its_axis_and_refused_from_any_other(tmp_path: Path, up: str) -> None:
    path = saved(tmp_path, walk() @ np.array(TURNS[up], dtype=np.float64))
    np.testing.assert_allclose(read_motion(path, up=up).joints, walk(), atol=1e-6)
    for wrong in set(TURNS) - {up}:
        said = refusal(path, up=wrong)
        assert said.startswith(f"clip.npy: with up {wrong}, ")
        assert said.endswith(f"in nearly every frame; up {up} would fit")


def test_feet_above_the_head_are_named_as_that(tmp_path: Path) -> None:
    said = refusal(saved(tmp_path, walk() * [1, -1, -1]))
    assert said == "clip.npy: with up y, the head is below the feet in nearly every frame; up -y would fit"


@pytest.mark.parametrize("up", TURNS)
def test_no_turn_mirrors_anybody(up: str) -> None:
    assert np.linalg.det(np.array(TURNS[up], dtype=np.float64)) == pytest.approx(1)


def lying() -> npt.NDArray[np.float64]:
    """On the back, the head towards +Z, a hand's breadth above the floor."""
    flat = np.stack([walk()[..., 0], -walk()[..., 2], walk()[..., 1]], axis=-1)
    flat -= flat[0, 0]
    return np.asarray(flat + np.array([0, 0.15 - flat[..., 1].min(), 1.6]))


def test_someone_who_lies_is_believed_when_the_axis_is_stated(tmp_path: Path) -> None:
    path = saved(tmp_path, lying())
    assert "up z would fit" in refusal(path)
    assert read_motion(path, up="y").frames == 12


def test_someone_who_stands_on_the_hands_is_believed(tmp_path: Path) -> None:
    joints = walk() * [1, -1, -1]
    joints -= joints[..., 1].min()
    for wrist in ("left_wrist", "right_wrist"):
        joints[:, JOINT_NAMES.index(wrist)] = joints[:, JOINT_NAMES.index("head")] - [0, 0.3, 0]
    assert read_motion(saved(tmp_path, joints)).frames == 12


def test_a_fall_and_a_cartwheel_are_motions_too(tmp_path: Path) -> None:
    """Only when nearly all frames speak against the axis is it refused: here half of them do."""
    assert read_motion(saved(tmp_path, np.concatenate([walk(), lying()]))).frames == 24
    upside_down = walk() * [1, -1, -1]
    assert read_motion(saved(tmp_path, np.concatenate([walk(), upside_down]))).frames == 24


# --- Files that are not to be trusted ---------------------------------------------------------------------------------


def test_mdms_results_are_refused_with_the_way_to_convert_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The way is tried here as well: what it writes is read."""
    transposed = np.stack([np.moveaxis(walk(), 0, -1)] * 2)
    results = np.empty((), dtype=object)
    results[()] = {"motion": transposed, "lengths": np.array([12, 7]), "text": ["walks", "walks"]}
    np.save(tmp_path / "results.npy", results, allow_pickle=True)
    said = refusal(tmp_path / "results.npy")
    assert said.startswith(
        "results.npy: pickled Python objects are not read, for they could run code. If it is the res"
    )
    monkeypatch.chdir(tmp_path)
    exec(said[said.index("import numpy") :], {})  # noqa: S102 - a person would
    assert read_motion(tmp_path / "motion_0000.npy") == read_motion(saved(tmp_path, walk().astype(np.float32)))
    assert read_motion(tmp_path / "motion_0001.npy").frames == 7


def test_a_pickled_member_of_an_archive_is_refused_and_not_run(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[object, tuple[object, ...]]:
            return Path.touch, (tmp_path / "sprung",)

    trap = np.empty((), dtype=object)
    trap[()] = Trap()
    path = tmp_path / "clip.npz"
    np.savez(path, joints=trap)
    assert refusal(path).startswith("clip.npz[joints]: pickled Python objects are not read")
    np.savez(path, joints=walk(), fps=trap)
    assert refusal(path).startswith("clip.npz[fps]: pickled Python objects are not read")
    assert not (tmp_path / "sprung").exists()


def test_archives_with_nothing_or_too_much_in_them_say_what_is_there(tmp_path: Path) -> None:
    found = "clip.npz: expected one array, or one named joints, motion, positions; found "
    assert refusal(zipped(tmp_path, a=walk(), b=walk())) == f"{found}a, b"
    assert refusal(zipped(tmp_path, joints=walk(), motion=walk())) == f"{found}joints, motion"
    assert refusal(zipped(tmp_path)) == f"{found}nothing"
    assert refusal(zipped(tmp_path, joints=walk(), fps=np.ones(2))) == "clip.npz[fps]: expected one number, found (2,)"


def test_what_is_no_archive_is_named_as_such(tmp_path: Path) -> None:
    path = tmp_path / "clip.npz"
    path.write_bytes(b"joints")
    assert refusal(path).startswith("clip.npz: unreadable .npz: ")
    path.write_bytes(saved(tmp_path, walk()).read_bytes())
    assert refusal(path).startswith("clip.npz: unreadable .npz: ")
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "joints")
    assert refusal(path) == "clip.npz[readme.txt]: not a .npy file"


def peak_of(path: Path) -> tuple[int, str]:
    tracemalloc.start()
    said = refusal(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return peak, said


@pytest.mark.parametrize("shape", [(16_000_000,), (1, 2_000_000), (200_000, 22, 3), (100_000, 263), (40_000, 52, 3)])
def test_a_zip_bomb_is_refused_before_it_goes_off(tmp_path: Path, shape: tuple[int, ...]) -> None:
    """Zeros shrink a thousandfold: 130 MB come from a file of a few kilobytes."""
    header = io.BytesIO()
    about = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(header, about)
    path = tmp_path / "clip.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("joints.npy", "w") as entry:
        entry.write(header.getvalue())
        for _ in range(8 * int(np.prod(shape)) // 2**20 + 1):
            entry.write(bytes(2**20))
    peak, said = peak_of(path)
    assert peak < 1_500_000
    assert f"expected at most {MAX_FRAMES} frames" in said or "expected (frames, 22, 3)" in said


def test_an_archive_packed_in_another_way_than_numpys_is_refused(tmp_path: Path) -> None:
    """LZMA would set up a dictionary of as many gigabytes as the file asks for."""
    path = tmp_path / "clip.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("joints.npy", saved(tmp_path, walk()).read_bytes())
    assert refusal(path).startswith(
        "clip.npz[joints]: expected what np.savez or np.savez_compressed write, found another"
    )


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_archive_is_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("npz")
    pack = data.draw(st.sampled_from([np.savez, np.savez_compressed]))
    pack(folder / "clip.npz", joints=walk()[:2], fps=20)
    damaged = bytearray((folder / "clip.npz").read_bytes())
    for _ in range(data.draw(st.integers(0, 3))):
        # The ends, where the zip keeps its own records, are worth more tries than the numbers between.
        at = data.draw(st.integers(0, 150) | st.integers(-300, -1))
        damaged[at] = data.draw(st.integers(0, 255))
    (folder / "clip.npz").write_bytes(bytes(damaged[: data.draw(st.just(len(damaged)) | st.integers(0, len(damaged)))]))
    with suppress(MotionFormatError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert np.isfinite(read_motion(folder / "clip.npz").joints).all()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_missing_file_a_folder_and_a_pipe_are_named(tmp_path: Path, suffix: str) -> None:
    assert refusal(tmp_path / f"gone{suffix}").startswith(f"gone{suffix}: cannot be read: No such file or directory")
    (tmp_path / f"folder{suffix}").mkdir()
    assert refusal(tmp_path / f"folder{suffix}").startswith(f"folder{suffix}: cannot be read: Is a directory")
    os.mkfifo(tmp_path / f"pipe{suffix}")
    assert refusal(tmp_path / f"pipe{suffix}") == f"pipe{suffix}: expected a file, found something else"


# --- The real ones ----------------------------------------------------------------------------------------------------


@cache
def recordings() -> dict[str, Array]:
    with np.load(SHARED / "cmu22" / "cmu22_clips.npz") as clips:
        return {key: clips[key] for key in clips.files}


@pytest.fixture(scope="module", autouse=True)
def _forget() -> Iterator[None]:
    yield
    recordings.cache_clear()


@needs_shared
@pytest.mark.slow
def test_every_recording_is_read_and_known_upright(tmp_path: Path) -> None:
    assert len(recordings()) == 379
    for name, joints in recordings().items():
        assert read_motion(saved(tmp_path, joints), name=name) == trajectory_from_array(joints, fps=20)


@needs_shared
@pytest.mark.slow
@pytest.mark.parametrize("up", sorted(set(TURNS) - {"y"}))
def test_nearly_every_recording_is_refused_in_a_wrong_axis(tmp_path: Path, up: str) -> None:
    """All but those of people who cartwheel, crawl or lie: 4 to 8 of the 379; every third is tried."""
    passed = []
    for name, joints in list(recordings().items())[::3]:
        with suppress(MotionFormatError):
            read_motion(saved(tmp_path, joints.astype(np.float64) @ np.array(TURNS[up], dtype=np.float64)))
            passed.append(name)
    assert len(passed) <= 4, passed


@needs_shared
def test_every_generated_motion_is_read() -> None:
    paths = sorted((SHARED / "generated").glob("*.npy"))
    assert len(paths) == 27
    for path in paths:
        motion = read_motion(path)
        assert motion.fps == 20
        assert motion.joints[:, 15, 1].mean() > motion.joints[:, 7, 1].mean() + 0.5, path.name


@needs_shared
def test_the_published_joints_and_raw_joints_are_read() -> None:
    assert read_motion(SHARED / "humanml3d" / "012314_joints.npy").frames == 170
    raw = SHARED / "humanml3d" / "000021_raw_joints52.npy"
    assert read_motion(raw).joints.shape == (180, 22, 3)


@needs_shared
def test_a_recording_of_mdms_layout_is_refused_with_the_transposition(tmp_path: Path) -> None:
    joints = np.moveaxis(np.load(SHARED / "generated" / "sato_motion.npy"), 0, -1)
    assert "use array.transpose(2, 0, 1)" in refusal(saved(tmp_path, joints))
