"""BVH files: joints are where another forward kinematics puts them, whatever the channels, the names and the units."""

import tracemalloc
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rendering.motion import MotionFormatError, read_motion
from rendering.motion.bvh import read_bvh
from rendering.motion.bvh_names import VOCABULARIES, joints_by_name
from rendering.motion.skeleton import JOINT_NAMES
from tests.rendering.skeletons import Bone, bvh_text, moving, person, places_by_scipy

MIXAMO = {joint: name for joint, name in zip(JOINT_NAMES, VOCABULARIES["Mixamo"], strict=True) if isinstance(name, str)}
LAFAN1 = {joint: name for joint, name in zip(JOINT_NAMES, VOCABULARIES["LAFAN1"], strict=True) if isinstance(name, str)}
OWN = {joint: joint for joint in JOINT_NAMES}
ARM = ("collar", "shoulder", "elbow", "wrist")
ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "XYX", "Z", "")


def written(folder: Path, text: str, name: str = "walk.bvh") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(MotionFormatError) as caught:
        read_motion(written(folder, text))
    return str(caught.value)


def walking(folder: Path, *, seconds: str = "0.05", scale: float = 1.0, prefix: str = "") -> Path:
    bones = person({joint: prefix + name for joint, name in MIXAMO.items()}, scale=scale)
    return written(folder, bvh_text(bones, moving(bones, 4, height=0.9 * scale), seconds=seconds))


@st.composite
def trees(draw: st.DrawFn) -> list[Bone]:
    """Joints in depth-first order, each with rotations in some order, and positions for some."""
    bones: list[Bone] = []
    for number in range(draw(st.integers(1, 6))):
        parent = -1
        if number:  # only a joint on the way to the last one keeps the order depth first
            way = [number - 1]
            while bones[way[-1]].parent >= 0:
                way.append(bones[way[-1]].parent)
            parent = draw(st.sampled_from(way))
        order = draw(st.sampled_from([order for order in ORDERS if len(set(order)) == len(order)]))
        moved = draw(st.sampled_from(["", "XYZ", "ZYX", "Y"]) if number else st.sampled_from(["XYZ", "YZX"]))
        channels = tuple(f"{axis}position" for axis in moved) + tuple(f"{axis}rotation" for axis in order)
        x, y, z = (draw(st.floats(-2, 2, width=16)) for _ in range(3))
        bones.append(Bone(f"joint{number}", parent, (x, y, z), channels))
    return bones


@settings(max_examples=60, deadline=None)
@given(trees(), st.integers(1, 3), st.integers(0, 2**32 - 1), st.booleans())
def test_joints_are_where_scipy_puts_them(
    tmp_path_factory: pytest.TempPathFactory, bones: list[Bone], frames: int, seed: int, end_sites: bool
) -> None:
    columns = sum(len(bone.channels) for bone in bones)
    values = np.random.default_rng(seed).uniform(-180, 180, (frames, columns))
    path = written(tmp_path_factory.mktemp("bvh"), bvh_text(bones, values, end_sites=end_sites))
    found = read_bvh(path, name="tree.bvh").positions
    for name, places in places_by_scipy(bones, values).items():
        np.testing.assert_allclose(found[name], places, atol=1e-9, err_msg=name)


def test_a_person_is_read_in_metres_with_joints_in_our_order(tmp_path: Path) -> None:
    bones = person(MIXAMO)
    values = moving(bones, 5)
    motion = read_motion(written(tmp_path, bvh_text(bones, values)))
    expected = places_by_scipy(bones, values)
    for number, joint in enumerate(JOINT_NAMES):
        np.testing.assert_allclose(motion.joints[:, number], expected[MIXAMO[joint]], atol=1e-6, err_msg=joint)
    assert motion.fps == 20


@pytest.mark.parametrize("prefix", ["mixamorig:", "mixamorig1:", "mixamorig_", "mixamorig7_", "scene:hero:", "Model:"])
def test_a_namespace_changes_nothing(tmp_path: Path, prefix: str) -> None:
    plain = read_motion(walking(tmp_path))
    assert read_motion(walking(tmp_path, prefix=prefix)) == plain


