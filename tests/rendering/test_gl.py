"""The `gl` backend on whatever draws here; without EGL its tests are left out and say so."""

import ctypes

import numpy as np
import numpy.typing as npt
import pytest

from rendering.backends import backend_for_look, get_backend
from rendering.backends.gl import GlBackend
from rendering.scene import get_look, get_view
from tests.rendering.people import a_walk, moved

pytestmark = pytest.mark.slow

MISSING = GlBackend().available()
needs_gl = pytest.mark.skipif(MISSING is not None, reason=f"gl cannot run here: {MISSING}")


def draw(look: str = "vemo", view: str = "own", *, frames: int = 2, pixels: int = 128) -> list[npt.NDArray[np.uint8]]:
    return list(get_backend("gl").shoot(a_walk(frames), get_look(look).at(pixels), get_view(view)).frames)


@needs_gl
@pytest.mark.parametrize("look", ["vemo", "studio", "parts"])
def test_every_frame_is_a_picture_of_the_body(look: str) -> None:
    pictures = draw(look, frames=3)
    assert [(picture.shape, picture.dtype) for picture in pictures] == [((128, 128, 3), np.uint8)] * 3
    assert all(picture.std() > 10 for picture in pictures)
    assert not np.array_equal(pictures[0], pictures[2])


@needs_gl
def test_the_same_motion_gives_the_same_bytes() -> None:
    # Many frames: a driver that tears one in a hundred did so here once.
    for one, other in zip(draw(frames=60, pixels=224), draw(frames=60, pixels=224), strict=True):
        np.testing.assert_array_equal(one, other)


@needs_gl
def test_the_parts_have_the_colours_of_t2mbench() -> None:
    """Seen from the front, the left leg is blue and on the right of the picture, the right leg purple."""
    picture = draw("parts", "front", frames=1, pixels=256)[0].astype(int)
    blue = (picture[..., 2] > picture[..., 0] + 60) & (picture[..., 2] > picture[..., 1] + 60)
    purple = (picture[..., 2] > picture[..., 1] + 60) & (picture[..., 0] > picture[..., 1] + 40) & ~blue
    assert min(blue.sum(), purple.sum()) > 500
    left, right = np.argwhere(blue)[:, 1].mean(), np.argwhere(purple)[:, 1].mean()
    assert left > right
    yellow = (picture[..., 0] > 180) & (picture[..., 1] > 150) & (picture[..., 2] < 120)
    red = (picture[..., 0] > 150) & (picture[..., 1] < 90) & (picture[..., 2] < 90)
    assert np.argwhere(red)[:, 0].mean() < np.argwhere(yellow)[:, 0].mean() < np.argwhere(blue)[:, 0].mean()


@needs_gl
def test_the_body_throws_a_shadow_and_darkens_the_floor_that_it_touches() -> None:
    walk = a_walk(1)
    stands = next(get_backend("gl").shoot(walk, get_look("vemo").at(256), get_view("own")).frames)
    floor = stands[200:, :].astype(int).sum(axis=2)
    assert floor.min() < 0.75 * np.median(floor)


@needs_gl
def test_a_motion_moved_by_whole_tiles_looks_the_same() -> None:
    look, view = get_look("vemo").at(128), get_view("own")
    here = next(get_backend("gl").shoot(a_walk(1), look, view).frames)
    there = next(get_backend("gl").shoot(moved(a_walk(1), [500, 0, -400]), look, view).frames)
    assert np.abs(here.astype(int) - there).mean() < 1.0


def test_a_missing_library_is_named_with_the_way_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(name: str) -> ctypes.CDLL:
        raise OSError(name)

    monkeypatch.setattr("rendering.backends.gl.backend.ctypes.CDLL", gone)
    assert GlBackend().available() == ("libEGL.so.1 is missing; on Debian: apt-get install libegl1 libgl1-mesa-dri")


@needs_gl
def test_gl_is_what_draws_a_body_when_nobody_names_a_backend() -> None:
    assert backend_for_look("vemo").name == "gl"
    assert backend_for_look("stick").name == "stick"


@needs_gl
def test_two_shots_by_turns_are_the_pictures_of_each_alone() -> None:
    """As two views in one frame draw: objects of one context must never reach the other."""
    turns = ("own", "turn-180")
    shots = [get_backend("gl").shoot(a_walk(8), get_look("vemo").at(128), get_view(view)).frames for view in turns]
    together = list(zip(*shots, strict=True))
    for number, view in enumerate(turns):
        for pair, alone in zip(together, draw(view=view, frames=8), strict=True):
            np.testing.assert_array_equal(pair[number], alone)
