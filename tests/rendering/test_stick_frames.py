"""The stick figure: whole, in the picture, with its two sides apart, and the same every time."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from rendering.backends import get_backend
from rendering.motion import Trajectory, read_npy, trajectory_from_array
from rendering.motion.skeleton import JOINT_NAMES
from rendering.scene import fit_camera, floor_height, get_look, get_view, measure_figure, picture_coverage
from rendering.scene.looks import Colour
from rendering.scene.stick_looks import StickLook

pytestmark = pytest.mark.slow

SHARED = Path(__file__).parents[3] / "shared" / "data"

Joints = npt.NDArray[np.float64]
Picture = npt.NDArray[np.uint8]

MIDDLE = {
    "pelvis": 0.95, "spine1": 1.05, "spine2": 1.18, "spine3": 1.25, "neck": 1.45, "head": 1.55,
}  # fmt: skip
LEFT = {
    "hip": (0.09, 0.88, 0.0), "knee": (0.1, 0.48, 0.03), "ankle": (0.1, 0.08, 0.0), "foot": (0.1, 0.02, 0.12),
    "collar": (0.07, 1.38, 0.0), "shoulder": (0.18, 1.4, 0.0), "elbow": (0.25, 1.15, 0.0), "wrist": (0.28, 0.9, 0.05),
}  # fmt: skip


def standing(frames: int = 6) -> Joints:
    """A person who faces +Z."""
    points = {name: (0.0, height, 0.0) for name, height in MIDDLE.items()}
    for joint, (x, y, z) in LEFT.items():
        points |= {f"left_{joint}": (x, y, z), f"right_{joint}": (-x, y, z)}
    return np.repeat(np.array([[points[name] for name in JOINT_NAMES]]), frames, axis=0)


def walking(metres: float, axis: int) -> Joints:
    joints = standing(12)
    joints[..., axis] += np.linspace(0, metres, 12)[:, None]
    return joints


def lying() -> Joints:
    return standing()[..., [0, 2, 1]]


def turning() -> Joints:
    joints = standing(8)
    for frame, angle in enumerate(np.linspace(0, 2 * np.pi, 8)):
        turn = np.array([[np.cos(angle), 0, -np.sin(angle)], [0, 1, 0], [np.sin(angle), 0, np.cos(angle)]])
        joints[frame] = joints[frame] @ turn
    return joints


def jumping() -> Joints:
    joints = standing(8)
    joints[..., 1] += np.sin(np.linspace(0, np.pi, 8))[:, None] * 0.8
    return joints


MOTIONS: dict[str, Callable[[], Joints]] = {
    "stands": standing,
    "one frame": lambda: standing(1),
    "far away": lambda: standing() + np.array([700.0, 0.0, -650.0]),
    "walks 10 m across": lambda: walking(10.0, 0),
    "walks 10 m ahead": lambda: walking(10.0, 2),
    "lies": lying,
    "turns": turning,
    "jumps": jumping,
    "upside down": lambda: standing() * [1, -1, -1],
    "giant": lambda: standing() * 60,
    "dwarf": lambda: standing() * 0.01,
    "noise": lambda: np.random.default_rng(3).normal(size=(6, 22, 3)),
    "all joints in one point": lambda: np.zeros((2, 22, 3)),
}


def motion(joints: Joints) -> Trajectory:
    return trajectory_from_array(joints, fps=20)


def draw(joints: Joints, look: str = "stick", view: str = "front-left", pixels: int = 192) -> list[Picture]:
    return list(get_backend("stick").shoot(motion(joints), get_look(look).at(pixels), get_view(view)).frames)


def stick_look(name: str) -> StickLook:
    look = get_look(name)
    assert isinstance(look, StickLook)
    return look


def painted(picture: Picture, *colours: Colour) -> npt.NDArray[np.bool_]:
    """Where the picture has exactly one of these colours."""
    found: npt.NDArray[np.bool_] = np.any([np.all(picture == colour, axis=-1) for colour in colours], axis=0)
    return found


def body(picture: Picture, look: StickLook) -> npt.NDArray[np.bool_]:
    return painted(picture, look.left, look.right, look.torso, look.head, look.nose)


def check_inside(seen: npt.NDArray[np.bool_], *, margin: int) -> None:
    inside = seen[margin:-margin, margin:-margin]
    assert inside.any()
    assert inside.sum() == seen.sum()


@pytest.mark.parametrize("view", ["front", "left", "azimuth-200"])
@pytest.mark.parametrize("name", MOTIONS)
def test_the_body_is_inside_every_picture(name: str, view: str) -> None:
    look = stick_look("stick")
    for picture in draw(MOTIONS[name](), view=view):
        assert picture.shape == (192, 192, 3)
        assert picture.dtype == np.uint8
        check_inside(body(picture, look), margin=4)


@pytest.mark.parametrize("view", ["front", "front-left", "left"])
@pytest.mark.parametrize("name", MOTIONS)
def test_the_body_is_as_large_as_its_path_allows(name: str, view: str) -> None:
    """In some frame it comes up to the margin on two opposite sides: no nearer camera would hold the motion."""
    trajectory = motion(MOTIONS[name]())
    figure = measure_figure(trajectory)
    camera = fit_camera(trajectory, figure, get_view(view), 384)
    points = np.concatenate([trajectory.joints, figure.head_centre[:, None]], axis=1).astype(np.float64)
    seen = camera.project(points)
    share = max(np.ptp(seen.x), np.ptp(seen.y)) / 384
    assert share < 0.9
    if name not in ("all joints in one point", "noise"):
        assert share > 0.65


def test_a_person_on_the_spot_fills_most_of_the_picture() -> None:
    trajectory = motion(standing())
    figure = measure_figure(trajectory)
    coverage = picture_coverage(trajectory, figure, fit_camera(trajectory, figure, get_view("front"), 384))
    assert coverage.shape == (6,)
    # A box almost as high as the picture, and a good third as wide: arms hang at the sides.
    assert np.all((coverage > 0.2) & (coverage < 0.4))


def test_a_person_is_about_as_tall_as_measured() -> None:
    figure = measure_figure(motion(standing()))
    assert 1.6 < figure.stature < 1.9
    np.testing.assert_allclose(figure.forward, [[0, 0, 1]] * 6, atol=1e-6)


def test_the_floor_is_just_under_the_lowest_foot() -> None:
    trajectory = motion(jumping() + np.array([0.0, 3.0, 0.0]))
    floor = floor_height(trajectory, measure_figure(trajectory))
    assert 2.97 < floor < 3.02


@pytest.mark.parametrize("look", ["stick", "stick-dark"])
def test_left_is_left_and_right_is_right(look: str) -> None:
    """Seen from the front a person's left is at the right of the picture; from the back it is the other way."""
    colours = stick_look(look)
    for view, order in (("front", 1), ("back", -1)):
        picture = draw(standing(1), look=look, view=view)[0]
        left = np.nonzero(painted(picture, colours.left))[1].mean()
        right = np.nonzero(painted(picture, colours.right))[1].mean()
        assert (left - right) * order > 10


