"""The figure in 3D, in Chromium's software WebGL: it is drawn, it moves, it turns, and it keeps to the policy."""

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import Page, expect

from rendering.body import load_body
from rendering.models import Clip, Motion
from rendering.motion import trajectory_from_array
from rendering.services.motions import motion_store
from tests.e2e.small_study import SmallStudy
from tests.factories import ManagerFactory, ResearcherFactory

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

LOOKS = {
    "light phone": {"viewport": {"width": 320, "height": 640}, "color_scheme": "light"},
    "dark desktop": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
}


def walking() -> Motion:
    """Two seconds of our body sliding ahead with its arms going up and down."""
    joints = np.repeat(load_body().joints[None].astype(np.float32), 40, axis=0)
    joints[:, :, 2] += np.linspace(0, 1, 40)[:, None]
    joints[:, [18, 19, 20, 21], 1] += 0.15 * np.sin(np.linspace(0, 6, 40))[:, None]
    return motion_store(trajectory=trajectory_from_array(joints, fps=20.0), source="test")


@pytest.fixture
def sample(made: SmallStudy) -> Any:
    sample = made.samples[0]
    motion = walking()
    Clip.objects.filter(motion=sample.motion).update(motion=motion)  # the clip stays beside the figure
    sample.motion = motion
    sample.save()
    return sample


def picture(page: Page) -> npt.NDArray[np.int16]:
    shot = page.locator(".figure__canvas").screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(np.int16)


def changed(before: npt.NDArray[np.int16], after: npt.NDArray[np.int16]) -> int:
    return int((np.abs(before - after).max(axis=-1) > 12).sum())


def open_figure(page: Page, path: str) -> None:
    page.goto(path)
    page.locator(".figure__canvas").scroll_into_view_if_needed()
    expect(page.locator("[data-figure][data-state=ready]")).to_be_visible(timeout=20_000)


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_the_figure_is_drawn_on_the_pages_of_both(open_page: Callable[..., Page], sample: Any, look: Any) -> None:
    for user, path in (
        (ManagerFactory(), f"/manage/small/samples/{sample.pk}/"),
        (ResearcherFactory(), f"/research/samples/{sample.pk}/"),
    ):
        page = open_page(user=user, reduced_motion="reduce", **look)
        open_figure(page, path)
        shot = picture(page)
        ground = shot[2, shot.shape[1] // 2]
        assert changed(shot, np.broadcast_to(ground, shot.shape)) > 0.03 * shot.shape[0] * shot.shape[1]
        assert len(np.unique(shot.reshape(-1, 3), axis=0)) > 100  # shaded, not a flat blot
        widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
        assert widths[0] <= widths[1]
        assert Axe().run(page).violations_count == 0


def test_scrubbing_keys_and_dragging_change_the_picture(open_page: Callable[..., Page], sample: Any) -> None:
    page = open_page(user=ManagerFactory(), reduced_motion="reduce")
    open_figure(page, f"/manage/small/samples/{sample.pk}/")
    figure, canvas = page.locator("[data-figure]"), page.locator(".figure__canvas")
    expect(page.get_by_role("button", name="Play")).to_be_visible()  # less motion: it waits
    first = picture(page)
    page.get_by_label("Frame").fill("30")
    expect(figure).to_have_attribute("data-drawn", "30")
    expect(page.locator(".figure__number")).to_have_text("31 / 40")
    scrubbed = picture(page)
    assert changed(first, scrubbed) > 500
    canvas.focus()
    page.keyboard.press("ArrowRight")
    expect(figure).to_have_attribute("data-drawn", "31")
    page.keyboard.press("ArrowLeft")
    expect(figure).to_have_attribute("data-drawn", "30")
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 220, box["y"] + 100, steps=4)
    page.mouse.up()
    page.wait_for_timeout(200)
    assert changed(scrubbed, picture(page)) > 500
    page.get_by_role("button", name="Reset view").click()
    page.wait_for_timeout(200)
    page.get_by_label("Joints").focus()
    assert changed(scrubbed, picture(page)) < 100
    canvas.focus()
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(figure).not_to_have_attribute("data-drawn", "30")


def test_without_webgl_the_clip_remains(open_page: Callable[..., Page], sample: Any) -> None:
    page = open_page(user=ManagerFactory())
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto(f"/manage/small/samples/{sample.pk}/")
    expect(page.get_by_text("cannot draw in 3D")).to_be_visible()
    expect(page.locator("video")).to_be_visible()
