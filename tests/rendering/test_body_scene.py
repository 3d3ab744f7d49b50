"""The camera of the looks that show a body: everything in the picture, large enough, and calm."""

import numpy as np
import pytest

from rendering.motion import Trajectory, trajectory_from_array
from rendering.scene import BodyLook, get_look, get_view
from rendering.scene.stage import Stage, build_stage
from tests.rendering.people import a_walk, demo_motions, moved

pytestmark = pytest.mark.slow

LOOKS = ("vemo", "studio", "parts")
MOTIONS = sorted(name for name in demo_motions() if name.endswith((".reference", ".glide")))[::6]


def stage(trajectory: Trajectory, look: str = "vemo", view: str = "own") -> Stage:
    chosen = get_look(look)
    assert isinstance(chosen, BodyLook)
    return build_stage(trajectory, chosen.at(128), get_view(view))


def edges(of: Stage) -> tuple[float, float, float, float]:
    """How far the body comes to the left, top, right and bottom, over all frames, as shares of the picture."""
    lows, highs = [], []
    frame = 0
    for block in of.blocks():
        for vertices in block:
            seen = of.cameras.at(frame).project(vertices.astype(np.float64))
            assert np.all(seen.depth > 0.05)
            lows.append((seen.x.min(), seen.y.min()))
            highs.append((seen.x.max(), seen.y.max()))
            frame += 1
    (left, top), (right, bottom) = np.min(lows, axis=0), np.max(highs, axis=0)
    return left / 128, top / 128, right / 128, bottom / 128


@pytest.mark.slow
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", MOTIONS)
def test_the_whole_body_is_in_every_frame(name: str, look: str) -> None:
    left, top, right, bottom = edges(stage(demo_motions()[name], look))
    assert min(left, top) > 0.02
    assert max(right, bottom) < 0.98


@pytest.mark.slow
@pytest.mark.parametrize("view", ["own", "turn-90", "turn-215"])
@pytest.mark.parametrize("name", MOTIONS)
def test_the_body_covers_a_tenth_of_every_frame_of_vemo(name: str, view: str) -> None:
    assert stage(demo_motions()[name], "vemo", view).cameras.coverage.min() > 0.1


def test_a_fixed_camera_stands_still_and_a_following_one_does_not_jump() -> None:
    walk = a_walk(40)
    assert np.ptp(stage(walk, "parts").cameras.positions, axis=0).max() == 0
    steps = np.linalg.norm(np.diff(stage(walk, "vemo").cameras.positions, axis=0), axis=1)
    body = np.linalg.norm(np.diff(walk.joints[:, 0], axis=0), axis=1)
    assert steps.max() < 2 * body.max() + 0.02


def test_a_body_that_leaps_away_stays_large_and_whole() -> None:
    """Some recordings begin elsewhere for one frame; a calm camera alone would show a speck for half a second."""
    walk = np.array(a_walk(40).joints)
    walk[0] += np.array([6, 0, -4], dtype=np.float32)
    leap = stage(trajectory_from_array(walk, fps=20))
    assert leap.cameras.coverage.min() > 0.1
    assert min(edges(leap)[:2]) > 0.02
    assert max(edges(leap)[2:]) < 0.98
    later = np.diff(leap.cameras.positions[30:], n=2, axis=0)
    assert np.linalg.norm(later, axis=1).max() < 0.02  # and then it goes along as calmly as ever


def test_the_floor_lies_under_the_lowest_point() -> None:
    floating = stage(moved(a_walk(), [0, 3, 0]))
    lowest = min(float(block[..., 1].min()) for block in floating.blocks())
    assert lowest == pytest.approx(0, abs=1e-4)
    assert floating.origin[1] > 2.5


def test_a_motion_far_from_the_origin_is_seen_as_sharply() -> None:
    """Moved by whole tiles the picture is the same; single precision alone would lose a tenth of a millimetre."""
    near, far = stage(a_walk()), stage(moved(a_walk(), [800, 0, -600]))
    here, there = (np.concatenate(list(each.blocks())) for each in (near, far))
    assert np.abs(here - there).max() < 2e-3
    np.testing.assert_allclose(near.cameras.positions, far.cameras.positions, atol=5e-3)


def test_one_frame_is_a_motion_too() -> None:
    assert stage(a_walk(1)).frames == 1


def test_walls_stand_behind_the_motion_and_never_before_it() -> None:
    for view in ("own", "turn-90", "turn-180", "turn-45"):
        seen = stage(a_walk(), "studio", view)
        assert seen.walls
        for wall in seen.walls:
            normal = np.cross(wall.corners[1] - wall.corners[0], wall.corners[3] - wall.corners[0])
            assert normal @ (seen.cameras.positions[0] - wall.corners[0]) > 0
            assert normal @ (np.zeros(3) - wall.corners[0]) > 0