def test_the_face_is_seen_from_the_front_and_not_from_the_back() -> None:
    look = stick_look("stick")
    assert painted(draw(standing(1), view="front")[0], look.nose).sum() > 3
    assert not painted(draw(standing(1), view="back")[0], look.nose).any()


def test_a_foot_that_leaves_the_floor_loses_its_shadow() -> None:
    joints = standing(2)
    joints[1, :, 1] += 0.5
    grounded, floating = (picture.astype(int).sum(axis=-1) for picture in draw(joints, view="front", pixels=384))
    trajectory = motion(joints)
    figure = measure_figure(trajectory)
    camera = fit_camera(trajectory, figure, get_view("front"), 384)
    # Beside the foot, where the shadow is not hidden by the foot itself.
    beside = np.array([0.13, floor_height(trajectory, figure), 0.12])
    seen = camera.project(beside)
    at = int(seen.y), int(seen.x)
    assert grounded[at] < floating[at] - 60


def test_the_floor_stands_still() -> None:
    pictures = np.stack(draw(walking(3.0, 0), view="front"))
    assert np.all(pictures[:, -12:] == pictures[:1, -12:])
    assert len(np.unique(pictures[0, -12:].reshape(-1, 3), axis=0)) > 5


def test_nearer_limbs_hide_farther_ones() -> None:
    look = stick_look("stick")
    from_left, from_right = (draw(standing(1), view=view)[0] for view in ("left", "right"))
    assert painted(from_left, look.left).sum() > painted(from_left, look.right).sum()
    assert painted(from_right, look.right).sum() > painted(from_right, look.left).sum()


def test_two_runs_give_the_same_pictures() -> None:
    for first, second in zip(draw(turning()), draw(turning()), strict=True):
        np.testing.assert_array_equal(first, second)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared data is not beside the repository")
def test_generated_motions_stay_in_the_picture() -> None:
    look = stick_look("stick")
    trajectory = read_npy(SHARED / "generated" / "mdm_fork_running_circle.npy", fps=20)
    pictures = get_backend("stick").shoot(trajectory, look, get_view("front-left")).frames
    for picture in islice(pictures, None, None, 8):
        check_inside(body(picture, look), margin=8)
