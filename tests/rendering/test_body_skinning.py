"""The posed body: joints met exactly, skin that neither tears, collapses nor flips, and the same body everywhere."""

from collections.abc import Iterator
from functools import cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.spatial.transform import Rotation

from rendering.body import BONE_NAMES, load_body, pose_bones, skin
from rendering.body.bones import BONE_COUNT, LEFT, MIRRORED, RIGHT, Side
from rendering.body.posing import ENDS, stature_ratio
from rendering.body.solving import bone_rotations
from rendering.motion import read_motion
from rendering.motion.skeleton import JOINT_COUNT, PARENTS
from tests.rendering.people import NO_SHARED, SHARED, a_walk, demo_motions

pytestmark = pytest.mark.slow

Array = npt.NDArray[np.float64]

BODY = load_body()
REST = BODY.joints.astype(np.float64)
MILLIMETRE = 0.001
SIDES = {"left": LEFT, "right": RIGHT}
# Bones of limbs and collars have both their joints; the trunk's are laid between more joints than a bone has ends.
LIMBS = {bone: ends for bone, ends in ENDS.items() if BONE_NAMES[bone].startswith(("left", "right"))}
EDGES = np.unique(np.sort(BODY.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1), axis=0)

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=NO_SHARED)


def posed(joints: npt.ArrayLike) -> npt.NDArray[np.float32]:
    return skin(BODY, pose_bones(BODY, joints))


def held(joints: Array) -> npt.NDArray[np.float32]:
    """The skin of a pose that is kept for a while, so that twist has settled."""
    return posed(np.repeat(joints[None], 9, axis=0))[4]


def walk(frames: int = 12) -> Array:
    return a_walk(frames).joints.astype(np.float64)


def carried(bones: npt.NDArray[np.float32], bone: int, joint: int) -> Array:
    """Where a bone takes a joint of the body at rest."""
    maps = bones[:, bone].astype(np.float64)
    return np.asarray(maps[..., :3] @ REST[joint] + maps[..., 3])


def volume(vertices: npt.NDArray[np.floating]) -> float:
    a, b, c = (vertices[BODY.faces[:, corner]].astype(np.float64) for corner in range(3))
    return float((a * np.cross(b, c)).sum() / 6)


def lengths(vertices: npt.NDArray[np.floating]) -> Array:
    return np.linalg.norm((vertices[EDGES[:, 0]] - vertices[EDGES[:, 1]]).astype(np.float64), axis=1)


# --- Joints are met ---------------------------------------------------------------------------------------------------


def fidelity(joints: Array) -> tuple[float, float, int]:
    """Metres from each joint to where its own bone takes it, and to where the bone above takes it; bones held back.

    The second counts for limbs, where a bone is not stretched beyond reason (0.4 to 2.2 of its length at rest).
    """
    bones = pose_bones(BODY, joints)
    maps = bones[:, :JOINT_COUNT].astype(np.float64)
    own = (maps[..., :3] @ REST[..., None])[..., 0] + maps[..., 3]
    worst, back, ratio = 0.0, 0, stature_ratio(joints, REST)
    for bone, (start, end) in LIMBS.items():
        stretch = np.linalg.norm(joints[:, end] - joints[:, start], axis=-1)
        stretch = stretch / (np.linalg.norm(REST[end] - REST[start]) * ratio)
        within = (stretch > 0.4) & (stretch < 2.2)
        away = np.linalg.norm(carried(bones, bone, end) - joints[:, end], axis=-1)
        worst, back = max(worst, float(away[within].max(initial=0.0))), back + int((~within).sum())
    return float(np.linalg.norm(own - joints, axis=-1).max()), worst, back


@pytest.mark.parametrize("name", sorted(demo_motions())[::7])
def test_joints_of_the_demo_are_met_within_a_millimetre(name: str) -> None:
    own, above, back = fidelity(demo_motions()[name].joints.astype(np.float64))
    assert max(own, above) < MILLIMETRE
    assert back == 0