def test_names_in_other_letters_and_separators_are_the_same() -> None:
    places = {name: np.full((2, 3), float(number)) for number, name in enumerate(JOINT_NAMES)}
    spelled = {name.replace("_", "-").upper(): values for name, values in places.items()}
    joints = joints_by_name(spelled, name="a.bvh")
    np.testing.assert_array_equal(joints[0, :, 0], np.arange(22))


def test_lafan1_is_read_in_centimetres(tmp_path: Path) -> None:
    bones = person(LAFAN1, scale=100)
    values = moving(bones, 3, height=90)
    path = written(tmp_path, bvh_text(bones, values, seconds="0.033333"))
    motion = read_motion(path, units="cm")
    np.testing.assert_allclose(motion.joints[:, 15], places_by_scipy(bones, values)["Head"] / 100, atol=1e-6)
    assert motion.fps == 30
    with pytest.raises(MotionFormatError, match=r"when read as units m; units cm would fit"):
        read_motion(path)


def test_cmu_is_read_with_its_two_necks_and_no_spine2(tmp_path: Path) -> None:
    """As in B. Hahne's conversion: LowerBack lies on the hips, Neck on the upper end of the spine."""
    scale = 1 / 0.0564444
    torso = ("spine1", "spine2", "spine3", "neck", "head")
    above_hips = [joint for joint in JOINT_NAMES if joint in torso or any(arm in joint for arm in ARM)]
    bones = person({joint: name for joint, name in MIXAMO.items() if joint not in above_hips}, scale=scale)
    column = (("LowerBack", 0.0), ("Spine", 0.12), ("Spine1", 0.12), ("Neck", 0.0), ("Neck1", 0.10), ("Head", 0.10))
    for name, rise in column:
        bones.append(Bone(name, 0 if name == "LowerBack" else len(bones) - 1, (0.0, rise * scale, 0.0)))
    spine1 = next(number for number, bone in enumerate(bones) if bone.name == "Spine1")
    for side, sign in (("Left", 1), ("Right", -1)):
        for part, reach in (("Shoulder", 0.0), ("Arm", 0.18), ("ForeArm", 0.27), ("Hand", 0.25)):
            parent = spine1 if part == "Shoulder" else len(bones) - 1
            bones.append(Bone(side + part, parent, (sign * reach * scale, 0.0, 0.0)))
    values = moving(bones, 3, height=0.9 * scale)
    motion = read_motion(written(tmp_path, bvh_text(bones, values, seconds="0.0083333")), units="cmu")
    expected = {name: places / scale for name, places in places_by_scipy(bones, values).items()}
    assert motion.fps == 120
    for joint, name in {"spine2": "Spine", "spine3": "Spine1", "neck": "Neck1", "left_wrist": "LeftHand"}.items():
        np.testing.assert_allclose(motion.joints[:, JOINT_NAMES.index(joint)], expected[name], atol=1e-5, err_msg=joint)
    middle = (expected["Hips"] + expected["Spine"]) / 2
    np.testing.assert_allclose(motion.joints[:, JOINT_NAMES.index("spine1")], middle, atol=1e-5)


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_every_vocabulary_names_each_joint_once_and_left_on_the_left(vocabulary: str) -> None:
    names = VOCABULARIES[vocabulary]
    assert len(names) == len(set(names)) == 22
    of = dict(zip(JOINT_NAMES, names, strict=True))
    for joint in JOINT_NAMES:
        if joint.startswith("left_"):
            left, right = of[joint], of[joint.replace("left", "right")]
            assert right in (str(left).replace("Left", "Right").replace("left", "right"), f"R{left[1:]}")


@pytest.mark.parametrize(
    ("seconds", "fps"),
    [("0.05", 20), ("0.033333", 30), ("0.0083333", 120), ("0.00833", 120), ("0.04166667", 24), ("0.0166", 1 / 0.0166)],
)
def test_the_frame_time_becomes_frames_a_second(tmp_path: Path, seconds: str, fps: float) -> None:
    assert read_motion(walking(tmp_path, seconds=seconds)).fps == pytest.approx(fps, rel=1e-12)


