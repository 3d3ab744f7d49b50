"""A clip as our renderer makes it, in a rater's browser: to the end, and from any place in it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from playwright.sync_api import Page, Response

from annotation import links
from rendering.backends import backend_named
from rendering.motion import write_npy
from tests.e2e.small_study import SmallStudy, make_study
from tests.rendering.people import demo_motions

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

FRAMES = 60  # 3 seconds

_TO_THE_END = """video => new Promise((done, failed) => {
  const say = () => done({
    at: video.currentTime, long: video.duration,
    shown: video.getVideoPlaybackQuality().totalVideoFrames,
    dropped: video.getVideoPlaybackQuality().droppedVideoFrames,
  });
  video.addEventListener("error", () => failed(new Error(video.error.message)));
  if (video.ended) say(); else video.addEventListener("ended", say, {once: true});
  video.muted = true;
  if (video.paused && !video.ended) video.play();
})"""

_SEEK = """(video, seconds) => new Promise((done) => {
  video.addEventListener("seeked", () => done(video.currentTime), {once: true});
  video.currentTime = seconds;
})"""


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What the demo's raters see: a person of 384 pixels where `gl` can draw here, else a stick figure."""
    folder = tmp_path_factory.mktemp("film")
    motion = next(each for each in demo_motions().values() if each.frames >= FRAMES)
    (folder / "motion.npy").write_bytes(write_npy(motion))
    look = ["stick"] if backend_named("gl").available() else ["vemo", "--backend", "gl"]
    command = [sys.executable, "-m", "rendering", str(folder / "motion.npy"), "-o", str(folder / "clip.mp4")]
    subprocess.run(
        [*command, "--look", *look, "--pixels", "384"], check=True, cwd=settings.BASE_DIR, capture_output=True
    )
    return (folder / "clip.mp4").read_bytes()


@pytest.fixture
def shown(transactional_db: None, files: Path, film: bytes) -> SmallStudy:
    return make_study(video=film)


def begin(page: Page, shown: SmallStudy) -> None:
    page.goto(links.personal_path(shown.study, shown.rater))
    page.get_by_label("I agree to take part").check()
    page.get_by_role("button", name="Start").click()


def test_a_clip_plays_to_its_end(open_page: Callable[..., Page], shown: SmallStudy) -> None:
    page = open_page()
    begin(page, shown)
    played = page.locator("video").evaluate(_TO_THE_END)
    print(f"{played['shown']} frames shown, {played['dropped']} dropped")  # a figure for docs: how busy machines are
    assert played["at"] == pytest.approx(played["long"], abs=0.06)
    assert played["long"] >= FRAMES / 20
    assert played["shown"] > 0


def test_a_clip_is_sought_by_range_requests(open_page: Callable[..., Page], shown: SmallStudy) -> None:
    page = open_page()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer) if "clip" in answer.url else None)
    begin(page, shown)
    video = page.locator("video")
    video.evaluate("video => video.pause()")
    for seconds in (2.5, 0.5, 1.75):
        assert video.evaluate(_SEEK, seconds) == pytest.approx(seconds, abs=0.001)
    # The page fetches the next clip as well, whole and ahead of time; this is about the player's own requests.
    films = [answer for answer in answers if answer.request.resource_type == "media"]
    assert films
    assert {answer.status for answer in films} == {206}
    assert all(answer.headers["content-range"].startswith("bytes ") for answer in films)