@settings(max_examples=60, deadline=None)
@given(hnp.arrays(np.float64, (2, 22, 3), elements=st.floats(-2, 2, width=32)))
def test_any_joints_at_all_are_met_within_a_millimetre(joints: Array) -> None:
    own, above, _ = fidelity(joints)
    assert max(own, above) < MILLIMETRE


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("gap", [0.0, 1e-9, 1e-6, 1e-4, 1e-3])
def test_a_limb_folded_back_on_itself_is_met_too(side: str, gap: float) -> None:
    """The shortest swing to the opposite direction is any; it must still lead there."""
    bent, of = REST.copy(), SIDES[side]
    for near, joint, far in ((of.shoulder, of.elbow, of.wrist), (of.hip, of.knee, of.ankle)):
        bent[far] = bent[joint] + 0.9 * (bent[near] - bent[joint]) + [0, 0, gap]
    bent[of.foot] = bent[of.ankle] + REST[of.ankle] - REST[of.foot]
    own, above, _ = fidelity(bent[None])
    assert max(own, above) < MILLIMETRE


def test_the_pose_at_rest_gives_the_body_at_rest() -> None:
    assert np.abs(held(REST) - BODY.vertices).max() < 0.01


# --- Where it stands does not matter ----------------------------------------------------------------------------------


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1), hnp.arrays(np.float64, 3, elements=st.floats(-20, 20)))
def test_a_turned_and_moved_motion_gives_the_turned_and_moved_body(seed: int, by: Array) -> None:
    turn = Rotation.random(random_state=seed % 2**31).as_matrix()
    expected = posed(walk()).astype(np.float64) @ turn.T + by
    assert np.abs(posed(walk() @ turn.T + by) - expected).max() < 2e-4


@settings(max_examples=10, deadline=None)
@given(st.floats(0.2, 5))
def test_a_larger_person_has_a_larger_body(scale: float) -> None:
    assert np.abs(posed(walk() * scale) - posed(walk()) * scale).max() < 2e-4 * max(scale, 1)


def opposite() -> npt.NDArray[np.int64]:
    places = {tuple(place): number for number, place in enumerate(BODY.vertices.tolist())}
    return np.array([places[-x if x else 0.0, y, z] for x, y, z in BODY.vertices.tolist()])


@pytest.mark.parametrize("name", [name for name in sorted(demo_motions()) if name.endswith(".reference")][::4])
def test_a_mirrored_motion_gives_the_mirrored_body(name: str) -> None:
    joints = demo_motions()[name].joints[:40].astype(np.float64)
    mirrored = joints[:, list(MIRRORED[:JOINT_COUNT])] * [-1, 1, 1]
    expected = posed(joints)[:, opposite()] * np.array([-1, 1, 1])
    assert np.abs(posed(mirrored) - expected).max() < MILLIMETRE


def test_a_motion_a_kilometre_away_is_posed_to_the_millimetre() -> None:
    far = np.array([700.0, 0.0, -700.0])
    assert np.abs(posed(walk() + far) - far - posed(walk())).max() < MILLIMETRE


# --- Skin -------------------------------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(hnp.arrays(np.float64, (3, JOINT_COUNT), elements=st.floats(0.7, 1.4)))
def test_bones_that_change_their_length_from_frame_to_frame_do_not_tear_the_skin(stretch: Array) -> None:
    joints = np.zeros((3, JOINT_COUNT, 3))
    for joint in range(1, JOINT_COUNT):
        bone = REST[joint] - REST[PARENTS[joint]]
        joints[:, joint] = joints[:, PARENTS[joint]] + stretch[:, joint, None] * bone
    at_rest = np.maximum(lengths(BODY.vertices), 0.004)  # of slivers, the length says nothing
    for frame in posed(joints):
        assert (lengths(frame) / at_rest).max() < 4
        assert np.quantile(lengths(frame) / at_rest, 0.99) < 2
        assert volume(frame) > 0


def bent(side: Side, what: str, degrees: float) -> Array:
    """The body at rest with one elbow or knee bent the way that it bends."""
    near, joint, beyond = (side.shoulder, side.elbow, (side.wrist,))
    hinge = np.cross(REST[joint] - REST[near], [0.0, 0.0, 1.0])
    if what == "knee":
        near, joint, beyond = side.hip, side.knee, (side.ankle, side.foot)  # type: ignore[assignment]
        hinge = np.array([1.0, 0.0, 0.0])
    along = REST[joint] - REST[near]
    hinge = hinge - along * (hinge @ along) / (along @ along)
    turn = Rotation.from_rotvec(np.radians(degrees) * hinge / np.linalg.norm(hinge))
    joints = REST.copy()
    for further in beyond:
        joints[further] = REST[joint] + turn.apply(REST[further] - REST[joint])
    return joints


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("what", ["elbow", "knee"])
@pytest.mark.parametrize("degrees", [60, 90, 130])
def test_a_bent_elbow_and_knee_keep_their_flesh(what: str, side: str, degrees: float) -> None:
    """The whole volume hardly changes, and no skin about the joint comes nearer to it than half its depth at rest."""
    joints, place = bent(SIDES[side], what, degrees), getattr(SIDES[side], what)
    vertices = held(joints)
    assert volume(vertices) == pytest.approx(volume(BODY.vertices), rel=0.01)
    depth = np.linalg.norm(BODY.vertices - REST[place], axis=1)
    near = depth < 0.12
    now = np.linalg.norm(vertices[near] - joints[place], axis=1)
    assert now.min() > 0.5 * depth.min()


