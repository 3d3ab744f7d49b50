"""HumanML3D's 263 features: the joints of its own code come out, and a wrong normalisation is noticed."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rendering.motion import MotionFormatError, read_motion
from rendering.motion.humanml3d import joints_from_features
from rendering.motion.skeleton import JOINT_NAMES
from tests.rendering.people import NO_SHARED, SHARED, a_walk

GOLDEN = SHARED.parent / "golden"
STATISTICS = {"HumanML3D's": "humanml3d_{}", "the evaluator's": "t2m_eval_{}"}

needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=NO_SHARED)


def features_of(joints: npt.NDArray[np.floating], turns: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Features of joints whose heading is said to be the sum of `turns`: their meaning, spelled out frame by frame."""
    made = np.zeros((len(joints), 263))
    for frame in range(len(joints)):
        half = turns[:frame].sum()
        cosine, sine = np.cos(2 * half), np.sin(2 * half)
        into = np.array([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]])  # from the world to the body's heading
        root = joints[frame, 0]
        made[frame, 0] = turns[frame]
        made[frame, 3] = root[1]
        made[frame, 4:67] = ((joints[frame, 1:] - root * [1, 0, 1]) @ into.T).ravel()
        if frame + 1 < len(joints):
            after = half + turns[frame]
            cosine, sine = np.cos(2 * after), np.sin(2 * after)
            step = np.array([[cosine, 0, sine], [0, 1, 0], [-sine, 0, cosine]]) @ (joints[frame + 1, 0] - root)
            made[frame, 1:3] = step[[0, 2]]
    made[:, 259:] = 1.0
    return made


def walk(frames: int = 30) -> npt.NDArray[np.float64]:
    joints = a_walk(frames).joints.astype(np.float64)
    return np.asarray(joints - joints[0, 0] * [1, 0, 1])


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 30), st.integers(0, 2**32 - 1))
def test_joints_come_back_from_features_whatever_the_heading(frames: int, seed: int) -> None:
    joints = walk(frames)
    turns = np.random.default_rng(seed).uniform(-0.5, 0.5, frames)
    found = joints_from_features(features_of(joints, turns), mean=None, std=None, name="a.npy")
    np.testing.assert_allclose(found, joints, atol=1e-9)


def test_normalised_features_come_back_with_mean_and_std_as_arrays_or_files(tmp_path: Path) -> None:
    features = features_of(walk(), np.full(30, 0.01))
    mean = np.random.default_rng(0).normal(size=263).astype(np.float32)
    std = np.random.default_rng(1).uniform(0.05, 0.4, 263).astype(np.float32)
    np.save(tmp_path / "Mean.npy", mean)
    np.save(tmp_path / "Std.npy", std)
    np.save(tmp_path / "walk.npy", (features - mean) / std)
    path = tmp_path / "walk.npy"
    motion = read_motion(path, mean=tmp_path / "Mean.npy", std=str(tmp_path / "Std.npy"))
    assert motion == read_motion(path, mean=mean, std=std)
    np.testing.assert_allclose(motion.joints, walk(), atol=1e-5)
    assert motion.fps == 20


def refusal(features: npt.NDArray[np.generic], **statistics: object) -> str:
    given_ = {"mean": None, "std": None, **statistics}
    with pytest.raises(MotionFormatError) as caught:
        joints_from_features(features, **given_, name="clip.npy")  # type: ignore[arg-type]
    return str(caught.value)


def test_features_that_look_normalised_are_refused_without_mean_and_std() -> None:
    features = features_of(walk(), np.zeros(30))
    said = refusal((features - features.mean(axis=0)) / 0.05)
    assert said.startswith("clip.npy: expected HumanML3D features in metres, found a person of ")
    assert said.endswith("normalised? Give mean and std")


def test_features_in_metres_are_refused_with_a_mean_and_std_that_would_spoil_them() -> None:
    features = features_of(walk(), np.zeros(30))
    said = refusal(features, mean=np.zeros(263), std=np.ones(263))
    assert said.startswith("clip.npy: expected normalised features for this mean and std, found a person of ")
    assert said.endswith("leave mean and std out")


def test_a_mean_and_std_of_something_else_are_refused() -> None:
    features = features_of(walk(), np.zeros(30)) * 9 - 4
    said = refusal(features, mean=np.zeros(263), std=np.ones(263))
    assert "with this mean and std, found a person of " in said
    assert said.endswith("are the features normalised at all, and by these two?")


def test_only_one_of_mean_and_std_is_refused() -> None:
    features = features_of(walk(), np.zeros(30))
    assert (
        refusal(features, mean=np.zeros(263))
        == "clip.npy: expected both mean and std, or neither; found only one of them"
    )
    assert refusal(features, std=np.ones(263)).endswith("found only one of them")


