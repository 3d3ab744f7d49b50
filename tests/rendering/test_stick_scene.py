"""Looks and views are found by name; a clip's key names everything that decides its picture."""

import pytest

from rendering.backends import BackendUnavailableError, backend_statuses, get_backend
from rendering.scene import (
    LOOKS,
    VIEWS,
    PixelsError,
    UnknownNameError,
    clip_key,
    get_look,
    get_view,
)


def test_an_unknown_look_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown look 'stik'; known: stick, stick-dark"):
        get_look("stik")


@pytest.mark.parametrize("name", ["frnt", "azimuth-360", "azimuth--1", "azimuth-", "azimuth-1.5", ""])
def test_an_unknown_view_lists_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownNameError, match=r"known: front, front-left, left, .*azimuth-N"):
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


@pytest.mark.parametrize("name", LOOKS)
def test_left_and_right_differ_in_lightness_too(name: str) -> None:
    """So that they stay apart without any colour vision."""

    def lightness(colour: tuple[int, int, int]) -> float:
        return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), colour, strict=True))

    look = get_look(name)
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
    with pytest.raises(UnknownNameError, match="unknown backend 'gl'; known: stick, blender"):
        get_backend("gl")


def test_blender_is_known_and_says_that_it_is_not_built() -> None:
    with pytest.raises(BackendUnavailableError, match="'blender' is not built yet"):
        get_backend("blender")
    missing = {status.name: status.missing for status in backend_statuses()}
    assert missing["stick"] is None
    assert str(missing["blender"]).startswith("not built yet")