@pytest.mark.parametrize("what", ["elbow", "knee"])
def test_a_bent_limb_stays_as_thick_as_it_is(what: str) -> None:
    """Half way along the bone beyond the joint the limb is a tube: as far around its bone as at rest."""
    joints, start = bent(LEFT, what, 130), getattr(LEFT, what)
    end = LEFT.wrist if what == "elbow" else LEFT.ankle

    def thickness(vertices: npt.NDArray[np.floating], of: Array, around: npt.NDArray[np.bool_]) -> Array:
        along = of[end] - of[start]
        offset = vertices[around] - of[start]
        offset = offset - np.outer(offset @ along / (along @ along), along)
        return np.linalg.norm(offset, axis=1)

    along = REST[end] - REST[start]
    share = (BODY.vertices - REST[start]) @ along / (along @ along)
    tube = (share > 0.4) & (share < 0.6) & (np.linalg.norm(np.cross(BODY.vertices - REST[start], along), axis=1) < 0.05)
    tube &= np.isin(BODY.parts, [3, 5])
    before, after = thickness(BODY.vertices, REST, tube), thickness(held(joints), joints, tube)
    assert tube.sum() > 20
    np.testing.assert_allclose(after, before, rtol=0.15, atol=0.002)


@pytest.mark.parametrize("side", SIDES)
def test_half_a_turn_of_the_upper_arm_is_handed_on_along_it(side: str) -> None:
    """The elbow bends the other way about, so the upper arm must turn by itself: never by over 100 degrees a bone."""
    of = SIDES[side]
    axis = REST[of.elbow] - REST[of.shoulder]
    axis = axis / np.linalg.norm(axis)
    joints = bent(of, "elbow", 90)
    half = Rotation.from_rotvec(np.pi * 0.999 * axis)
    joints[of.wrist] = joints[of.elbow] + half.apply(joints[of.wrist] - joints[of.elbow])
    turns = bone_rotations(np.repeat(joints[None], 60, axis=0), REST)[30]
    chain = (of.shoulder, of.upper_arm_middle, of.upper_arm_low)
    steps = [np.degrees(2 * np.arccos(min(abs(turns[one] @ turns[two]), 1))) for one, two in pairwise(chain)]
    assert sum(steps) > 90
    assert max(steps) == pytest.approx(min(steps), abs=1)
    vertices = skin(BODY, pose_bones(BODY, np.repeat(joints[None], 60, axis=0)))[30]
    offset = BODY.vertices - REST[of.shoulder]
    share = offset @ axis / np.linalg.norm(REST[of.elbow] - REST[of.shoulder])
    away = np.linalg.norm(np.cross(offset, axis), axis=1)
    tube = (share > 0.35) & (share < 0.75) & (away < 0.08) & np.isin(BODY.parts, [3, 4])
    after = np.linalg.norm(np.cross(vertices - joints[of.shoulder], axis), axis=1)
    assert tube.sum() > 20
    assert (after[tube] / away[tube]).min() > 0.6  # wrung like a candy wrapper it would come near to nothing


# --- Poses that nobody has --------------------------------------------------------------------------------------------