def test_a_rate_that_the_file_does_not_have_is_refused(tmp_path: Path) -> None:
    path = walking(tmp_path, seconds="0.0333")
    assert read_motion(path, fps=30).fps == 30
    with pytest.raises(MotionFormatError, match=r"^walk\.bvh: expected fps 30\.03, as the file says, or none given"):
        read_motion(path, fps=20)


def test_windows_line_ends_a_byte_order_mark_and_small_letters_are_read(tmp_path: Path) -> None:
    plain = walking(tmp_path)
    motion, text = read_motion(plain), plain.read_text()
    for keyword in ("HIERARCHY", "ROOT", "JOINT", "OFFSET", "CHANNELS", "Frames:", "Frame Time:"):
        text = text.replace(keyword, keyword.lower())
    plain.write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    assert read_motion(plain) == motion


def test_an_offset_after_the_children_is_its_own_joints(tmp_path: Path) -> None:
    text = (
        "HIERARCHY ROOT a { CHANNELS 3 Xposition Yposition Zposition JOINT b { CHANNELS 1 Xrotation "
        "JOINT c { OFFSET 0 1 0 CHANNELS 1 Xrotation } OFFSET 5 0 0 } } MOTION Frames: 1 Frame Time: 0.1 0 0 0 0 0"
    )
    places = read_bvh(written(tmp_path, text), name="a.bvh").positions
    np.testing.assert_array_equal(places["b"], [[5, 0, 0]])
    np.testing.assert_array_equal(places["c"], [[5, 1, 0]])


def test_a_joint_may_have_motion_in_its_name(tmp_path: Path) -> None:
    text = "HIERARCHY ROOT MOTION_root { OFFSET 0 0 0 CHANNELS 1 Yposition } MOTION Frames: 1 Frame Time: 0.1 2"
    assert read_bvh(written(tmp_path, text), name="a.bvh").positions["MOTION_root"].tolist() == [[0, 2, 0]]


def test_an_unknown_skeleton_is_named_with_what_it_lacks(tmp_path: Path) -> None:
    bones = person({joint: name for joint, name in MIXAMO.items() if joint != "left_foot"})
    said = refusal(tmp_path, bvh_text(bones, moving(bones, 2)))
    assert said.startswith("walk.bvh: expected the joints of Mixamo, LAFAN1, CMU, SMPL, HumanML3D; nearest is Mixamo")
    assert "found no LeftToeBase among Hips, LeftUpLeg" in said


def test_two_joints_of_one_name_are_not_guessed_between() -> None:
    places = {name: np.zeros((2, 3)) for name in (*JOINT_NAMES, "a:head", "b:head")}
    with pytest.raises(MotionFormatError, match=r"^two\.bvh: expected one joint head, found head, a:head, b:head$"):
        joints_by_name(places, name="two.bvh")


def cut_at(share: float) -> str:
    bones = person(MIXAMO)
    text = bvh_text(bones, moving(bones, 6))
    return text[: int(len(text) * share)]


def test_a_file_cut_in_its_frames_says_how_much_is_there(tmp_path: Path) -> None:
    said = refusal(tmp_path, cut_at(0.7))
    assert said.startswith("walk.bvh: MOTION: expected 6 frames of 69 channels, 414 numbers, found ")


@settings(max_examples=80, deadline=None)
@given(
    st.floats(0, 1), st.integers(0, 10_000), st.sampled_from(["{", "}", "JOINT", "nan", "-", "MOTION", "1e999", "9 9"])
)
def test_a_damaged_file_is_read_or_refused_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, share: float, where: int, what: str
) -> None:
    text = cut_at(share)
    where = where % (len(text) + 1)
    path = written(tmp_path_factory.mktemp("bvh"), f"{text[:where]} {what} {text[where:]}")
    with suppress(MotionFormatError):
        assert np.isfinite(read_motion(path).joints).all()


