"""Looks and views are found by name; a clip's key names everything that decides its picture."""

import pytest

from rendering.backends import BACKENDS, backend_statuses, check_draws, get_backend
from rendering.scene import (
    LOOKS,
    VIEWS,
    PixelsError,
    StickLook,
    UnknownNameError,
    clip_key,
    get_look,
    get_view,
    get_views,
    random_views,
    view_name,
)


def test_an_unknown_look_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown look 'stik'; known: stick, stick-dark"):
        get_look("stik")


@pytest.mark.parametrize("name", ["frnt", "azimuth-360", "azimuth--1", "azimuth-", "azimuth-1.5", ""])
def test_an_unknown_view_lists_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownNameError, match=r"known: own, front, front-left, left, .*azimuth-N, turn-N"):
        get_view(name)


def test_names_lead_to_themselves() -> None:
    assert all(get_look(name).name == name for name in LOOKS)
    assert all(get_view(name).name == name for name in VIEWS)
    assert get_view("azimuth-30").name == "azimuth-30"


def test_one_direction_has_one_name() -> None:
    assert get_view("azimuth-0") == get_view("front")
    assert get_view("azimuth-090") == get_view("left")
    assert get_view("azimuth-007") == get_view("azimuth-7")


@pytest.mark.parametrize("pixels", [0, -384, 62, 385, 2162])
def test_a_size_that_cannot_be_encoded_is_refused(pixels: int) -> None:
    with pytest.raises(PixelsError, match=f"even number of pixels from 64 to 2160, found {pixels}"):
        get_look("stick").at(pixels)


@pytest.mark.parametrize("name", ["stick", "stick-dark"])
def test_left_and_right_differ_in_lightness_too(name: str) -> None:
    """So that they stay apart without any colour vision."""

    def lightness(colour: tuple[int, int, int]) -> float:
        return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), colour, strict=True))

    look = get_look(name)
    assert isinstance(look, StickLook)
    assert abs(lightness(look.left) - lightness(look.right)) > 15


def test_a_key_changes_when_any_part_does() -> None:
    parts = ("ab", "stick", "front", 384, "stick", "1")
    keys = {clip_key(*parts)}
    for other in (
        ("abc", "stick", "front", 384, "stick", "1"),
        ("ab", "stick-dark", "front", 384, "stick", "1"),
        ("ab", "stick", "back", 384, "stick", "1"),
        ("ab", "stick", "front", 386, "stick", "1"),
        ("ab", "stick", "front", 384, "blender", "1"),
        ("ab", "stick", "front", 384, "stick", "2"),
        ("abstick", "", "front", 384, "stick", "1"),
    ):
        keys.add(clip_key(*other))
    assert len(keys) == 8
    assert clip_key(*parts) in keys


def test_an_unknown_backend_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown backend 'opengl'; known: gl, stick, blender"):
        get_backend("opengl")


def test_every_backend_says_what_it_lacks_and_stick_lacks_nothing() -> None:
    missing = {status.name: status.missing for status in backend_statuses()}
    assert set(missing) == set(BACKENDS)
    assert missing["stick"] is None


def test_a_look_that_a_backend_does_not_draw_names_those_that_do() -> None:
    with pytest.raises(UnknownNameError, match="'stick' does not draw the look 'vemo'; expected one of: gl, blender"):
        check_draws(get_backend("stick"), "vemo")


def test_a_number_of_degrees_turns_the_looks_own_camera() -> None:
    own = get_look("vemo").own_view
    seen = get_view("turn-90").seen_by(own)
    assert seen.azimuth == pytest.approx((own.azimuth + 90) % 360)
    assert seen.elevation == own.elevation
    assert get_view("turn-0") == get_view("own")


def test_two_views_stand_side_by_side_and_three_are_refused() -> None:
    assert [view.name for view in get_views("own+left")] == ["own", "left"]
    assert view_name("turn-0+azimuth-090") == "own+left"
    with pytest.raises(UnknownNameError, match="at most 2 views side by side, found 3"):
        get_views("own+left+right")


def test_random_views_are_seeded_and_lie_in_sectors_of_their_own() -> None:
    drawn = random_views(4, seed=7)
    assert drawn == random_views(4, seed=7)
    assert drawn != random_views(4, seed=8)
    assert [int(view.azimuth // 90) for view in drawn] == [0, 1, 2, 3]