def degenerate() -> dict[str, Array]:
    collinear = np.zeros((3, JOINT_COUNT, 3))
    collinear[:, :, 1] = np.arange(JOINT_COUNT) * 0.1
    no_arms = np.repeat(REST[None], 3, axis=0)
    for side in (LEFT, RIGHT):
        no_arms[:, [side.elbow, side.wrist]] = no_arms[:, [side.shoulder]]
    straight = np.repeat(REST[None], 3, axis=0)
    for side in (LEFT, RIGHT):
        straight[:, side.knee] = straight[:, side.hip] - [0, 0.4, 0]
        straight[:, side.ankle] = straight[:, side.hip] - [0, 0.8, 0]
        straight[:, side.foot] = straight[:, side.hip] - [0, 0.9, 0]
    flat = walk(3) * [1, 1, 0]
    return {
        "all in one point": np.zeros((3, JOINT_COUNT, 3)),
        "all on one line": collinear,
        "arms without a length": no_arms,
        "legs straight to the toes": straight,
        "flat as a sheet": flat,
        "one frame": walk(1),
        "upside down": walk(3) * [1, -1, -1],
        "inside out": -walk(3),
        "very small": walk(3) * 1e-6,
        "very large": walk(3) * 1e4,
    }


@pytest.mark.parametrize("name", degenerate())
@pytest.mark.filterwarnings("error")
def test_every_pose_has_a_body_without_nan(name: str) -> None:
    joints = degenerate()[name]
    vertices = posed(joints)
    assert vertices.shape == (len(joints), len(BODY.vertices), 3)
    assert np.isfinite(vertices).all()


@settings(max_examples=40, deadline=None)
@given(hnp.arrays(np.float64, (2, 22, 3), elements=st.sampled_from([0.0, 1.0, -1.0, 1e-12, 0.5])))
@pytest.mark.filterwarnings("error")
def test_joints_that_coincide_or_line_up_have_a_body_without_nan(joints: Array) -> None:
    assert np.isfinite(pose_bones(BODY, joints)).all()


def test_no_frames_have_no_bodies() -> None:
    assert posed(np.zeros((0, 22, 3))).shape == (0, len(BODY.vertices), 3)


@pytest.mark.parametrize("shape", [(22, 3), (2, 24, 3), (2, 22, 2), (1, 2, 22, 3)])
def test_joints_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"^joints: expected \(frames, 22, 3\), found "):
        pose_bones(BODY, np.zeros(shape))


@pytest.mark.parametrize("shape", [(40, 3, 4), (2, 22, 3, 4), (2, 40, 4, 4)])
def test_bones_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"^bones: expected \(frames, 40, 3, 4\), found "):
        skin(BODY, np.zeros(shape, dtype=np.float32))


def test_the_fast_way_to_the_skin_is_the_plain_one() -> None:
    """Each vertex the weighted mean of where its bones take it, spelled out; over more frames than a block has."""
    bones = pose_bones(BODY, walk(40))
    assert bones.shape == (40, BONE_COUNT, 3, 4)
    assert bones.dtype == np.float32
    vertices = skin(BODY, bones)
    for vertex in range(0, len(BODY.vertices), 997):
        place = np.append(BODY.vertices[vertex], 1.0)
        shares = zip(BODY.bone_indices[vertex], BODY.bone_weights[vertex], strict=True)
        expected = sum(float(share) * (bones[:, bone].astype(np.float64) @ place) for bone, share in shares)
        np.testing.assert_allclose(vertices[:, vertex], expected, atol=1e-5)


# --- Over time --------------------------------------------------------------------------------------------------------


def steps_of(rotations: Array) -> Array:
    """Degrees by which every bone turns from frame to frame."""
    same = np.abs(np.einsum("tbi,tbi->tb", rotations[1:], rotations[:-1])).clip(0, 1)
    return np.asarray(np.degrees(2 * np.arccos(same)))


def needless_turns(joints: Array) -> dict[str, float]:
    """For each bone of a limb, the most degrees that it turns in a frame beyond what its joints and its parent do."""
    turns = steps_of(bone_rotations(joints, REST))

    def swung(start: int, end: int) -> Array:
        along = joints[:, end] - joints[:, start]
        along = along / np.maximum(np.linalg.norm(along, axis=-1, keepdims=True), 1e-9)
        return np.asarray(np.degrees(np.arccos(np.einsum("ti,ti->t", along[1:], along[:-1]).clip(-1, 1))))

    found = {}
    for of in (LEFT, RIGHT):
        for bone, above, start, end in (
            (of.shoulder, of.collar, of.shoulder, of.elbow),
            (of.upper_arm_low, of.collar, of.shoulder, of.elbow),
            (of.elbow, of.upper_arm_low, of.elbow, of.wrist),
            (of.hip, 0, of.hip, of.knee),
            (of.thigh_low, 0, of.hip, of.knee),
            (of.knee, of.thigh_low, of.knee, of.ankle),
            (of.shin_low, of.thigh_low, of.knee, of.ankle),
        ):
            beyond = turns[:, bone] - np.maximum(turns[:, above], swung(start, end))
            found[BONE_NAMES[bone]] = float(beyond.max(initial=0.0))
    return found