BODY = "ROOT a { OFFSET 0 0 0 CHANNELS 3 Xrotation Yrotation Zrotation }"
FRAMES = "MOTION Frames: 1 Frame Time: 0.1 1 2 3"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected HIERARCHY and MOTION, found no MOTION"),
        (BODY, "expected HIERARCHY and MOTION, found no MOTION"),
        (f"{BODY} {FRAMES}", "HIERARCHY: expected HIERARCHY, found 'ROOT'"),
        (f"HIERARCHY {FRAMES}", "HIERARCHY: expected every { closed, and at least one joint, found '0 joints'"),
        (f"HIERARCHY {BODY} {BODY} {FRAMES}", "expected one ROOT with all joints in it, found 'ROOT'"),
        (f"HIERARCHY {BODY.replace('CHANNELS 3', 'CHANNELS 9')} {FRAMES}", "expected 0 to 6 channels, found '9'"),
        (f"HIERARCHY {BODY.replace('Xrotation', 'Wrotation')} {FRAMES}", "such as Xposition or Zrotation, found 'Wrot"),
        (f"HIERARCHY {BODY.replace('OFFSET 0', 'OFFSET up')} {FRAMES}", "expected a number, found 'up'"),
        (f"HIERARCHY {BODY.replace('OFFSET 0', 'OFFSET nan')} {FRAMES}", "expected a finite number, found 'nan'"),
        (f"HIERARCHY {BODY[:-1]} {FRAMES}", "expected every { closed"),
        (f"HIERARCHY {BODY[:-1]} CHANNELS 1 Xrotation }} {FRAMES}", "expected CHANNELS once in a joint, found 'a with"),
        (f"HIERARCHY ROOT a {{ OFFSET 0 0 0 }} {FRAMES}", "expected CHANNELS, found none in 1 joints"),
        (f"HIERARCHY {BODY[:-1]} JOINT a {{ }} }} {FRAMES}", "each name once, found 'a'"),
        (f"HIERARCHY {BODY[:-1]} End Site {{ JOINT b {{ }} }} }} {FRAMES}", "expected one ROOT with all joints in it"),
        (f"HIERARCHY {BODY} MOTION 1 2 3", "MOTION: expected 'Frames:' and 'Frame Time:', found '1 2 3'"),
        (f"HIERARCHY {BODY} {FRAMES.replace('0.1', '0')}", "expected a Frame Time in seconds, found '0'"),
        (f"HIERARCHY {BODY} {FRAMES.replace('0.1', 'nan')}", "expected a Frame Time in seconds, found 'nan'"),
        (f"HIERARCHY {BODY} {FRAMES.replace('Frames: 1', 'Frames: 0')}", "1 to 36000 frames of 1 joints, found 0"),
        (f"HIERARCHY {BODY} {FRAMES.replace('Frames: 1', 'Frames: 1.5')}", "MOTION: expected numbers: "),
        (f"HIERARCHY {BODY} {FRAMES} 4", "expected 1 frames of 3 channels, 3 numbers, found 4"),
        (f"HIERARCHY {BODY} {FRAMES} x", "MOTION: expected numbers: "),
        (f"HIERARCHY {BODY} {FRAMES.replace('3', 'inf')}", "MOTION: expected finite numbers, found nan or inf"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, said: str) -> None:
    found = refusal(tmp_path, text)
    assert found.startswith("walk.bvh: ")
    assert said in found


@pytest.mark.parametrize("count", [36_001, 10**12, 10**5000], ids=["an hour", "absurd", "too long a number"])
def test_a_promise_of_many_frames_allocates_nothing(tmp_path: Path, count: int) -> None:
    digits = "9" * 5001 if count > 10**13 else str(count)
    path = written(tmp_path, f"HIERARCHY {BODY} {FRAMES.replace('Frames: 1', f'Frames: {digits}')}")
    tracemalloc.start()
    with pytest.raises(MotionFormatError) as caught:
        read_bvh(path, name="walk.bvh")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500_000
    assert len(str(caught.value)) < 500


def test_many_joints_without_channels_take_no_memory_for_many_frames(tmp_path: Path) -> None:
    joints = " ".join(f"JOINT j{number} {{ OFFSET 0 1 0 }}" for number in range(900))
    path = written(
        tmp_path,
        f"HIERARCHY ROOT a {{ OFFSET 0 0 0 CHANNELS 1 Yposition {joints} }} MOTION Frames: 30000 Frame Time: 0.1 "
        + "0 " * 30_000,
    )
    with pytest.raises(MotionFormatError, match="expected 1 to 4439 frames of 901 joints, found 30000"):
        read_bvh(path, name="a.bvh")