def test_statistics_of_another_dataset_or_with_nothing_in_them_are_refused(tmp_path: Path) -> None:
    normalised = features_of(walk(), np.zeros(30)) * 9
    ones = np.ones(263)
    assert refusal(normalised, mean=ones[:251], std=ones) == "mean: expected (263,), found (251,)"
    assert refusal(normalised, mean=ones, std=ones * 0) == "std: expected finite numbers above 0"
    assert refusal(normalised, mean=ones * np.nan, std=ones) == "mean: expected finite numbers"
    np.save(tmp_path / "Std.npy", np.ones((2, 263)))
    assert refusal(normalised, mean=ones, std=tmp_path / "Std.npy") == "std Std.npy: expected (263,), found (2, 263)"
    assert "cannot be read: No such file" in refusal(normalised, mean=ones, std=tmp_path / "gone.npy")


def test_the_feature_that_is_not_finite_is_named() -> None:
    features = features_of(walk(), np.zeros(30))
    features[3, 70] = np.nan
    assert refusal(features) == "clip.npy: frame 3, feature 70 is not a finite number"


@pytest.mark.parametrize("arguments", [{"units": "cm"}, {"up": "z"}])
def test_features_leave_no_choice_of_units_and_axis(tmp_path: Path, arguments: dict[str, str]) -> None:
    np.save(tmp_path / "walk.npy", features_of(walk(), np.zeros(30)))
    with pytest.raises(MotionFormatError, match=r"^walk\.npy: expected units m and up y, as the format has them"):
        read_motion(tmp_path / "walk.npy", **arguments)  # type: ignore[arg-type]


def test_mean_and_std_for_anything_but_features_are_refused(tmp_path: Path) -> None:
    np.save(tmp_path / "walk.npy", walk())
    with pytest.raises(
        MotionFormatError, match=r"^walk\.npy: expected HumanML3D features for mean and std, found an arr"
    ):
        read_motion(tmp_path / "walk.npy", mean=np.zeros(263), std=np.ones(263))


# --- The real ones ----------------------------------------------------------------------------------------------------


def statistics(whose: str) -> dict[str, npt.NDArray[np.floating]]:
    name = STATISTICS[whose]
    ends = ("Mean", "Std") if "humanml3d" in name else ("mean", "std")
    mean, std = (np.load(SHARED / "stats" / f"{name.format(end)}.npy") for end in ends)
    return {"mean": mean, "std": std}


def real_features() -> dict[str, npt.NDArray[np.float64]]:
    paths = [*(SHARED / "humanml3d").glob("*_vecs263.npy"), *(SHARED / "generated").glob("*_vecs263.npy")]
    return {path.name: np.load(path).astype(np.float64) for path in sorted(paths)}


@needs_shared
@pytest.mark.parametrize("motion", ["012314", "000612"])
def test_joints_are_those_of_the_published_code(motion: str) -> None:
    golden = np.load(GOLDEN / "hml_recover.npz")[f"{motion}_joints"]
    path = SHARED / "humanml3d" / f"{motion}_vecs263.npy"
    assert np.abs(read_motion(path).joints - golden).max() < 1e-4


@needs_shared
@pytest.mark.parametrize("whose", STATISTICS)
@pytest.mark.parametrize("motion", ["012314", "000612"])
def test_joints_of_normalised_features_are_those_of_the_published_code(motion: str, whose: str) -> None:
    golden = np.load(GOLDEN / "hml_recover.npz")[f"{motion}_joints"]
    used = statistics(whose)
    normalised = (real_features()[f"{motion}_vecs263.npy"] - used["mean"]) / used["std"]
    found = joints_from_features(normalised.astype(np.float32), **used, name="a.npy")
    assert np.abs(found - golden).max() < 1e-4


@needs_shared
def test_features_that_were_made_from_joints_give_back_a_body_of_the_same_bones() -> None:
    """`hml_joints_to_263` retargets to one skeleton, so bone lengths are equal in all of its clips and frames."""
    golden = np.load(GOLDEN / "hml_joints_to_263.npz")
    lengths = []
    for key in golden.files:
        if golden[key].shape[-1] == 263:
            joints = joints_from_features(golden[key], mean=None, std=None, name=key)
            thigh, knee = JOINT_NAMES.index("left_hip"), JOINT_NAMES.index("left_knee")
            lengths.append(np.linalg.norm(joints[:, knee] - joints[:, thigh], axis=-1))
    assert len(lengths) == 7
    assert np.ptp(np.concatenate(lengths)) < 1e-3


@needs_shared
@pytest.mark.parametrize("whose", STATISTICS)
def test_real_features_are_refused_when_normalised_and_not_said_so(whose: str) -> None:
    used = statistics(whose)
    for name, features in real_features().items():
        assert "Give mean and std" in refusal((features - used["mean"]) / used["std"]), name


@needs_shared
def test_real_features_in_metres_are_refused_with_mean_and_std() -> None:
    for name, features in real_features().items():
        joints_from_features(features, mean=None, std=None, name=name)
        assert "mean and std" in refusal(features, **statistics("HumanML3D's")), name