@pytest.mark.parametrize("what", ["elbow", "knee"])
@pytest.mark.parametrize("side", SIDES)
def test_a_limb_that_folds_all_the_way_does_not_flip(side: str, what: str) -> None:
    """To 179 degrees and, a little beside its plane, back: the shortest way alone flips there."""
    of = SIDES[side]
    frames = [bent(of, what, degrees) for degrees in (*np.linspace(20, 179, 40), *np.linspace(179, 20, 40))]
    joints = np.array(frames)
    joints[:, of.wrist if what == "elbow" else of.ankle] += 0.004 * np.sin(np.arange(80))[:, None] * [1.0, 0.0, 0.3]
    assert max(needless_turns(joints).values()) < 12


def test_an_arm_raised_all_the_way_round_does_not_flip() -> None:
    joints = np.repeat(REST[None], 120, axis=0)
    for frame, angle in enumerate(np.linspace(0, 4 * np.pi, 120)):
        for of in (LEFT, RIGHT):
            reach = np.array([0.25 * of.sign, -np.cos(angle), np.sin(angle)])
            reach /= np.linalg.norm(reach)
            joints[frame, of.elbow] = joints[frame, of.shoulder] + 0.26 * reach
            joints[frame, of.wrist] = joints[frame, of.elbow] + 0.26 * reach
    assert steps_of(bone_rotations(joints, REST)).max() < 15


@pytest.mark.parametrize("name", [name for name in sorted(demo_motions()) if name.endswith(".reference")][::3])
def test_no_limb_of_the_demo_turns_without_need(name: str) -> None:
    turns = needless_turns(demo_motions()[name].joints.astype(np.float64))
    assert max(turns.values()) < 20, turns


# --- The real ones ----------------------------------------------------------------------------------------------------


@cache
def real_motions() -> dict[str, Array]:
    with np.load(SHARED / "cmu22" / "cmu22_clips.npz") as clips:
        motions = {f"cmu {key}": clips[key].astype(np.float64) for key in clips.files}
    for path in sorted((SHARED / "generated").glob("*.npy")):
        motions[path.stem] = read_motion(path).joints.astype(np.float64)
    return motions


@pytest.fixture(scope="module", autouse=True)
def _forget() -> Iterator[None]:
    yield
    real_motions.cache_clear()


@needs_shared
@pytest.mark.slow
def test_joints_of_every_real_motion_are_met_within_a_millimetre() -> None:
    found = {name: fidelity(joints) for name, joints in real_motions().items()}
    assert len(found) == 379 + 27
    for which, what in enumerate(("its own bone", "the bone above")):
        name = max(found, key=lambda each, which=which: found[each][which])  # type: ignore[misc]
        assert found[name][which] < MILLIMETRE, f"{name}: {1000 * found[name][which]:.4f} mm by {what}"


@needs_shared
@pytest.mark.slow
def test_no_limb_of_a_real_motion_flips() -> None:
    """Of every second one; a flip is half a turn. Not feet: some recordings have them backwards in a few frames."""
    worst = {
        name: max(needless_turns(joints).items(), key=lambda item: item[1])
        for name, joints in list(real_motions().items())[::2]
    }
    listed = sorted(((degrees, name, bone) for name, (bone, degrees) in worst.items()), reverse=True)[:10]
    assert listed[0][0] < 35, listed


@needs_shared
@pytest.mark.slow
def test_the_skin_of_real_motions_moves_with_the_joints() -> None:
    """Of every twentieth: what no joint's own step explains. Half a turn of a hand alone would be 40 cm."""
    beyond = {}
    for name, joints in list(real_motions().items())[::20]:
        vertices = posed(joints)
        assert np.isfinite(vertices).all(), name
        skin_step = np.abs(np.diff(vertices, axis=0)).max(axis=(1, 2))
        joint_step = np.linalg.norm(np.diff(joints, axis=0), axis=-1).max(axis=1)
        beyond[name] = float((skin_step - joint_step).max())
    listed = sorted(((round(metres, 3), name) for name, metres in beyond.items()), reverse=True)[:10]
    assert listed[0][0] < 0.15, listed
